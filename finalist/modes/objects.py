"""What all cipher objects have in common; and those without a state of their own: ECB, and stream ciphers."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, overload

from finalist import engine, notebook
from finalist.calling import Caller, Quick
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
    #: Whether data must be whole blocks.
    _in_blocks = False
    #: Empty until a call has decided.
    _direction = ""
    #: What serves; kept once the direction is decided.
    _work: engine.Work | None = None

    def __init__(self, target: Target, key: bytes, threads: int = 1) -> None:
        self._target = target
        self._key = key
        self._threads = threads
        self.block_size: int = target.block_bytes
        self.key_size = len(key)
        self._turn: threading.Lock | threading.RLock = threading.Lock()

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

    def _quick_encrypt(self, data: Any, output: Any, /) -> Any:
        """The first call; `Work.quick` once that has decided, without a question: such calls take a tenth of
        a microsecond."""
        return self._first("encrypt", data, output)

    def _quick_decrypt(self, data: Any, output: Any, /) -> Any:
        return self._first("decrypt", data, output)

    def _first(self, direction: str, data: Any, output: Any) -> Any:
        """The call that decides for a direction, where it needs no thought; else NotImplemented."""
        self._turn.acquire()  # in half the time of a `with`, which would be a tenth of an object's
        try:
            if self._direction:
                return NotImplemented
            work = self._shared(direction)
            done = work.quick(data, output)
            if done is not NotImplemented:
                self._decide(direction, work)
            return done
        finally:
            self._turn.release()

    def _shared(self, direction: str) -> engine.Work:
        """The same, by as many threads as are wanted."""
        work = self._opened(direction)
        if self._threads > 1:
            work.share(self._threads)
        return work

    def _opened(self, direction: str) -> engine.Work:
        """What serves in a direction."""
        mode, operation = self._task(direction)
        return engine.work(self._target, self._key, mode, operation)

    def _decide(self, direction: str, work: engine.Work) -> None:
        self._work, self._direction = work, direction
        self._serve(direction, work.quick)

    def _serve(self, direction: str, quick: Quick) -> None:
        """Have quick calls in a direction from now on. A function of the object's own stands in place of the
        class's method, so that a call looks up one name and asks nothing; mypy takes that for a mistake."""
        if direction == "encrypt":
            self._quick_encrypt = quick  # type: ignore[method-assign]
        else:
            self._quick_decrypt = quick  # type: ignore[method-assign]

    def _crypt(self, direction: str, data: Any, output: Any) -> bytes | None:
        """Any case there is."""
        made: bytes | None = None
        with held(data, "plaintext" if direction == "encrypt" else "ciphertext") as source:
            if output is None:
                output = made = new_bytes(None, source.size)
            given = Held(output) if made is not None else writable(output, source)
            with given as target, self._turn:
                self._in_turn(direction, source, target)
        return made

    def _in_turn(self, direction: str, source: Held, target: Held) -> None:
        """Work, after the quick call that is under way; none begins meanwhile."""
        if direction != self._direction and self._direction:
            raise UsageError(f"{direction}() after {self._direction}(); accepted: one direction an object")
        if self._work is None or not self._direction:
            self._work = self._shared(direction)
        caller = self._caller
        caller.waits = 1
        try:
            while self._alone and caller.busy:
                time.sleep(_PAUSE)
            self._check(source.size)
            self._decide(direction, self._work)
            if source.size:
                self._transform(source.address, target.address, source.size)
        finally:
            caller.waits = 0

    @property
    def _caller(self) -> Caller:
        """What quick calls know of this object."""
        assert self._work is not None
        return self._work.caller

    def _check(self, size: int) -> None:
        if self._in_blocks and size % self.block_size:
            raise DataError(f"data of {size} bytes; accepted: a multiple of {self.block_size}")

    def _transform(self, source: int, target: int, size: int) -> None:
        """Work on at least one byte, from address to address."""
        self._apply(source, target, size)

    def _task(self, direction: str) -> tuple[str, str]:
        """Mode and operation, as `finalist.engine` knows them."""
        return "ecb", direction

    def _apply(self, source: int, target: int, size: int) -> None:
        assert self._work is not None
        self._work.apply(source, target, size)


def held(data: Any, argument: str) -> Held:
    """The memory of what was given. Raises UsageError."""
    try:
        return Held(data)
    except TypeError as error:
        raise UsageError(f"{argument} is {type(data).__name__}; {BYTES_LIKE}") from error
    except (BufferError, ValueError) as error:
        raise UsageError(f"{argument}: {error}; {IN_ONE_PIECE}") from error


def writable(output: Any, source: Held) -> Held:
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
    _in_blocks = True
    #: What works in the other direction than the first call.
    _other: ECB | None = None

    def _values(self) -> dict[str, object]:
        return {"key": f"{8 * self.key_size} bits", **self._several()}  # and used to either

    def _in_turn(self, direction: str, source: Held, target: Held) -> None:
        if self._direction in ("", direction):
            super()._in_turn(direction, source, target)
            return
        other = self._other = self._other or ECB(self._target, self._key, self._threads)
        other._in_turn(direction, source, target)
        if other._work is not None:
            self._serve(direction, other._work.quick)


class Stream(BlockCipher):
    """A stream cipher: any number of bytes, each under the state that those before it left."""
