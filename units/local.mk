# For systemd; a packager moves them with --prefix or systemdsystemunitdir=.
systemdsystemunitdir = $(prefix)/lib/systemd/system
dist_systemdsystemunit_DATA = units/domusd.socket units/domusd-ro.socket
nodist_systemdsystemunit_DATA = units/domusd.service
CLEANFILES += units/domusd.service
EXTRA_DIST += units/domusd.service.in

units/domusd.service: $(srcdir)/units/domusd.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) units && sed 's|@sbindir[@]|$(sbindir)|' $(srcdir)/units/domusd.service.in >$@.new && mv $@.new $@
