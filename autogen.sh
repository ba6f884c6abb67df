#!/bin/sh
# Makes ./configure from configure.ac; then: ./configure && make
cd "$(dirname "$0")" || exit 1
mkdir -p m4 build-aux
exec autoreconf --install
