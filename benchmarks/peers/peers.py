"""The packaged libraries that Finalist is measured beside, compiled behind one C interface.

Each library has one C++ file here, compiled in only where pkg-config finds the library.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finalist.errors import CompilerError

HERE = Path(__file__).resolve().parent

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


@dataclass(frozen=True)
class Peer:
    """A cipher of a library.

    ``mode`` is ecb; or ctr, where the key stream that starts at counter block zero is added; or cbc, which
    chains from an initial block of zeros.
    """

    index: int
    library: str
    version: str
    cipher: str
    mode: str
    block_bytes: int

    @property
    def name(self) -> str:
        """Library and version, and the mode if it isn't ECB."""
        suffix = "" if self.mode == "ecb" else f" ({self.mode.upper()})"
        return f"{self.library} {self.version}{suffix}"


class PeerLibrary:
    """All peers: ``peers`` are those that are here, ``absent`` the libraries that aren't."""

    def __init__(self) -> None:
        found = {name: flags for name in LIBRARIES if (flags := _pkg_config(name)) is not None}
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


def _pkg_config(library: str) -> list[str] | None:
    """The compiler's flags for a library; None if it isn't installed."""
    module = LIBRARIES[library][0]
    if not module:
        return ["-lmcrypt"] if _has_header("mcrypt.h") else None
    command = ["pkg-config", "--cflags", "--libs", module]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise CompilerError("pkg-config is missing: install.sh installs it") from error
    except subprocess.CalledProcessError:
        return None
    return found.stdout.split()


def _has_header(name: str) -> bool:
    """Whether the compiler finds a header: for what pkg-config knows nothing of."""
    command = [os.environ.get("CXX", "c++"), "-E", "-x", "c++", "-include", name, os.devnull]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError as error:
        raise CompilerError(f"the C++ compiler {command[0]} is missing") from error


def _build(found: dict[str, list[str]]) -> Path:
    """Compile the interface with the libraries found; a build is kept under its content's hash."""
    sources = [HERE / "peers.cpp", *(HERE / LIBRARIES[name][1] for name in found)]
    definitions = [f"-D{LIBRARIES[name][2]}" for name in found]
    libraries = [flag for flags in found.values() for flag in flags]
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, *FLAGS, *definitions, *map(str, sources), *libraries]
    target = _cache() / f"peers-{_digest(command, [HERE / 'peer.hpp', *sources])}.so"
    if not target.exists():
        _compile(command, target)
    return target


def _compile(command: list[str], target: Path) -> None:
    """Run the compiler; ``target`` appears only once it is whole."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        unfinished = Path(folder) / target.name
        try:
            subprocess.run([*command, "-o", str(unfinished)], capture_output=True, text=True, check=True)
        except FileNotFoundError as error:
            raise CompilerError(f"the C++ compiler {command[0]} is missing") from error
        except subprocess.CalledProcessError as error:
            raise CompilerError(f"{command[0]} failed:\n{error.stderr}") from error
        unfinished.replace(target)


def _digest(command: list[str], files: Iterable[Path]) -> str:
    content = hashlib.sha256("\0".join(command).encode())
    for file in files:
        content.update(file.read_bytes())
    return content.hexdigest()[:16]


def _cache() -> Path:
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = root / "finalist" / "peers"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CompilerError(f"{folder}, where builds are kept, cannot be written") from error
    return folder


def _declare(library: ctypes.CDLL) -> None:
    number, pointer, text = ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p
    size = ctypes.c_size_t
    types: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "peer_count": (number, ()),
        "peer_library": (text, (number,)),
        "peer_version": (text, (number,)),
        "peer_cipher": (text, (number,)),
        "peer_mode": (text, (number,)),
        "peer_block_bytes": (size, (number,)),
        "peer_open": (pointer, (number, text, size, number)),
        "peer_close": (None, (pointer,)),
    }
    for name, (result, arguments) in types.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


def _address(function: object) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    assert address is not None
    return address
