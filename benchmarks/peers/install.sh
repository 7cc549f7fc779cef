#!/bin/sh
# Installs the libraries that `finalist bench --against peers` measures Finalist beside (Debian 12 or later; root).
set -eu
apt-get update
apt-get install --yes --no-install-recommends \
    g++ pkg-config libcrypto++-dev libgcrypt20-dev libbotan-2-dev nettle-dev libtomcrypt-dev \
    libssl-dev libmcrypt-dev
