#!/bin/sh
# Builds GNU as for the C6000 family, which tests hold encodings against, in about five minutes.
# On Debian: apt-get install binutils-source bison flex zlib1g-dev. Usage: tools/tic6x.sh [FOLDER]
set -e
prefix=${1:-/opt/tic6x}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tar xf /usr/src/binutils/binutils-2.*.tar.xz
mkdir build
cd build
../binutils-2.*/configure --target=tic6x-elf --prefix="$prefix" --disable-nls --disable-gdb --disable-gdbserver \
    --disable-sim --disable-readline --disable-gprofng --disable-werror --disable-ld --disable-gold CFLAGS=-O1
make MAKEINFO=true all-gas all-binutils
make MAKEINFO=true install-gas install-binutils
