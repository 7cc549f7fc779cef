"""Finalist's own programs, as they are measured beside others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from finalist import api, engine
from finalist.language.cipher import Cipher
from finalist.measure.bench import Matched, match
from finalist.target import target
from finalist.vectors.load import vectors_of

NAME = "Finalist"


@dataclass(frozen=True)
class Ours:
    """The program that serves messages of some length; it has just reproduced its vectors."""

    program: Any
    mode: str

    @property
    def function(self) -> int:
        """The address of the mode's function."""
        return int(self.program.in_modes(self.mode).function_address(self.function_name))

    @property
    def function_name(self) -> str:
        """Its name, without the cipher's."""
        operation: str = self.program.operation
        return {"ecb": operation, "ctr": "ctr", "cbc": f"cbc_{operation}"}[self.mode]


class Programs:
    """The programs of a cipher and key length, each held to its vectors once."""

    def __init__(self, definition: type[Cipher], key_bits: int) -> None:
        self.definition, self.key_bits = definition, key_bits
        self._matched: dict[tuple[str, str, str], Matched] = {}

    def serving(self, operation: str, mode: str, data_bytes: int, chain: bool = False) -> Ours:
        """What `finalist.new` works on messages of so many bytes with. Raises VectorError.

        ``chain``: what works on one block after the other, each the result of the one before.
        """
        chained = "cbc" if chain and not self.definition.stateful else mode
        schedule = engine.schedule(target(self.definition), operation, self.key_bits, chained, data_bytes)
        name = (operation, mode, str(schedule))
        if name not in self._matched:
            program = api.compile(self.definition, "native", operation, self.key_bits, schedule)
            self._matched[name] = match(program, vectors_of(self.definition), (mode,))
        return Ours(self._matched[name].program, mode)
