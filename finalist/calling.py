"""Quick calls from Python: a function in C that takes and makes Python's objects itself.

`Caller` is what that function knows of a cipher object; it has the same fields in ``calling.c``. Where the
function can't be had, a `Caller` is just these fields.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from finalist.errors import CompilerError
from finalist.toolchain.compiler import build_shared_library, command

#: As many functions, for messages of different lengths, as a caller may have.
MOST_RUNGS = 8
ENDLESS = 1 << 62
_METH_FASTCALL = 0x80

#: Data and output (or None) to the result, or NotImplemented where the long way has to be taken.
Quick = Callable[[Any, Any], Any]


def slowly(data: Any, output: Any) -> Any:
    """A `Quick` that never is."""
    return NotImplemented


class _Rung(ctypes.Structure):
    _fields_ = (("least", ctypes.c_uint64), ("function", ctypes.c_void_p), ("key", ctypes.c_void_p))


class Caller(ctypes.Structure):
    """What is known of a cipher object that calls can be made for; see the fields' comments in calling.c."""

    _fields_ = (
        ("none", ctypes.c_void_p),
        ("slow", ctypes.c_void_p),
        ("block", ctypes.c_uint64),
        ("unit", ctypes.c_uint64),
        ("free", ctypes.c_uint64),
        ("left", ctypes.c_uint64),
        ("alone", ctypes.c_uint64),
        ("waits", ctypes.c_uint64),
        ("busy", ctypes.c_uint64),
        ("state", ctypes.c_void_p),
        ("parted", ctypes.c_void_p),
        ("way", ctypes.c_void_p),
        ("rungs", ctypes.c_uint64),
        ("rung", _Rung * MOST_RUNGS),
    )

    rungs: int
    free: int
    left: int
    waits: int
    busy: int

    def serve(self, place: int, least: int, function: int, key: int) -> None:
        """From so many blocks on, call a function (an address; 0: none) with a key."""
        self.rung[place] = _Rung(least, function, key)


def caller() -> tuple[Caller, bytearray]:
    """A caller, and the memory that it lies in."""
    memory = bytearray(ctypes.sizeof(Caller))
    made = Caller.from_buffer(memory)
    made.none, made.slow, made.free = id(None), id(NotImplemented), ENDLESS
    return made, memory


def quick(memory: bytearray, keep: object) -> Quick:
    """The function of a caller; ``keep`` lives as long as it."""
    method = _method()
    return slowly if method is None else _new_function(ctypes.addressof(method), memory, keep)


class _Method(ctypes.Structure):
    """PyMethodDef of Python's C interface."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


def _method() -> _Method | None:
    """The function in C, as Python wants it described; None where there is no compiler, or another Python."""
    if sys.implementation.name != "cpython":
        return None
    try:
        return _compiled(command())
    except (CompilerError, OSError):
        return None


@lru_cache(maxsize=4)
def _compiled(compiler: tuple[str, ...]) -> _Method:
    source = Path(__file__).with_name("calling.c").read_text("utf-8")
    library = ctypes.PyDLL(str(build_shared_library(source, name="calling", flags=("-O2",))))
    address = ctypes.cast(library.finalist_call, ctypes.c_void_p).value
    return _Method(b"crypt", address, _METH_FASTCALL, None)


_new_function: Any = ctypes.pythonapi.PyCFunction_NewEx if sys.implementation.name == "cpython" else None
if _new_function is not None:
    _new_function.restype = ctypes.py_object
    _new_function.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
