"""Programs that an earlier process has compiled: what is noted of one, and one made of that."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

from finalist.machines.native.binary import Binary
from finalist.schedule import parsed

#: What a note has of a program as it is.
_FIELDS = ("cipher", "operation", "key_bits", "block_bytes", "smallest_call", "key_form", "stateful")


def described(program: Binary, library: Path) -> dict[str, Any]:
    """What is noted of a program whose library lies in an entry of the cache."""
    told = {name: getattr(program, name) for name in _FIELDS}
    told["timing"] = program.timing
    told |= {"modes": program.modes, "possible_modes": program.possible_modes}
    return told | {"schedule": str(program.schedule), "entry": library.parent.name, "library": library.name}


class StoredProgram(Binary):
    """A program by what was noted of it. ``others`` gives the same program in other modes."""

    def __init__(
        self, told: dict[str, Any], library: Path, others: Callable[[tuple[str, ...]], Binary]
    ) -> None:
        super().__init__()
        for name in _FIELDS:
            setattr(self, name, told[name])
        self._timing: str = told["timing"]
        self.modes, self.possible_modes = tuple(told["modes"]), tuple(told["possible_modes"])
        self.schedule = parsed(told["schedule"])
        self._path, self._in_modes = library, others

    @property
    def timing(self) -> str:
        return self._timing

    @property
    def text(self) -> str:
        """The C source."""
        return self._path.with_suffix(".c").read_text("utf-8")

    def in_modes(self, *modes: str) -> Binary:
        return self if modes == self.modes else self._in_modes(modes)

    def load(self) -> ctypes.CDLL:
        return ctypes.CDLL(str(self._path))
