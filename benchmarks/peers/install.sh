#!/bin/sh
# Installs the libraries that compare.py measures Finalist beside (Debian 12 or later; needs root).
set -eu
apt-get update
apt-get install --yes --no-install-recommends \
    g++ pkg-config libcrypto++-dev libgcrypt20-dev libbotan-2-dev nettle-dev libtomcrypt-dev \
    libssl-dev libmcrypt-dev
