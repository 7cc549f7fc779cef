"""The libraries of C, C++ and Rust that Finalist is measured beside: the packaged ones, and the newest.

Packages of the computer are found by pkg-config; what ``install.sh --newest`` has built, in its folder, so
that a library may be there twice, in two versions.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from finalist.peers.interface import Interface, Peer, Source, compiler, folder

#: By library its names in pkg-config, the newest first (none if it has none), the file that uses it, and what
#: peers.cpp wants defined.
LIBRARIES = {
    "Botan": (("botan-3", "botan-2"), "botan.cpp", "PEER_BOTAN"),
    "Crypto++": (("libcrypto++",), "cryptopp.cpp", "PEER_CRYPTOPP"),
    "IPsec-MB": (("libipsec-mb",), "ipsecmb.cpp", "PEER_IPSECMB"),
    "libgcrypt": (("libgcrypt",), "libgcrypt.cpp", "PEER_LIBGCRYPT"),
    "libtomcrypt": (("libtomcrypt",), "libtomcrypt.cpp", "PEER_LIBTOMCRYPT"),
    "libmcrypt": ((), "libmcrypt.cpp", "PEER_LIBMCRYPT"),
    "nettle": (("nettle",), "nettle.cpp", "PEER_NETTLE"),
    "OpenSSL": (("libcrypto",), "openssl.cpp", "PEER_OPENSSL"),
    "RustCrypto": (("rustcrypto-peers",), "rustcrypto.cpp", "PEER_RUSTCRYPTO"),
    "XKCP": (("xkcp-peers",), "xkcp.cpp", "PEER_XKCP"),
}
#: Where ``install.sh --newest`` builds, if ``$FINALIST_NEWEST`` does not say otherwise.
NEWEST = "/opt/finalist-newest"


class PeerLibrary:
    """All peers: ``peers`` are those that are here, ``absent`` the libraries that aren't."""

    def __init__(self, *shelves: Mapping[str, Source]) -> None:
        self.absent = tuple(name for name in LIBRARIES if not any(name in shelf for shelf in shelves))
        self.interfaces = tuple(Interface(tuple(shelf.values())) for shelf in shelves if shelf)
        self.peers: tuple[Peer, ...] = tuple(_once(self.interfaces))


def _once(interfaces: tuple[Interface, ...]) -> Iterator[Peer]:
    """Each version of a library once, though it may be found twice."""
    found = set[tuple[str, str, str]]()
    for interface in interfaces:
        own = [one for one in interface.peers if (one.name, one.cipher, one.mode) not in found]
        found |= {(one.name, one.cipher, one.mode) for one in own}
        yield from own


@cache
def library() -> PeerLibrary | None:
    """The libraries of this computer; None if there are none. Raises CompilerError."""
    built = Path(os.environ.get("FINALIST_NEWEST") or NEWEST) / "lib" / "pkgconfig"
    shelves = [_found(os.environ), *([_found(_within(built), static=True)] if built.is_dir() else [])]
    return PeerLibrary(*shelves) if any(shelves) else None


def how_to_install() -> str:
    """What a user does to have more of them, in words."""
    script = folder() / "install.sh"
    return (
        f"{script} installs them (Debian; --newest builds newer ones), pip install cryptography pycryptodome"
    )


def _within(place: Path) -> dict[str, str]:
    """What pkg-config wants, to look nowhere else."""
    return {**os.environ, "PKG_CONFIG_LIBDIR": str(place), "PKG_CONFIG_PATH": ""}


def _found(environment: Mapping[str, str], static: bool = False) -> dict[str, Source]:
    """What is there, by library. ``static``: and is linked in."""
    found = {}
    for name, (modules, file, defined) in LIBRARIES.items():
        flags = _flags(modules, environment, static)
        if flags is not None:
            found[name] = Source(file, defined, flags)
    return found


def _flags(modules: tuple[str, ...], environment: Mapping[str, str], static: bool) -> tuple[str, ...] | None:
    """The compiler's flags for a library; None if it isn't installed."""
    if not modules:
        return ("-lmcrypt",) if not static and _has_header("mcrypt.h") else None
    for module in modules:
        command = ["pkg-config", "--cflags", "--libs", *["--static"] * static, module]
        try:
            made = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        except (FileNotFoundError, subprocess.CalledProcessError):
            continue
        return tuple(made.stdout.split())
    return None


def _has_header(name: str) -> bool:
    """Whether the compiler finds a header: for what pkg-config knows nothing of."""
    command = [compiler(), "-E", "-x", "c++", "-include", name, os.devnull]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
