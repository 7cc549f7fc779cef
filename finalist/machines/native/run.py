"""A compiled program in this process: expanding keys, calling the kernel, handing out its addresses."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

from finalist.errors import DataError, KeyLengthError, ScheduleError
from finalist.ir.program import Program
from finalist.machines.base import Run
from finalist.machines.native.bound import Work
from finalist.machines.native.compiler import build_shared_library, vector_bits
from finalist.machines.native.names import c_name
from finalist.passes.timing import timing
from finalist.schedule import Schedule

_ALIGNMENT = 64


class Buffer:
    """Memory for C, aligned to a cache line."""

    def __init__(self, size: int) -> None:
        self._memory = ctypes.create_string_buffer(size + _ALIGNMENT)
        self.size = size
        self.address = -(-ctypes.addressof(self._memory) // _ALIGNMENT) * _ALIGNMENT

    def write(self, data: bytes) -> None:
        """Copy ``data`` to the start."""
        ctypes.memmove(self.address, data, len(data))

    def read(self, size: int | None = None) -> bytes:
        """The first ``size`` bytes, or all."""
        return ctypes.string_at(self.address, self.size if size is None else size)


class NativeKey(Buffer):
    """An expanded key; valid for the program that made it."""


class NativeProgram:
    """One operation as compiled C. ``text`` is the source; the same text runs."""

    def __init__(
        self,
        program: Program,
        schedule: Schedule,
        text: str,
        block_bytes: int,
        flags: tuple[str, ...] = (),
        work: Work | None = None,
    ) -> None:
        self.program = program
        self.cipher = program.cipher
        self.operation = program.operation
        self.key_bits = program.key_bits
        self.block_bytes = block_bytes
        self.stateful = program.stateful
        self.schedule = schedule
        self.text = text
        self.flags = flags
        #: What a byte takes at the very least.
        self.work = work
        self._library: ctypes.CDLL | None = None

    @property
    def timing(self) -> str:
        """Whether its time depends on secrets; see `finalist.passes.timing`."""
        return timing(self.program)

    # -- the compiled library -------------------------------------------------------------------

    def build(self) -> Path:
        """Compile, or find compiled, the shared library.

        Raises ScheduleError for vectors that this CPU does not have: the text is good, but not here.
        """
        width, most = self.schedule.width or 1, vector_bits()
        if width > max(most, 1):
            raise ScheduleError(f"width={width} can't run here: this CPU has vectors of {most} bits")
        name = f"{c_name(self.cipher)}-{self.operation}-{self.key_bits}"
        return build_shared_library(self.text, name=name, flags=self.flags)

    @property
    def library(self) -> ctypes.CDLL:
        """The loaded library."""
        if self._library is None:
            self._library = ctypes.CDLL(str(self.build()))
        return self._library

    def function_address(self, what: str) -> int:
        """The address of ``expand``, the program's operation, or ``cbc_encrypt``."""
        name = f"{c_name(self.cipher)}_{'expand_key' if what == 'expand' else what}"
        return ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value or 0

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
        call = self._function("expand")
        call(ctypes.c_char_p(bytes(key)), ctypes.c_void_p(expanded.address))
        return expanded

    def crypt(self, key: NativeKey, data: bytes) -> bytes:
        """The operation on whole blocks under an expanded key. Raises DataError."""
        if len(data) % self.block_bytes:
            raise DataError(f"data of {len(data)} bytes; accepted: a multiple of {self.block_bytes}")
        out = ctypes.create_string_buffer(len(data)) if data else ctypes.create_string_buffer(1)
        call = self._function(self.operation)
        blocks = ctypes.c_size_t(len(data) // self.block_bytes)
        call(ctypes.c_void_p(key.address), ctypes.c_char_p(bytes(data)), out, blocks)
        return out.raw[: len(data)]

    def crypt_at(self, key: NativeKey, source: int, target: int, blocks: int) -> None:
        """The operation from one address to another; the caller answers for both."""
        call = self._function(self.operation)
        arguments = (ctypes.c_void_p(a) for a in (key.address, source, target))
        call(*arguments, ctypes.c_size_t(blocks))

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
        call, one = self._function(self.operation), ctypes.c_size_t(1)

        def crypt(block: bytes) -> bytes:
            memory.raw = block
            call(ctypes.c_void_p(expanded.address), memory, memory, one)
            return memory.raw

        return crypt

    def cbc(self, key: NativeKey, iv: bytes, data: bytes) -> bytes:
        """Cipher block chaining; only programs of one block a call have it."""
        out = ctypes.create_string_buffer(max(1, len(data)))
        state = ctypes.create_string_buffer(bytes(iv), self.block_bytes)
        blocks = ctypes.c_size_t(len(data) // self.block_bytes)
        call = self._function("cbc_encrypt")
        call(ctypes.c_void_p(key.address), state, ctypes.c_char_p(bytes(data)), out, blocks)
        return out.raw[: len(data)]

    def run(self, key: bytes, data: bytes) -> Run:
        """Set up ``key`` and work on ``data``. Raises KeyLengthError or DataError."""
        return Run(self.crypt(self.expand(key), data))

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        """Each block under its own key."""
        return [self.run(key, block).output for key, block in zip(keys, blocks, strict=True)]

    def _function(self, what: str) -> ctypes._NamedFuncPointer:
        name = f"{c_name(self.cipher)}_{'expand_key' if what == 'expand' else what}"
        function: ctypes._NamedFuncPointer = getattr(self.library, name)
        function.restype = None
        return function
