"""Modes of operation by the reference interpreter, where no compiler is: thousands of times slower."""

from __future__ import annotations

from functools import partial

from finalist import api
from finalist.calling import ENDLESS
from finalist.engine.work import Slow, read, write
from finalist.machines.interpreter import modes as reference
from finalist.machines.interpreter.modes import Mode
from finalist.target import Target


class Interpreted(Slow):
    """By the reference: the same functions, thousands of times slower."""

    def __init__(
        self,
        target: Target,
        key: bytes,
        mode: str,
        operation: str,
        state: bytes = b"",
        free: int = ENDLESS,
    ) -> None:
        super().__init__(state)
        self.caller.free = free
        self._key, self._size = key, target.block_bytes
        self._program = api.compile(target.definition, "interpreter", operation, len(key) * 8)
        self._done = 0
        self._mode = None if mode == "ecb" else _reference(mode, operation)
        self._stateful = target.stateful

    def apply(self, source: int, target: int, size: int) -> None:
        """Work on so many bytes, from address to address."""
        data = read(source, size)
        if self._mode is not None:
            output, after = self._mode(self._run, read(self.state, self._size), data)
            write(self.state, after)
        else:
            output = self._streamed(data) if self._stateful else self._run(data)
        write(target, output)

    def _run(self, data: bytes) -> bytes:
        return self._program.run(self._key, data).output

    def _streamed(self, data: bytes) -> bytes:
        """A stream cipher's next part: its key stream again from the start, as it keeps no state."""
        whole = bytes(self._done) + data
        begin, self._done = self._done, len(whole)
        return self._run(whole)[begin:]


def _reference(mode: str, operation: str) -> Mode:
    """A mode by its definition."""
    if mode == "cbc":
        return reference.unchained if operation == "decrypt" else reference.chained
    if mode in ("ctr", "ofb"):
        return reference.counted if mode == "ctr" else reference.output_fed
    name, _, direction = mode.partition("_")
    function = reference.fed_back if direction == "decrypt" else reference.cipher_fed
    bits = name.removeprefix("cfb")
    return partial(function, bits=int(bits) if bits else None)
