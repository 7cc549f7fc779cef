"""Libraries of C, C++ and Rust compiled behind one C interface, benchmarks/peers/peers.cpp."""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from finalist.cache.entries import keep
from finalist.errors import FinalistError
from finalist.toolchain.compiler import invoke
from finalist.toolchain.loading import loaded

_MADE = "peers.so"
#: The C++ files: in an installed package beside this file, in a checkout where its user looks for them.
_PLACES = (Path(__file__).parent / "programs", Path(__file__).parents[2] / "benchmarks" / "peers")

FLAGS = ("-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared")
#: What is linked in is nobody else's: two versions of a library may be in one process.
_APART = ("-Wl,--exclude-libs,ALL", "-Wl,-Bsymbolic")


class PeersError(FinalistError):
    """There are no peers here, or one can't be asked; the message says what to install."""


@dataclass(frozen=True)
class Source:
    """A library: the C++ ``file`` that uses it, what peers.cpp wants ``defined``, and the ``flags``."""

    file: str
    defined: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Peer:
    """A cipher of a library in one mode: ecb; ctr, from counter block zero; cbc, from a block of zeros.

    ``interface``, ``index``: where it is, which one of those there. ``includes``: what one call of it is, in
    words.
    """

    interface: Interface
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

    def open(self, key: bytes, *, decrypt: bool = False) -> Handle | None:
        """A keyed cipher, or None if the library lacks this key length or direction."""
        return self.interface.open(self.index, key, decrypt)


class Handle:
    """A keyed cipher of a library; ``address`` stands in for an expanded key's."""

    def __init__(self, address: int, library: ctypes.CDLL) -> None:
        self.address = address
        self._library = library

    def __del__(self) -> None:
        self._library.peer_close(self.address)


class Interface:
    """Compiled with some libraries. Raises CompilerError.

    ``crypt_address``, ``setup_address``: functions of the types that measure/clock.c has for kernels and key
    set-ups, of a handle.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._library = loaded(_build(sources))
        _declare(self._library)
        self.crypt_address = _address(self._library.peer_crypt)
        self.setup_address = _address(self._library.peer_setup)

    @cached_property
    def peers(self) -> tuple[Peer, ...]:
        """All that these libraries have."""
        return tuple(self._describe(index) for index in range(self._library.peer_count()))

    def _describe(self, index: int) -> Peer:
        return Peer(
            interface=self,
            index=index,
            library=self._library.peer_library(index).decode(),
            version=self._library.peer_version(index).decode(),
            cipher=self._library.peer_cipher(index).decode(),
            mode=self._library.peer_mode(index).decode(),
            block_bytes=self._library.peer_block_bytes(index),
            includes=self._library.peer_includes(index).decode(),
        )

    def open(self, index: int, key: bytes, decrypt: bool) -> Handle | None:
        """A keyed cipher of the peer of that number, or None."""
        address = self._library.peer_open(index, key, len(key), int(decrypt))
        return Handle(address, self._library) if address else None


def folder() -> Path:
    """Where the C++ files are. Raises PeersError."""
    for place in _PLACES:
        if (place / "peer.hpp").exists():
            return place
    raise PeersError(f"the programs that call the libraries are missing: expected in {_PLACES[0]}")


def compiler() -> str:
    """The C++ compiler's command."""
    return os.environ.get("CXX", "c++")


def _build(found: Sequence[Source]) -> Path:
    """Compile the interface with the libraries found; a build is kept under its content's hash."""
    place = folder()
    files = [place / "peers.cpp", *(place / one.file for one in found)]
    definitions = [f"-D{one.defined}" for one in found]
    libraries = [flag for one in found for flag in one.flags]
    command = [compiler(), *FLAGS, *definitions, *map(str, files), *libraries, *_APART]
    archives = (path for flag in libraries if flag.startswith("-L") for path in Path(flag[2:]).glob("*.a"))
    name = f"peers-{_digest(command, [place / 'peer.hpp', *files], archives)}"
    return keep(name, lambda entry: invoke([*command, "-o", str(entry / _MADE)])) / _MADE


def _digest(command: list[str], files: Iterable[Path], archives: Iterable[Path]) -> str:
    """Of the command and the files; of what is linked in, of its size and time."""
    content = hashlib.sha256("\0".join(command).encode())
    for file in files:
        content.update(file.read_bytes())
    for archive in sorted(archives):
        told = archive.stat()
        content.update(f"{archive} {told.st_size} {told.st_mtime_ns}".encode())
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
