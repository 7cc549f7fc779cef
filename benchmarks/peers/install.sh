#!/bin/sh
# Installs the libraries that `finalist bench --against peers` measures Finalist beside (Debian 12 or later; root).
#
#   install.sh             Debian's
#   install.sh --newest    also the newest of Botan, libgcrypt, IPsec-MB (Debian's unstable) and RustCrypto (crates.io),
#                          built into $FINALIST_NEWEST or /opt/finalist-newest, where nothing else finds them; some
#                          three minutes on two cores. Wants Rust's cargo, for RustCrypto alone.
#   install.sh --xkcp DIR  also the permutations of XKCP, of the checkout in DIR, for CPUs with AVX-512; built there, too
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

xkcp() { # checkout: its permutations of many states and of one, as its Makefile.build has them for AVX-512
    low=$1/lib/low align="$1/lib/common/align.h" headers="$newest/include/xkcp"
    keccak="$low/KeccakP-1600-times8/AVX512" xoodoo="$low/Xoodoo-times16/AVX512"
    set -- "-I$1/lib/common" "-I$low/common" "-I$low/Xoodoo" "-I$low/KeccakP-1600/AVX512" "-I$low/Xoodoo/AVX512" \
        "-I$keccak" "-I$keccak/u12" "-I$xoodoo"
    mkdir -p "$newest/lib/pkgconfig" "$headers"
    for file in "$low/KeccakP-1600/AVX512/KeccakP-1600-AVX512.s" "$keccak/KeccakP-1600-times8-SIMD512.c" \
        "$low/Xoodoo/AVX512/Xoodoo-SIMD512.c" "$xoodoo/Xoodoo-times16-SIMD512.c"; do
        cc -O3 -march=native -fPIC "$@" -c "$file" -o "$work/$(basename "$file").o"
    done
    cp "$low/KeccakP-1600/AVX512/KeccakP-1600-SnP.h" "$low/Xoodoo/AVX512/Xoodoo-SnP.h" "$low/Xoodoo/Xoodoo.h" \
        "$keccak/KeccakP-1600-times8-SnP.h" "$keccak/u12/SIMD512-config.h" "$xoodoo/Xoodoo-times16-SnP.h" \
        "$align" "$headers"
    ar rcs "$newest/lib/libxkcp_peers.a" "$work"/*.o
    described xkcp-peers "-lxkcp_peers" "-I$headers -DXKCP_VERSION=$version"
}

described() { # name, libraries, flags if any: for pkg-config
    cat >"$newest/lib/pkgconfig/$1.pc" <<END
Name: $1
Description: built for finalist bench --against peers
Version: 0
Cflags: -I$newest/include ${3:-}
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
--xkcp)
    checkout=${2:?"the folder of a checkout of XKCP"}
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    version=$(git -C "$checkout" log -1 --format=%cd --date=format:%Y.%m 2>/dev/null || echo unknown)
    (xkcp "$checkout")
    ;;
*)
    echo "usage: $0 [--newest | --xkcp DIR]" >&2
    exit 2
    ;;
esac
