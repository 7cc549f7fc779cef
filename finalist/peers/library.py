"""The packaged C and C++ libraries that Finalist is measured beside, compiled behind one C interface.

Each library has one C++ file, compiled in only where the library is found.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from finalist.cache.entries import keep
from finalist.errors import FinalistError
from finalist.toolchain.compiler import invoke

_MADE = "peers.so"
#: The C++ files: in an installed package beside this file, in a checkout where its user looks for them.
_PLACES = (Path(__file__).parent / "programs", Path(__file__).parents[2] / "benchmarks" / "peers")

# library: (its name in pkg-config, empty if it has none; the file that uses it; what peers.cpp wants defined)
LIBRARIES = {
    "Botan": ("botan-2", "botan.cpp", "PEER_BOTAN"),
    "Crypto++": ("libcrypto++", "cryptopp.cpp", "PEER_CRYPTOPP"),
    "libgcrypt": ("libgcrypt", "libgcrypt.cpp", "PEER_LIBGCRYPT"),
    "libtomcrypt": ("libtomcrypt", "libtomcrypt.cpp", "PEER_LIBTOMCRYPT"),
    "libmcrypt": ("", "libmcrypt.cpp", "PEER_LIBMCRYPT"),
    "OpenSSL": ("libcrypto", "openssl.cpp", "PEER_OPENSSL"),
    "nettle": ("nettle", "nettle.cpp", "PEER_NETTLE"),
}

FLAGS = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared")


class PeersError(FinalistError):
    """There are no peers here, or one can't be asked; the message says what to install."""


@dataclass(frozen=True)
class Peer:
    """A cipher of a library in one mode: ecb; ctr, from counter block zero; cbc, from a block of zeros.

    ``includes``: what one call of it is, in words.
    """

    index: int
    library: str
    version: str
    cipher: str
    mode: str
    block_bytes: int
    includes: str

    @property
    def name(self) -> str:
        """Library and version."""
        return f"{self.library} {self.version}"


class PeerLibrary:
    """All peers: ``peers`` are those that are here, ``absent`` the libraries that aren't."""

    def __init__(self, found: dict[str, list[str]]) -> None:
        self.absent = tuple(name for name in LIBRARIES if name not in found)
        self._library = ctypes.CDLL(str(_build(found)))
        _declare(self._library)
        self.peers = tuple(self._describe(index) for index in range(self._library.peer_count()))
        self.crypt_address = _address(self._library.peer_crypt)
        self.setup_address = _address(self._library.peer_setup)

    def _describe(self, index: int) -> Peer:
        return Peer(
            index=index,
            library=self._library.peer_library(index).decode(),
            version=self._library.peer_version(index).decode(),
            cipher=self._library.peer_cipher(index).decode(),
            mode=self._library.peer_mode(index).decode(),
            block_bytes=self._library.peer_block_bytes(index),
            includes=self._library.peer_includes(index).decode(),
        )

    def open(self, peer: Peer, key: bytes, *, decrypt: bool = False) -> Handle | None:
        """A keyed cipher, or None if the library lacks this key length or direction."""
        address = self._library.peer_open(peer.index, key, len(key), int(decrypt))
        return Handle(address, self._library) if address else None


class Handle:
    """A keyed cipher of a library; ``address`` stands in for an expanded key's."""

    def __init__(self, address: int, library: ctypes.CDLL) -> None:
        self.address = address
        self._library = library

    def __del__(self) -> None:
        self._library.peer_close(self.address)


@cache
def library() -> PeerLibrary | None:
    """The libraries of this computer; None if there are none. Raises CompilerError."""
    found = {name: flags for name in LIBRARIES if (flags := _pkg_config(name)) is not None}
    return PeerLibrary(found) if found else None


def how_to_install() -> str:
    """What a user does to have more of them, in words."""
    return f"{_folder() / 'install.sh'} installs them (Debian), pip install cryptography pycryptodome"


def _folder() -> Path:
    """Where the C++ files are. Raises PeersError."""
    for folder in _PLACES:
        if (folder / "peer.hpp").exists():
            return folder
    raise PeersError(f"the programs that call the libraries are missing: expected in {_PLACES[0]}")


def _pkg_config(name: str) -> list[str] | None:
    """The compiler's flags for a library; None if it isn't installed."""
    module = LIBRARIES[name][0]
    if not module:
        return ["-lmcrypt"] if _has_header("mcrypt.h") else None
    command = ["pkg-config", "--cflags", "--libs", module]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return found.stdout.split()


def _has_header(name: str) -> bool:
    """Whether the compiler finds a header: for what pkg-config knows nothing of."""
    command = [_compiler(), "-E", "-x", "c++", "-include", name, os.devnull]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def _compiler() -> str:
    return os.environ.get("CXX", "c++")


def _build(found: dict[str, list[str]]) -> Path:
    """Compile the interface with the libraries found; a build is kept under its content's hash."""
    folder = _folder()
    sources = [folder / "peers.cpp", *(folder / LIBRARIES[name][1] for name in found)]
    definitions = [f"-D{LIBRARIES[name][2]}" for name in found]
    libraries = [flag for flags in found.values() for flag in flags]
    command = [_compiler(), *FLAGS, *definitions, *map(str, sources), *libraries]
    name = f"peers-{_digest(command, [folder / 'peer.hpp', *sources])}"
    return keep(name, lambda entry: invoke([*command, "-o", str(entry / _MADE)])) / _MADE


def _digest(command: list[str], files: Iterable[Path]) -> str:
    content = hashlib.sha256("\0".join(command).encode())
    for file in files:
        content.update(file.read_bytes())
    return content.hexdigest()[:16]


def _declare(found: ctypes.CDLL) -> None:
    number, pointer, text = ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p
    size = ctypes.c_size_t
    types: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "peer_count": (number, ()),
        "peer_library": (text, (number,)),
        "peer_version": (text, (number,)),
        "peer_cipher": (text, (number,)),
        "peer_mode": (text, (number,)),
        "peer_block_bytes": (size, (number,)),
        "peer_includes": (text, (number,)),
        "peer_open": (pointer, (number, text, size, number)),
        "peer_close": (None, (pointer,)),
    }
    for name, (result, arguments) in types.items():
        function = getattr(found, name)
        function.restype, function.argtypes = result, arguments


def _address(function: object) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]  # a function of C
