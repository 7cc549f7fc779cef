"""Quick calls from Python: functions in C that take and make Python's objects themselves.

A `Plan` is what they know of a cipher in a mode whatever the key, a `Caller` what they know of one object;
both have the same fields in ``calling.c``.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from finalist.errors import CompilerError
from finalist.toolchain.compiler import build_shared_library, command

#: As many programs, for messages of different lengths, as a plan may have.
MOST_RUNGS = 8
ENDLESS = 1 << 62
_METH_FASTCALL = 0x80

#: Data and output (or None) to the result, or NotImplemented where the long way has to be taken.
Quick: TypeAlias = Callable[[Any, Any], Any]
#: Key, the state that the mode begins with (none: empty) and how many blocks are free, to a `Quick`.
Open: TypeAlias = Callable[[bytes, bytes, int], Quick]
#: What a `Quick` does in the end: the address of its caller, then from address to address so many bytes.
Apply: TypeAlias = Callable[[int, int, int, int], object]


def slowly(data: Any, output: Any) -> Any:
    """A `Quick` that never is."""
    return NotImplemented


class _Rung(ctypes.Structure):
    _fields_ = (
        ("least", ctypes.c_uint64),
        ("pays", ctypes.c_uint64),
        ("function", ctypes.c_void_p),
        ("expand", ctypes.c_void_p),
        ("key_bytes", ctypes.c_uint64),
        ("whole", ctypes.c_uint64),
        ("rest", ctypes.c_uint64),
        ("fresh", ctypes.c_uint64),
    )


class Plan(ctypes.Structure):
    """What is the same for all keys; see the fields' comments in calling.c."""

    _fields_ = (
        ("none", ctypes.c_void_p),
        ("slow", ctypes.c_void_p),
        ("block", ctypes.c_uint64),
        ("unit", ctypes.c_uint64),
        ("alone", ctypes.c_uint64),
        ("one_key", ctypes.c_uint64),
        ("rungs", ctypes.c_uint64),
        ("rung", _Rung * MOST_RUNGS),
    )

    rungs: int

    def serve(
        self,
        place: int,
        least: int,
        pays: int,
        function: int,
        expand: int,
        key_bytes: int,
        *,
        rests: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        """From ``least`` blocks on, once ``pays`` have come, call a function (an address; 0: none yet).

        ``expand`` is the address of its key set-up, ``key_bytes`` the size of what that makes. ``rests``:
        blocks of its smallest call, and under how many blocks beyond such calls a program before it does
        them sooner; the same where the key is to be set up for that one.
        """
        # At once: other threads read it meanwhile.
        self.rung[place] = _Rung(least, pays, function, expand, key_bytes, *rests)
        self.rungs = max(self.rungs, place + 1)


class Caller(ctypes.Structure):
    """What belongs to one object; see the fields' comments in calling.c."""

    _fields_ = (
        ("plan", ctypes.c_void_p),
        ("free", ctypes.c_uint64),
        ("left", ctypes.c_uint64),
        ("waits", ctypes.c_uint64),
        ("busy", ctypes.c_uint64),
        ("state", ctypes.c_void_p),
        ("key", ctypes.c_void_p),
        ("parted", ctypes.c_void_p),
        ("way", ctypes.c_void_p),
        ("seen", ctypes.c_uint64 * MOST_RUNGS),
        ("memory", ctypes.c_void_p * MOST_RUNGS),
    )

    free: int
    left: int
    waits: int
    busy: int
    state: int | None
    parted: int | None
    way: int | None


def plan(block: int, unit: int, alone: bool, one_key: bool = False) -> tuple[Plan, Open, Apply]:
    """A plan without programs, what opens a caller by it, which keeps it alive, and what serves such callers.

    ``alone``: whether a call changes what the next begins with; ``one_key``: whether all programs work on one
    expanded key. Raises CompilerError where the functions can't be had.
    """
    library, memory = _library(), bytearray(ctypes.sizeof(Plan))
    made = Plan.from_buffer(memory)
    made.none, made.slow = id(None), id(NotImplemented)
    made.block, made.unit, made.alone, made.one_key = block, unit, alone, one_key
    opener: Open = _new_function(ctypes.addressof(library.open), memory, None)
    return made, opener, library.work


def caller(quick: Quick) -> Caller:
    """The caller of a function; valid as long as that one lives."""
    address = _pointer(quick.__self__, None)  # type: ignore[attr-defined]  # as all builtin functions have
    return Caller.from_address(address)


class _Method(ctypes.Structure):
    """PyMethodDef of Python's C interface."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


class _Library:
    """The compiled file; ``open`` as Python wants it described."""

    def __init__(self, compiler: tuple[str, ...]) -> None:
        source = Path(__file__).with_name("calling.c").read_text("utf-8")
        library = ctypes.PyDLL(str(build_shared_library(source, name="calling", flags=("-O2",))))
        opener = ctypes.cast(library.finalist_open, ctypes.c_void_p).value
        self.open = _Method(b"open", opener, _METH_FASTCALL, None)
        self.work = library.finalist_work
        self.work.argtypes = (*[ctypes.c_void_p] * 3, ctypes.c_uint64)


def _library() -> _Library:
    """Raises CompilerError where there is no compiler, or another Python."""
    if sys.implementation.name != "cpython":
        raise CompilerError(f"quick calls are for CPython; this is {sys.implementation.name}")
    return _compiled(command())


@lru_cache(maxsize=4)
def _compiled(compiler: tuple[str, ...]) -> _Library:
    try:
        return _Library(compiler)
    except OSError as error:
        raise CompilerError(f"calling.c can't be loaded: {error}") from error


def _of_python(name: str, result: Any, *arguments: Any) -> Any:
    """A function of Python's C interface."""
    if sys.implementation.name != "cpython":
        return None
    found = getattr(ctypes.pythonapi, name)
    found.restype, found.argtypes = result, arguments
    return found


_new_function = _of_python(
    "PyCFunction_NewEx", ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object
)
_pointer = _of_python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
