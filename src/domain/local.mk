noinst_LIBRARIES += src/domain/libdomain.a
src_domain_libdomain_a_SOURCES = src/domain/definitions.c src/domain/definitions.h \
    src/domain/domain.c src/domain/domain.h src/domain/events.c src/domain/events.h src/domain/file_work.c \
    src/domain/file_work.h src/domain/job.c src/domain/job.h src/domain/journal.c src/domain/journal.h src/domain/mailbox.c src/domain/mailbox.h \
    src/domain/places.c src/domain/places.h src/domain/registry.c src/domain/registry.h src/domain/status.c src/domain/status.h
