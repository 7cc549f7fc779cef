"""What all cipher objects have in common; and those without a state of their own: ECB, and stream ciphers."""

from __future__ import annotations

import ctypes
import threading
import time
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, overload

from finalist import calling, engine, notebook
from finalist.engine import parts
from finalist.engine.parts import Begins
from finalist.errors import DataError, UsageError
from finalist.machines.base import BYTES_LIKE, IN_ONE_PIECE
from finalist.machines.native.memory import Held, new_bytes
from finalist.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Buffer

#: What data, keys and the like may be: NumPy says of its arrays that they are buffers from Python 3.12 on.
BytesLike: TypeAlias = "Buffer | NDArray[Any]"

#: Seconds between two looks at whether another thread's call is done.
_PAUSE = 20e-6


class BlockCipher:
    """A cipher with one key in one mode; ``block_size`` and ``key_size`` in bytes, ``mode`` a MODE_ number.

    As in PyCryptodome an object of any mode but ECB works in one direction only: the first call decides.
    Several threads may use one object: calls that go on from each other take turns.
    """

    mode = 0
    #: Whether calls change what the next begins with.
    _alone = True
    #: Bytes that data must be a multiple of.
    _unit = 1

    def __init__(self, target: Target, key: bytes, threads: int = 1) -> None:
        self._target = target
        self._key = key
        self._threads = threads
        self._direction = ""
        self.block_size: int = target.block_bytes
        self.key_size = len(key)
        #: Bytes that one call of the cipher is spent on.
        self._step = self.block_size
        self._work: engine.Work | None = None
        #: Where several threads may work on a message: how, and the function that has them do it.
        self._way: parts.Way | None = None
        self._in_parts: Any = None
        #: What quick calls need to know, and where it is kept.
        self._caller, self._caller_memory = calling.caller()
        self._caller.alone = self._alone
        self._turn = threading.RLock()
        self._quick_encrypt = self._quick_decrypt = calling.slowly
        #: What a function works on beside its input and output: the mode's state.
        self._state: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        values = (f", {name}: {value}" for name, value in self._values().items())
        return f"<{self._target.name} {type(self).__name__} object{''.join(values)}>"

    def _repr_html_(self) -> str:
        return notebook.table(f"{self._target.name} {type(self).__name__} object", self._values())

    def _values(self) -> dict[str, object]:
        """What there is to say of an object that is no secret."""
        used = {"used to": self._direction} if self._direction else {}
        return {"key": f"{8 * self.key_size} bits", **self._own(), **self._several(), **used}

    def _several(self) -> dict[str, object]:
        return {"threads": self._threads} if self._threads > 1 else {}

    def _own(self) -> dict[str, object]:
        """The same of the mode."""
        return {}

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be copied or pickled: two objects would go on from one state, and files hold the key."""
        raise UsageError(
            f"{type(self).__name__} objects can't be copied or pickled; accepted: another finalist.new"
        )

    @overload
    def encrypt(self, plaintext: BytesLike, output: None = None) -> bytes: ...
    @overload
    def encrypt(self, plaintext: BytesLike, output: BytesLike) -> None: ...
    def encrypt(self, plaintext: BytesLike, output: BytesLike | None = None) -> bytes | None:
        """The ciphertext; may be called again with the message's next part.

        With ``output`` it is written there, and nothing returned: as many bytes, in other memory than the
        plaintext's, or in the same.
        """
        done: bytes | None = self._quick_encrypt(plaintext, output)
        return self._crypt("encrypt", plaintext, output) if done is NotImplemented else done

    @overload
    def decrypt(self, ciphertext: BytesLike, output: None = None) -> bytes: ...
    @overload
    def decrypt(self, ciphertext: BytesLike, output: BytesLike) -> None: ...
    def decrypt(self, ciphertext: BytesLike, output: BytesLike | None = None) -> bytes | None:
        """The plaintext; may be called again with the message's next part. ``output``: as for `encrypt`."""
        done: bytes | None = self._quick_decrypt(ciphertext, output)
        return self._crypt("decrypt", ciphertext, output) if done is NotImplemented else done

    def _crypt(self, direction: str, data: Any, output: Any) -> bytes | None:
        """Any case there is."""
        made: bytes | None = None
        with held(data, "plaintext" if direction == "encrypt" else "ciphertext") as source:
            if output is None:
                output = made = new_bytes(None, source.size)
            given = Held(output) if made is not None else _writable(output, source)
            with given as target, self._turn:
                self._in_turn(direction, source, target)
        return made

    def _in_turn(self, direction: str, source: Held, target: Held) -> None:
        """Work, after the quick call that is under way; none begins meanwhile."""
        self._caller.waits = 1
        try:
            while self._alone and self._caller.busy:
                time.sleep(_PAUSE)
            self._begin(direction, source.size)
            if source.size:
                self._transform(source.address, target.address, source.size)
        finally:
            self._caller.waits = 0

    def _begin(self, direction: str, size: int) -> None:
        """Refuse, or decide for, a direction."""
        if direction != self._direction and self._direction:
            raise UsageError(f"{direction}() after {self._direction}(); accepted: one direction an object")
        self._check(size)
        self._direction = direction

    def _check(self, size: int) -> None:
        if size % self._unit:
            raise DataError(f"data of {size} bytes; accepted: a multiple of {self._unit}")

    def _transform(self, source: int, target: int, size: int) -> None:
        """Work on at least one byte, from address to address."""
        self._apply(source, target, size)

    def _task(self) -> tuple[str, str]:
        """Mode and operation, as `finalist.engine` knows them."""
        return "ecb", self._direction

    def _begins(self) -> Begins | None:
        """What a part of a message begins with; None where each block waits for the one before."""
        return None

    def _apply(self, source: int, target: int, size: int) -> None:
        if self._work is None:
            self._work = engine.work(self._target, self._key, *self._task())
            self._hasten()
        function, key = self._work.call(-(-size // self._step))
        places = ctypes.c_void_p(source), ctypes.c_void_p(target)
        if self._way is None:
            function(key, *self._state, *places, ctypes.c_size_t(size // self._unit))
        else:
            state = self._state[0] if self._state else None
            self._in_parts(ctypes.byref(self._way), function, key, state, *places, ctypes.c_uint64(size))
        self._tell_caller()

    def _hasten(self) -> None:
        """Have later calls in this direction made by C, and by several threads where they may be."""
        c = self._caller
        begins = self._begins()
        if self._threads > 1 and begins is not None and isinstance(self._work, engine.Compiled):
            self._in_parts = parts.function()
        if begins is not None and self._in_parts is not None:
            self._way = parts.way(begins, self.block_size, self._step, self._unit, self._threads)
            c.way, c.parted = ctypes.addressof(self._way), ctypes.cast(self._in_parts, ctypes.c_void_p).value
        c.block, c.unit = self._step, self._unit
        c.state = ctypes.addressof(self._state[0]) if self._state else None
        function = calling.quick(self._caller_memory, (self._work, self._state, self._way))
        setattr(self, f"_quick_{self._direction}", function)

    def _tell_caller(self) -> None:
        """Which functions there are by now."""
        assert self._work is not None
        rungs = self._work.rungs()
        self._caller.rungs = len(rungs)
        for place, (least, call) in enumerate(rungs):
            if call is not None:
                function = ctypes.cast(call[0], ctypes.c_void_p).value  # type: ignore[arg-type]  # a function of C
                self._caller.serve(place, least, function or 0, call[1].value)
            else:
                self._caller.serve(place, least, 0, 0)


def held(data: Any, argument: str) -> Held:
    """The memory of what was given. Raises UsageError."""
    try:
        return Held(data)
    except TypeError as error:
        raise UsageError(f"{argument} is {type(data).__name__}; {BYTES_LIKE}") from error
    except (BufferError, ValueError) as error:
        raise UsageError(f"{argument}: {error}; {IN_ONE_PIECE}") from error


def _writable(output: Any, source: Held) -> Held:
    """The memory to write to. Raises UsageError or DataError."""
    try:
        target = Held(output, writable=True)
    except TypeError as error:
        accepted = "bytearray, memoryview or another object with memory that can be written"
        raise UsageError(f"output is {type(output).__name__}; accepted: {accepted}") from error
    except (BufferError, ValueError) as error:
        raise UsageError(f"output: {error}; accepted: writable memory in one piece") from error
    apart = abs(target.address - source.address)
    if target.size == source.size and (not apart or apart >= source.size):
        return target
    with target:
        if target.size != source.size:
            raise DataError(f"output of {target.size} bytes; accepted: {source.size}, as many as the data")
        raise DataError("output overlaps the data; accepted: the same memory, or other memory")


class ECB(BlockCipher):
    """Electronic codebook: each block by itself. An object encrypts and decrypts."""

    mode = 1
    _alone = False

    def __init__(self, target: Target, key: bytes, threads: int = 1) -> None:
        super().__init__(target, key, threads)
        self._unit = self.block_size
        #: What works in the other direction than the first call.
        self._other: ECB | None = None

    def _values(self) -> dict[str, object]:
        return {"key": f"{8 * self.key_size} bits", **self._several()}  # and used to either

    def _begins(self) -> Begins:
        return Begins.NOTHING

    def _crypt(self, direction: str, data: Any, output: Any) -> bytes | None:
        if self._direction in ("", direction):
            return super()._crypt(direction, data, output)
        with self._turn:
            self._other = self._other or ECB(self._target, self._key, self._threads)
        made = self._other._crypt(direction, data, output)
        quick = f"_quick_{direction}"
        setattr(self, quick, getattr(self._other, quick))
        return made


class Stream(BlockCipher):
    """A stream cipher: any number of bytes, each under the state that those before it left."""
