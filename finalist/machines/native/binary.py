"""A compiled program in this process: expanding keys, calling the kernel, handing out its addresses.

Nothing here knows how it was compiled, and to import it takes no time: what was compiled in an earlier
process is loaded from the disk and called.
"""

from __future__ import annotations

import ctypes
import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from finalist.errors import DataError, KeyLengthError, UnknownNameError
from finalist.machines.base import Run, Shown, bytes_of
from finalist.machines.native.memory import Buffer, new_bytes
from finalist.machines.native.text.names import c_name
from finalist.schedule import Schedule

#: The command of a text's head that compiles it, up to the file.
_COMPILED = re.compile(r"(?<=\n)( \*   cc .* -c )\S+\.c(?=\n)")


class NativeKey(Buffer):
    """An expanded key; valid for the program that made it."""


class Binary(Shown, ABC):
    """One operation of a cipher as compiled code, with a function for each of ``modes``.

    ``possible_modes``: those that `in_modes` gives programs for. ``timing``: whether its time depends on
    secrets. ``smallest_call``: blocks that its smallest kernel works on. ``key_form``: that of its expanded
    key; programs of the same one expand a key to the same, bit for bit.
    """

    cipher: str
    operation: str
    key_bits: int
    block_bytes: int
    smallest_call: int
    key_form: str
    stateful: bool
    schedule: Schedule
    modes: tuple[str, ...]
    possible_modes: tuple[str, ...]

    def __init__(self) -> None:
        self._library: ctypes.CDLL | None = None
        self._functions: dict[str, Any] = {}

    @property
    @abstractmethod
    def text(self) -> str:
        """The C source."""

    def saved_as(self, file: str) -> str:
        """The source for a file of this name, which the command in its head compiles."""
        return _COMPILED.sub(lambda found: found[1] + shlex.quote(file), self.text, count=1)

    @property
    @abstractmethod
    def timing(self) -> str:
        """Whether its time depends on secrets: the worse label of key schedule and kernel."""

    @abstractmethod
    def in_modes(self, *modes: str) -> Binary:
        """The same program with functions for these modes.

        An expanded key of one serves the other. Raises UnknownNameError or ScheduleError.
        """

    # -- the compiled library -------------------------------------------------------------------

    @abstractmethod
    def load(self) -> ctypes.CDLL:
        """Load the library into this process. Raises CompilerError or CacheError, or ScheduleError for
        instructions that this CPU does not have."""

    @property
    def library(self) -> ctypes.CDLL:
        """The loaded library."""
        if self._library is None:
            self._library = self.load()
        return self._library

    def function_address(self, what: str) -> int:
        """The address of ``expand``, or of the function of a mode, as `function` has it."""
        return ctypes.cast(self.function(what), ctypes.c_void_p).value or 0

    def function(self, what: str) -> Any:
        """``expand``, or a mode's function, by its name without the cipher's, ready to be called.

        encrypt, decrypt: expanded key, input, output, blocks; ctr: expanded key, counter, input, output,
        bytes; cbc_encrypt, cbc_decrypt: expanded key, initial block, input, output, blocks; cfb_encrypt,
        cfb_decrypt (also cfb8_, cfb16_...), ofb: expanded key, initial block, input, output, bytes. Memory
        is given as an address, a bytes object or an array of ctypes. Raises UnknownNameError.
        """
        if what not in self._functions:
            found = self.raw_function(what)
            pointers = 2 if what == "expand" else 3 if what == self.operation else 4
            numbers = () if what == "expand" else (ctypes.c_size_t,)
            found.argtypes = (*[ctypes.c_void_p] * pointers, *numbers)
            self._functions[what] = found
        return self._functions[what]

    def raw_function(self, what: str) -> Any:
        """As `function`, but quicker to call, with arguments that ctypes need not convert.

        Memory is a bytes object, an array of ctypes or a c_void_p, a number a c_size_t.
        """
        try:
            found = self.library[self.function_name("expand_key" if what == "expand" else what)]
        except AttributeError:
            had = f"this program is for mode {', '.join(self.modes)}"
            raise UnknownNameError(f"unknown function {what!r}: {had}; see in_modes") from None
        found.restype = None
        return found

    def function_name(self, what: str) -> str:
        """The C name of ``expand_key``, the program's operation, or ``cbc_encrypt``."""
        return f"{c_name(self.cipher)}_{what}"

    @property
    def key_struct_bytes(self) -> int:
        """Bytes of the expanded key."""
        return ctypes.c_size_t.in_dll(self.library, f"{c_name(self.cipher)}_key_bytes").value

    # -- running --------------------------------------------------------------------------------

    def expand(self, key: bytes) -> NativeKey:
        """The key schedule on ``key``. Raises KeyLengthError."""
        if len(key) * 8 != self.key_bits:
            raise KeyLengthError(f"key of {len(key)} bytes; this program takes {self.key_bits // 8}")
        expanded = NativeKey(self.key_struct_bytes)
        self.function("expand")(bytes(key), expanded.address)
        return expanded

    def crypt(self, key: NativeKey, data: bytes) -> bytes:
        """The operation on whole blocks under an expanded key. Raises DataError."""
        out: bytes = new_bytes(None, len(data))
        self.function(self.operation)(key.address, bytes(data), out, self._blocks(data))
        return out

    def crypt_at(self, key: NativeKey, source: int, target: int, blocks: int) -> None:
        """The operation from one address to another; the caller answers for both."""
        self.function(self.operation)(key.address, source, target, blocks)

    def crypt_in_place(self, key: bytes, data: bytes, offset: int = 0) -> bytes:
        """Whole blocks, worked on where they lie, ``offset`` bytes past a cache line's start."""
        memory = Buffer(offset + len(data))
        place = memory.address + offset
        ctypes.memmove(place, data, len(data))
        self.crypt_at(self.expand(key), place, place, len(data) // self.block_bytes)
        return ctypes.string_at(place, len(data))

    def one_block(self, key: bytes) -> Callable[[bytes], bytes]:
        """The operation on one block under ``key``, as a function that is quick to call."""
        expanded, memory = self.expand(key), (ctypes.c_char * self.block_bytes)()
        call, place = self.function(self.operation), ctypes.addressof(memory)

        def crypt(block: bytes) -> bytes:
            call(expanded.address, block, place, 1)
            return memory.raw

        return crypt

    def ctr(self, key: NativeKey, counter: bytes, data: bytes) -> tuple[bytes, bytes]:
        """Counter mode from a counter block; also the counter after it. Raises ScheduleError or DataError."""
        return self._in_mode("ctr", "ctr", key, counter, data, len(data))

    def cbc(self, key: NativeKey, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
        """Cipher block chaining; also the last ciphertext block. Raises ScheduleError or DataError.

        Encryption is for programs of one block a call.
        """
        return self._in_mode("cbc", f"cbc_{self.operation}", key, iv, data, self._blocks(data))

    def cfb_encrypt(
        self, key: NativeKey, iv: bytes, data: bytes, segment_bits: int | None = None
    ) -> tuple[bytes, bytes]:
        """Cipher feedback, by default of whole blocks; also the shift register after it.

        For programs of one block a call. Raises UnknownNameError, ScheduleError or DataError.
        """
        mode = self._feedback(segment_bits)
        return self._in_mode(mode, f"{mode}_encrypt", key, iv, data, len(data))

    def cfb_decrypt(
        self, key: NativeKey, iv: bytes, data: bytes, segment_bits: int | None = None
    ) -> tuple[bytes, bytes]:
        """Cipher feedback undone, many blocks at a time; for programs that encrypt. As `cfb_encrypt`."""
        mode = self._feedback(segment_bits)
        return self._in_mode(mode, f"{mode}_decrypt", key, iv, data, len(data))

    def _feedback(self, segment_bits: int | None) -> str:
        return f"cfb{'' if segment_bits in (None, 8 * self.block_bytes) else segment_bits}"

    def ofb(self, key: NativeKey, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
        """Output feedback, both ways; also the last block of key stream. Raises ScheduleError or DataError.

        For programs of one block a call.
        """
        return self._in_mode("ofb", "ofb", key, iv, data, len(data))

    def _in_mode(
        self, mode: str, function: str, key: NativeKey, first: bytes, data: bytes, count: int
    ) -> tuple[bytes, bytes]:
        if len(first) != self.block_bytes:
            raise DataError(f"first block of {len(first)} bytes; accepted: {self.block_bytes}")
        program = self if mode in self.modes else self.in_modes(mode)
        state, out = ctypes.create_string_buffer(bytes(first), len(first)), new_bytes(None, len(data))
        program.function(function)(key.address, state, bytes(data), out, count)
        return out, state.raw

    def _blocks(self, data: bytes) -> int:
        blocks, rest = divmod(len(data), self.block_bytes)
        if rest:
            raise DataError(f"data of {len(data)} bytes; accepted: a multiple of {self.block_bytes}")
        return blocks

    def run(self, key: bytes, data: bytes) -> Run:
        """Set up ``key`` and work on ``data``. Raises KeyLengthError or DataError."""
        key, data = bytes_of(key, "key"), bytes_of(data, "data")
        return Run(self.crypt(self.expand(key), data))

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        """Each block under its own key."""
        if self.stateful:  # a stream leaves another key behind
            return [self.run(key, block).output for key, block in zip(keys, blocks, strict=True)]
        expanded = {key: self.expand(key) for key in dict.fromkeys(keys)}
        return [self.crypt(expanded[key], block) for key, block in zip(keys, blocks, strict=True)]
