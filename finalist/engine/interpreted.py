"""Modes of operation by the reference interpreter, where no compiler is: thousands of times slower."""

from __future__ import annotations

from functools import partial
from typing import Any

from finalist import api
from finalist.engine.memory import read, write
from finalist.engine.work import Call
from finalist.machines.interpreter import modes as reference
from finalist.machines.interpreter.modes import Mode
from finalist.target import Target


class Interpreted:
    """By the reference: the same functions, thousands of times slower."""

    def __init__(self, target: Target, key: bytes, mode: str, operation: str) -> None:
        self._key, self._size, self._operation = key, target.block_bytes, operation
        self._program = api.compile(target.definition, "interpreter", operation, len(key) * 8)
        self._done = 0
        own = self._stream if target.stateful else self._ecb
        function = own if mode == "ecb" else partial(self._in_mode, *_reference(mode, operation))
        self._call: Call = function, None

    def call(self, blocks: int) -> Call:
        """The same for messages of any length."""
        return self._call

    def rungs(self) -> list[tuple[int, Call | None]]:
        """None that C could call."""
        return [(1, None)]

    def _run(self, data: bytes) -> bytes:
        return self._program.run(self._key, data).output

    def _ecb(self, _: None, source: Any, target: Any, blocks: Any) -> None:
        write(target, self._run(read(source, blocks.value * self._size)))

    def _stream(self, _: None, source: Any, target: Any, blocks: Any) -> None:
        """A stream cipher's next part: its key stream again from the start, as it keeps no state."""
        data = bytes(self._done) + read(source, blocks.value * self._size)
        write(target, self._run(data)[self._done :])
        self._done = len(data)

    def _in_mode(
        self, mode: Mode, in_blocks: bool, _: None, state: Any, source: Any, target: Any, count: Any
    ) -> None:
        size = count.value * (self._size if in_blocks else 1)
        output, after = mode(self._run, read(state, self._size), read(source, size))
        write(target, output)
        write(state, after)


def _reference(mode: str, operation: str) -> tuple[Mode, bool]:
    """A mode by its definition, and whether its data are counted in blocks."""
    if mode == "cbc":
        return (reference.unchained if operation == "decrypt" else reference.chained), True
    if mode in ("ctr", "ofb"):
        return (reference.counted if mode == "ctr" else reference.output_fed), False
    name, _, direction = mode.partition("_")
    function = reference.fed_back if direction == "decrypt" else reference.cipher_fed
    bits = name.removeprefix("cfb")
    return partial(function, bits=int(bits) if bits else None), False
