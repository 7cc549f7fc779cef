"""Memory that C works on: aligned buffers, bytes still to be filled, what bytes-like objects hold."""

from __future__ import annotations

import ctypes
from types import TracebackType
from typing import Any

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


#: A bytes object of so many bytes whose contents are not set yet: C may write them, before anyone else
#: sees it ("Bytes Objects" in the reference of Python's C interface). Called as ``new_bytes(None, size)``.
new_bytes: Any = ctypes.pythonapi.PyBytes_FromStringAndSize
new_bytes.restype = ctypes.py_object
new_bytes.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t)


class _PyBuffer(ctypes.Structure):
    """Py_buffer of Python's C interface."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        *((name, ctypes.c_void_p) for name in ("format", "shape", "strides", "suboffsets", "internal")),
    )


_get_buffer: Any = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = (ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
_release: Any = ctypes.pythonapi.PyBuffer_Release
_release.argtypes, _release.restype = (ctypes.c_void_p,), None
_WRITABLE, _WHOLE = 1, 4 | 8  # PyBUF_WRITABLE, PyBUF_FORMAT | PyBUF_ND


class Held:
    """The contiguous memory of a bytes-like object, which can't move or shrink before `release`.

    ``address`` and ``size`` in bytes. Raises BufferError where it lies in pieces, holds references to
    objects, or is read-only but to be ``writable``, and TypeError where the object has none.
    """

    def __init__(self, owner: object, *, writable: bool = False) -> None:
        self._buffer = _PyBuffer()
        self._place = ctypes.addressof(self._buffer)
        _get_buffer(owner, self._place, _WHOLE | (_WRITABLE if writable else 0))
        if b"O" in ctypes.string_at(self._buffer.format or b""):
            _release(self._place)
            raise BufferError("its elements are references to objects")
        self.address: int = self._buffer.buf or 0
        self.size: int = self._buffer.len

    def __enter__(self) -> Held:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _release(self._place)
