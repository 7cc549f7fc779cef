"""Registers as data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

#: A register: its file, by name, and its number there.
Register = tuple[str, int]


@dataclass(frozen=True)
class RegisterFile:
    """``count`` registers of ``width`` bits, written ``prefix`` and a number; a lone one the prefix alone.

    ``zero``: the number of the register that always reads as 0, if there is one. ``status``: condition codes,
    which many instructions overwrite in passing, so that no word of a program is kept there. ``reserved``:
    the numbers of registers that have a purpose of their own, and hold no word of a program either.
    """

    prefix: str
    count: int
    width: int
    zero: int | None = None
    status: bool = False
    reserved: tuple[int, ...] = ()

    @cached_property
    def pattern(self) -> str:
        """What a register looks like in text, as a regular expression."""
        stem = f"[{self.prefix[0].upper()}{self.prefix[0].lower()}]" + re.escape(self.prefix[1:])
        return stem if self.count == 1 else stem + r"\d+"

    def written(self, number: int) -> str:
        """A register as text."""
        return self.prefix if self.count == 1 else f"{self.prefix}{number}"

    def read(self, text: str) -> int | None:
        """The number of a register from text; None where it is no register of these."""
        if not re.fullmatch(self.pattern, text):
            return None
        number = 0 if self.count == 1 else int(text[len(self.prefix) :])
        return number if number < self.count else None

    def accepted(self) -> str:
        """What registers there are, for messages."""
        return self.prefix if self.count == 1 else f"{self.prefix}0 to {self.prefix}{self.count - 1}"
