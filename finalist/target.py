"""A cipher as callers need to know it; its definition, which takes a while to import, comes when needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from finalist.cache.notes import note
from finalist.ciphers import is_path

if TYPE_CHECKING:
    from finalist.language.cipher import Cipher

_BUILT_IN = "finalist.ciphers."
#: Built-in ciphers that were asked for; so many names, with parameters, are remembered.
_KNOWN: dict[str, Target] = {}
_MOST = 256


class Public(NamedTuple):
    """A nonce and the counter of the first block, which programs of a stream cipher take after the key.

    ``words``: of both, of so many ``word_bytes`` in ``order``; of these the counter has ``counter_words``,
    the lowest first, from word ``first`` on.
    """

    words: int
    first: int
    counter_words: int
    word_bytes: int
    order: Literal["little", "big"]

    @property
    def bytes(self) -> int:
        """Of nonce and counter."""
        return self.words * self.word_bytes

    @property
    def counter_bytes(self) -> int:
        """Of the counter."""
        return self.counter_words * self.word_bytes

    @property
    def nonce_bytes(self) -> int:
        """Of the nonce."""
        return self.bytes - self.counter_bytes


@dataclass(frozen=True, eq=False)
class Target:
    """``name``: as messages have it; ``key_bits``: all lengths of its keys; ``stateful``: a stream cipher;
    ``public``: its nonce and counter, if it says which they are."""

    name: str
    block_bytes: int
    key_bits: tuple[int, ...]
    stateful: bool
    public: Public | None
    #: The module of a built-in cipher; empty for a user's.
    module: str
    _find: Callable[[], type[Cipher]] = field(repr=False)

    @cached_property
    def key_bytes(self) -> frozenset[int]:
        """The same in bytes, quick to look for."""
        return frozenset(bits // 8 for bits in self.key_bits if not bits % 8)

    @cached_property
    def secret_bytes(self) -> tuple[int, ...]:
        """The lengths of its keys in bytes, without what is public."""
        public = self.public.bytes if self.public else 0
        return tuple(bits // 8 - public for bits in self.key_bits)

    @cached_property
    def definition(self) -> type[Cipher]:
        """The definition itself."""
        return self._find()

    def identity(self, operation: str, key_bits: int) -> tuple[str, ...]:
        """What tells it from all others: a built-in one's module and its name, which has its parameters.

        Of another definition its name and a hash of all in it.
        """
        if self.module:
            return self.module, self.name
        from finalist.ir.printer import digest
        from finalist.machines.tracing import traced

        return self.name, digest(traced(self.definition, operation, key_bits))


def target(cipher: str | Path | type[Cipher] | Target) -> Target:
    """The target of a name, a definition file or a definition. Raises UnknownNameError or DefinitionError."""
    known = _KNOWN.get(cipher) if type(cipher) is str else None
    if known is not None:
        return known
    if isinstance(cipher, Target):
        return cipher
    if isinstance(cipher, type):
        return _of_class(cipher)  # type: ignore[arg-type]  # a class can be hashed
    if not is_path(cipher):
        return _named(str(cipher))
    return _of(_find(cipher))  # type: ignore[arg-type]  # a class can be hashed


@lru_cache(maxsize=256)
def _of_class(cipher: type[Cipher]) -> Target:
    return _of(_find(cipher))  # type: ignore[arg-type]  # a class can be hashed


@lru_cache(maxsize=256)
def _of(definition: type[Cipher]) -> Target:
    return Target(**_facts(definition), _find=lambda: definition)


def _named(name: str) -> Target:
    """A cipher by its name; a built-in one by what was noted of it before.

    Nothing is noted of one that another package offers, which may be another cipher tomorrow.
    """
    told = note("cipher", (name,), lambda: _facts_of_own(_find(name)))
    if told is None:
        made = _of(_find(name))  # type: ignore[arg-type]  # a class can be hashed
    else:
        told |= {"key_bits": tuple(told["key_bits"]), "public": told["public"] and Public(*told["public"])}
        made = Target(**told, _find=lambda: _find(name))
    if len(_KNOWN) >= _MOST:
        _KNOWN.clear()
    return _KNOWN.setdefault(name, made)


def _facts_of_own(definition: type[Cipher]) -> dict[str, Any] | None:
    """The facts of a built-in cipher; None for any other."""
    facts = _facts(definition)
    return facts if facts["module"] else None


def _facts(definition: type[Cipher]) -> dict[str, Any]:
    return {
        "name": definition.name(),
        "block_bytes": definition.block.bytes,
        "key_bits": tuple(definition.key_bits),
        "stateful": definition.stateful,
        "public": _public(definition),
        "module": definition.__module__ if definition.__module__.startswith(_BUILT_IN) else "",
    }


def _public(definition: type[Cipher]) -> Public | None:
    layout, counter = definition.public, getattr(definition, "counter_words", None)
    if layout is None or counter is None:
        return None
    words = range(layout.count)[counter]
    return Public(layout.count, words.start, len(words), layout.width // 8, layout.order.value)


def _find(name: str | Path | type[Cipher]) -> type[Cipher]:
    from finalist.ciphers.catalogue import cipher

    return cipher(name)
