#!/bin/sh
# Installs the libraries that `finalist bench --against peers` measures Finalist beside (Debian 12 or later; root).
#
#   install.sh             Debian's
#   install.sh --newest    also the newest of Botan, libgcrypt, IPsec-MB (Debian's unstable) and RustCrypto (crates.io),
#                          built into $FINALIST_NEWEST or /opt/finalist-newest, where nothing else finds them; some
#                          three minutes on two cores. Wants Rust's cargo, for RustCrypto alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
newest=${FINALIST_NEWEST:-/opt/finalist-newest}

packages() {
    apt-get update
    apt-get install --yes --no-install-recommends \
        g++ pkg-config libcrypto++-dev libgcrypt20-dev libbotan-2-dev nettle-dev libtomcrypt-dev \
        libssl-dev libmcrypt-dev
}

# Sources and packages of Debian's unstable, by a list of its own: what apt installs otherwise stays as it is.
unstable() {
    apt-get -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o APT::Sandbox::User=root "$@"
}

source_of() { # package: its source, unpacked; leaves the shell in it
    unstable --quiet source --tar-only --download-only "$1"
    mkdir "$work/$1"
    tar -xf "$work/$2"_*.orig.tar.* -C "$work/$1" --strip-components=1
    cd "$work/$1"
}

gpg_error() {
    source_of libgpg-error libgpg-error
    ./configure --quiet --prefix="$newest" --enable-static --disable-shared --with-pic --disable-doc --disable-tests \
        --disable-nls --enable-install-gpg-error-config
    make --silent --jobs="$cores" install
}

libgcrypt() {
    source_of libgcrypt20 libgcrypt20
    ./configure --quiet --prefix="$newest" --enable-static --disable-shared --with-pic --disable-doc \
        --with-libgpg-error-prefix="$newest"
    make --silent --jobs="$cores" install
}

botan() {
    source_of botan3 botan3
    modules=aes,aes_ni,aes_vaes,serpent,serpent_simd,serpent_avx2,serpent_avx512,twofish,twofish_avx512,blowfish,des
    python3 configure.py --prefix="$newest" --minimized-build --enable-modules="$modules,cbc,ctr,system_rng" \
        --build-targets=static --without-documentation
    make --silent --jobs="$cores"
    make --silent install
}

ipsec_mb() { # its source wants what Debian has not; the package has an archive to link
    unstable download libipsec-mb-dev
    dpkg --extract "$work"/libipsec-mb-dev_*.deb "$work/mb"
    cp "$(find "$work/mb" -name libIPSec_MB.a)" "$newest/lib"
    cp "$work/mb/usr/include/intel-ipsec-mb.h" "$newest/include"
    described libipsec-mb -lIPSec_MB
}

rustcrypto() {
    cp -R "$here/rustcrypto" "$work"
    cd "$work/rustcrypto"
    cargo build --release --locked
    cp target/release/librustcrypto_peers.a "$newest/lib"
    described rustcrypto-peers '-lrustcrypto_peers -lpthread -ldl -lm'
}

described() { # name, libraries: for pkg-config
    cat >"$newest/lib/pkgconfig/$1.pc" <<END
Name: $1
Description: built for finalist bench --against peers
Version: 0
Cflags: -I$newest/include
Libs: -L$newest/lib $2
END
}

build_newest() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cores=$(nproc)
    for kind in deb deb-src; do
        echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main"
    done >"$work/sources.list"
    mkdir -p "$work/lists/partial" "$newest/lib/pkgconfig" "$newest/include"
    (cd "$work" && unstable --quiet update)
    for step in gpg_error libgcrypt botan ipsec_mb; do
        (cd "$work" && $step)
    done
    if command -v cargo >/dev/null; then
        (rustcrypto)
    else
        echo "cargo is not there: RustCrypto is left out"
    fi
}

case ${1:-} in
'') packages ;;
--newest)
    packages
    build_newest
    ;;
*)
    echo "usage: $0 [--newest]" >&2
    exit 2
    ;;
esac
