"""Ready-to-use ciphers after PEP 272: ``new(cipher, key, mode, ...)``, ``.encrypt``, ``.decrypt``.

Modes of operation: NIST SP 800-38A. Code written for PyCryptodome's classic modes runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from finalist.engine.parts import MOST_THREADS
from finalist.errors import DataError, KeyLengthError, UnknownNameError, UsageError
from finalist.machines.base import bytes_of
from finalist.modes.chained import CBC, CFB, OFB
from finalist.modes.counters import CTR, WrittenCTR, counter_mode
from finalist.modes.objects import ECB, BlockCipher, BytesLike, Stream
from finalist.modes.streams import BlockStream, with_nonce
from finalist.target import Target
from finalist.target import target as find_target

if TYPE_CHECKING:
    from finalist.language.cipher import Cipher

__all__ = [
    "CBC",
    "CFB",
    "CTR",
    "ECB",
    "MODE_CBC",
    "MODE_CFB",
    "MODE_CTR",
    "MODE_ECB",
    "MODE_OFB",
    "OFB",
    "BlockCipher",
    "Stream",
    "WrittenCTR",
    "new",
]

MODE_ECB: Literal[1] = 1
MODE_CBC: Literal[2] = 2
MODE_CFB: Literal[3] = 3
MODE_OFB: Literal[5] = 5
MODE_CTR: Literal[6] = 6
#: Threads where nothing is said of them: this very object, which is quick to tell.
_ONE = 1
_MODES = {MODE_ECB: "ECB", MODE_CBC: "CBC", MODE_CFB: "CFB", MODE_OFB: "OFB", MODE_CTR: "CTR"}
_THREADS = f"how many at most, 1 to {MOST_THREADS}, or 0 for one a processor"
#: What each mode takes beside cipher and key.
_OWN: dict[int, tuple[str, ...]] = {
    MODE_ECB: ("mode", "threads"),
    MODE_CBC: ("mode", "iv", "threads"),
    MODE_CFB: ("mode", "iv", "segment_size", "threads"),
    MODE_OFB: ("mode", "iv"),
    MODE_CTR: ("mode", "nonce", "initial_value", "counter", "threads"),
}


@overload
def new(
    cipher: str | Path | type[Cipher],
    key: BytesLike,
    *,
    nonce: BytesLike | None = None,
    initial_value: int | None = None,
) -> Stream: ...
@overload
def new(cipher: str | Path | type[Cipher], key: BytesLike, mode: Literal[1], *, threads: int = 1) -> ECB: ...
@overload
def new(
    cipher: str | Path | type[Cipher],
    key: BytesLike,
    mode: Literal[2],
    iv: BytesLike | None = None,
    *,
    IV: BytesLike | None = None,
    threads: int = 1,
) -> CBC: ...
@overload
def new(
    cipher: str | Path | type[Cipher],
    key: BytesLike,
    mode: Literal[3],
    iv: BytesLike | None = None,
    *,
    IV: BytesLike | None = None,
    segment_size: int | None = None,
    threads: int = 1,
) -> CFB: ...
@overload
def new(
    cipher: str | Path | type[Cipher],
    key: BytesLike,
    mode: Literal[5],
    iv: BytesLike | None = None,
    *,
    IV: BytesLike | None = None,
) -> OFB: ...
@overload
def new(
    cipher: str | Path | type[Cipher],
    key: BytesLike,
    mode: Literal[6],
    *,
    nonce: BytesLike | None = None,
    initial_value: int | BytesLike | None = None,
    threads: int = 1,
) -> CTR: ...
@overload
def new(
    cipher: str | Path | type[Cipher],
    key: BytesLike,
    mode: Literal[6],
    *,
    counter: Mapping[str, Any] | Callable[[], BytesLike],
    threads: int = 1,
) -> CTR | WrittenCTR: ...
@overload
def new(
    cipher: str | Path | type[Cipher],
    key: BytesLike,
    mode: int | None,
    iv: BytesLike | None = None,
    *,
    IV: BytesLike | None = None,
    nonce: BytesLike | None = None,
    initial_value: int | BytesLike | None = None,
    counter: Mapping[str, Any] | Callable[[], BytesLike] | None = None,
    segment_size: int | None = None,
    threads: int = 1,
) -> BlockCipher: ...
def new(
    cipher: str | Path | type[Cipher],
    key: BytesLike,
    mode: int | None = None,
    iv: BytesLike | None = None,
    *,
    IV: BytesLike | None = None,
    nonce: BytesLike | None = None,
    initial_value: int | BytesLike | None = None,
    counter: Mapping[str, Any] | Callable[[], BytesLike] | None = None,
    segment_size: int | None = None,
    threads: int = 1,
) -> BlockCipher:
    """A cipher object for one message.

    ``cipher``: a name, the path of a definition file, or a Cipher class. ``key``: one of its lengths.
    ``mode``: one of MODE_ECB, MODE_CBC, MODE_CFB, MODE_OFB, MODE_CTR; a stream cipher takes none, but
    ``nonce`` and ``initial_value`` (0), the number of its first block, where it has them; they may also come
    as the end of its key, as the definition has them. ``iv`` (or ``IV``): the initial block of CBC, CFB and
    OFB, random if not given. ``segment_size``: of CFB, in bits, a multiple of 8 up to the block; 8 if not
    given. CTR's counter block is ``nonce``, then a counter that begins at ``initial_value`` (0), big-endian,
    filling the block; a nonce of half a block, random, if not given and the block has 16 bytes. Or
    ``counter`` has it all: what `Crypto.Util.Counter.new` returns, or a function that returns the next
    block. ``threads``: how many at most work on a message, each on 64 KiB or more, where blocks do not wait
    for each other: in ECB and CTR, and where CBC and CFB decrypt; 0 for one a processor.
    Raises UnknownNameError, DefinitionError, KeyLengthError, DataError or UsageError, each also a
    ValueError or TypeError as PyCryptodome has them.
    """
    target = find_target(cipher)
    secret = bytes_of(key, "key")
    if target.public and mode is None and not (nonce is None and initial_value is None):
        secret = with_nonce(target, secret, nonce, initial_value)
        nonce = initial_value = None
    if len(secret) not in target.key_bytes:
        accepted = target.definition.key_sizes(unit=8)
        if target.public:
            accepted += f"; beside a nonce {', '.join(map(str, target.secret_bytes))}"
        raise KeyLengthError(f"key of {len(secret)} bytes; {target.name} accepts {accepted}")
    if iv is not None and IV is not None:
        raise UsageError("iv and IV are the same argument; accepted: one of them")
    threads = threads if threads is _ONE else _most_threads(threads)
    start = IV if iv is None else iv
    counts = not (nonce is None and initial_value is None and counter is None)
    if not _fits(target, mode, start is not None, segment_size is not None, counts, threads > 1):
        given = {"iv": start, "nonce": nonce, "initial_value": initial_value, "counter": counter}
        others = {"segment_size": segment_size, "threads": threads if threads > 1 else None}
        _refuse(target, mode, {"mode": mode, **given, **others})
    if mode == MODE_CTR:
        return counter_mode(target, secret, nonce, initial_value, counter, threads)
    if mode == MODE_ECB:
        return ECB(target, secret, threads)
    if mode == MODE_CFB:
        return CFB(target, secret, start, 8 if segment_size is None else segment_size, threads)
    if target.stateful:
        return Stream(target, secret) if target.block_bytes == 1 else BlockStream(target, secret)
    return CBC(target, secret, start, threads) if mode == MODE_CBC else OFB(target, secret, start)


def _most_threads(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int):
        raise UsageError(f"threads is {type(given).__name__}; accepted: int, {_THREADS}")
    if not 0 <= given <= MOST_THREADS:
        raise DataError(f"threads={given}; accepted: {_THREADS}")
    return given or min(_processors(), MOST_THREADS)


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _fits(target: Target, mode: Any, starts: bool, segments: bool, counts: bool, several: bool) -> bool:
    """Whether a mode takes an initial block, segments, what counter mode does, and several threads."""
    if target.stateful:
        return mode is None and not (starts or segments or counts or several)
    if mode == MODE_CTR:
        return not (starts or segments)
    if mode not in _MODES or (several and mode == MODE_OFB):
        return False
    return not (counts or (starts and mode == MODE_ECB) or (segments and mode != MODE_CFB))


def _refuse(target: Target, mode: Any, given: Mapping[str, Any]) -> None:
    """Raises UnknownNameError or UsageError where the mode does not take what is given."""
    own: tuple[str, ...] = ()
    if not target.stateful:
        if mode not in _MODES:
            accepted = ", ".join(f"MODE_{name}" for name in _MODES.values())
            if mode is None:
                raise UsageError(f"mode is missing; accepted: {accepted}")
            raise UnknownNameError(f"unknown mode {mode!r}; accepted: {accepted}")
        own = _OWN[mode]
    for argument, value in given.items():
        if value is not None and argument not in own:
            raise UsageError(f"{argument}: {'a stream cipher' if not own else _MODES[mode]} takes none")
