EXTRA_DIST += bench/measure.py bench/start.py bench/scale.py bench/stuck.py bench/peer.py

# ./dev bench qom [EMULATOR]
noinst_PROGRAMS += bench/qom
bench_qom_SOURCES = bench/qom.c bench/qom_guest.c bench/qom_guest.h bench/qom_methods.c bench/qom_methods.h
bench_qom_LDADD = src/qemu/libqemu.a src/json/libjson.a src/loop/libloop.a src/base/libbase.a $(YAJL_LIBS) $(UV_LIBS)
