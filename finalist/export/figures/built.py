"""A library that was exported and built, called through its own headers."""

from __future__ import annotations

import ctypes
import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from finalist.cache.entries import keep
from finalist.errors import KeyLengthError, UnknownNameError
from finalist.export import folder
from finalist.export.folder import FolderError
from finalist.language.cipher import Cipher
from finalist.machines.native.memory import Buffer
from finalist.machines.native.text.names import c_name
from finalist.toolchain import compiler
from finalist.toolchain.loading import loaded

#: Where the library's own builds put it, below its folder.
_BUILD = "build"
_MADE = "called.so"
#: Calls within what is made here are as direct as in a program that the library is linked to.
_FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-Wl,--no-as-needed")


@dataclass(frozen=True)
class BuiltLibrary:
    """A library in the folder that it was written to, and what was built of it there.

    ``prefix``: what its public names begin with.
    """

    folder: Path
    prefix: str
    archive: Path

    def has(self, cipher: type[Cipher]) -> bool:
        """Whether the cipher is in it."""
        return (self.folder / "include" / f"{self.stem(cipher)}.h").is_file()

    def stem(self, cipher: type[Cipher]) -> str:
        """What the names of a cipher's functions begin with."""
        return f"{self.prefix}_{c_name(cipher.name())}"


def built_in(place: Path) -> BuiltLibrary:
    """The library that was built in a folder. Raises FolderError."""
    if not (place / folder.MARK).is_file():
        raise FolderError(f"{place} is no exported library; accepted: a folder that --layout library wrote")
    archives = sorted((place / _BUILD).glob("lib*.a"))
    names = [archive.stem.removeprefix("lib") for archive in archives]
    found = [(n, a) for n, a in zip(names, archives, strict=True) if (place / "include" / f"{n}.h").is_file()]
    if not found:
        raise FolderError(f"{place} was not built: no {_BUILD}/lib*.a; accepted: after `make -C {place}`")
    return BuiltLibrary(place, *found[0])


class Functions:
    """One operation of a cipher in a library, for keys of one length.

    Raises UnknownNameError where the library has not the cipher, CompilerError.
    """

    def __init__(self, library: BuiltLibrary, cipher: type[Cipher], operation: str, key_bits: int) -> None:
        self.library, self.cipher, self.operation, self.key_bits = library, cipher, operation, key_bits
        if not library.has(cipher):
            raise UnknownNameError(f"{library.folder} has no {cipher.name()}")
        self.stem = library.stem(cipher)

    def open(self, key: bytes) -> Buffer:
        """A key context. Raises KeyLengthError where the library has no keys of that length."""
        context = Buffer(ctypes.c_size_t.in_dll(self._code, f"{self.stem}_{self.operation}_key_bytes").value)
        set_key = self._code[self._set_key]
        if set_key(ctypes.c_void_p(context.address), key, ctypes.c_size_t(len(key))):
            raise KeyLengthError(
                f"{self.library.folder}: {self.cipher.name()} has no {8 * len(key)}-bit keys"
            )
        return context

    def programs(self, context: Buffer) -> str:
        """The level and the schedules of what serves a key."""
        told = self._code[f"{self.library.prefix}_programs"]
        told.restype = ctypes.c_char_p
        found: bytes = told(ctypes.c_void_p(context.address))
        return found.decode()

    def address(self, mode: str) -> int:
        """The address of the public function of a mode."""
        names = {"ecb": f"{self.operation}_blocks", "ctr": "ctr", "cbc": f"cbc_{self.operation}"}
        return self._address(f"{self.stem}_{names[mode]}")

    @property
    def setup_address(self) -> int:
        """The address of what sets a key for messages of so many bytes; a stream cipher's, of any length."""
        return self._address(self._set_key if self.cipher.stateful else f"{self._set_key}_for")

    @property
    def _set_key(self) -> str:
        return f"{self.stem}_set_{self.operation}_key"

    def _address(self, name: str) -> int:
        try:
            return ctypes.cast(self._code[name], ctypes.c_void_p).value or 0
        except AttributeError:
            raise UnknownNameError(f"{self.library.folder} has no function {name}") from None

    @cached_property
    def _code(self) -> ctypes.CDLL:
        return loaded(self._made())

    def _made(self) -> Path:
        text = f'#include "{self.stem}.h"\n'
        archive = self.library.archive.resolve()
        wanted = f"-Wl,-u,{self._set_key}"  # its file of the archive, which has the other functions, too
        options = (*_FLAGS, wanted, f"-I{self.library.folder.resolve() / 'include'}")
        told = archive.stat()
        about = "\0".join([text, *options, f"{archive} {told.st_size} {told.st_mtime_ns}"])
        digest = hashlib.sha256(about.encode()).hexdigest()[:24]

        def make(entry: Path) -> None:
            source = entry / "called.c"
            source.write_text(text, "utf-8")
            command = [*compiler.command(), *options, "-o", str(entry / _MADE), str(source)]
            compiler.invoke([*command, str(archive)])

        return keep(f"exported-{digest}", make) / _MADE
