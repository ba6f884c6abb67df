noinst_LIBRARIES += src/domain/libdomain.a
src_domain_libdomain_a_SOURCES = src/domain/definitions.h src/domain/domain.h src/domain/events.h src/domain/job.h \
    src/domain/mailbox.h src/domain/places.h src/domain/registry.h src/domain/status.h
