"""Modes of operation by the reference interpreter, where no compiler is: thousands of times slower."""

from __future__ import annotations

from typing import Any

from finalist import api
from finalist.engine.memory import read, write, xor
from finalist.engine.work import Call
from finalist.target import Target


class Interpreted:
    """By the reference: the same functions, thousands of times slower."""

    def __init__(self, target: Target, key: bytes, mode: str, operation: str) -> None:
        self._key, self._size, self._operation = key, target.block_bytes, operation
        self._program = api.compile(target.definition, "interpreter", operation, len(key) * 8)
        self._done = 0
        functions = {"ecb": self._ecb, "ctr": self._ctr, "cbc": getattr(self, f"_cbc_{operation}")}
        function = self._stream if target.stateful else functions[mode]
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

    def _ctr(self, _: None, state: Any, source: Any, target: Any, count: Any) -> None:
        first, limit = int.from_bytes(read(state, self._size), "big"), 1 << 8 * self._size
        after = first + -(-count.value // self._size)
        counters = (number % limit for number in range(first, after))
        stream = self._run(b"".join(number.to_bytes(self._size, "big") for number in counters))
        write(target, xor(read(source, count.value), stream[: count.value]))
        write(state, (after % limit).to_bytes(self._size, "big"))

    def _cbc_encrypt(self, _: None, state: Any, source: Any, target: Any, blocks: Any) -> None:
        last, data, done = read(state, self._size), read(source, blocks.value * self._size), []
        for start in range(0, len(data), self._size):
            last = self._run(xor(last, data[start : start + self._size]))
            done.append(last)
        write(target, b"".join(done))
        write(state, last)

    def _cbc_decrypt(self, _: None, state: Any, source: Any, target: Any, blocks: Any) -> None:
        chain = read(state, self._size) + read(source, blocks.value * self._size)
        write(target, xor(self._run(chain[self._size :]), chain[: -self._size]))
        write(state, chain[-self._size :])
