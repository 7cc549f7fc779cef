"""Whose a library is, and what its public names begin with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from finalist import licence
from finalist.errors import UnknownNameError
from finalist.language.cipher import Cipher
from finalist.machines.native.text.names import c_name

DEFAULT_PREFIX = "finalist"
_MOST = 40
_MOST_NAME = 200
#: ISO C (C23, 6.4.1) and C++ (C++20, 5.11): no name in a header may be one of them.
_KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern
    false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
    operator or or_eq private protected public register reinterpret_cast requires restrict return short
    signed sizeof static static_assert static_cast struct switch template this thread_local throw true
    try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t
    while xor xor_eq
    """.split()  # noqa: SIM905 - as a list it fills a page
)
#: PREFIX.h would be found in the place of the C library's, libPREFIX.a in that of the system's, and CMake has
#: targets of these names (CMake, policy CMP0037).
_TAKEN = frozenset(
    """
    assert complex ctype errno fenv inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
    stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar
    unistd wchar wctype memory
    c m dl rt pthread gcc
    all check clean help install internal main package parts test
    """.split()  # noqa: SIM905 - as a list it fills a page
)


@dataclass(frozen=True, slots=True)
class Identity:
    """The command that a library is made by, the prefix of its public names, and its copyright holder."""

    command: str
    prefix: str = DEFAULT_PREFIX
    holder: str = ""

    @property
    def macro(self) -> str:
        """What the names of macros begin with."""
        return self.prefix.upper()

    def stem(self, cipher: type[Cipher]) -> str:
        """What the names of a cipher's functions begin with."""
        return f"{self.prefix}_{c_name(cipher.name())}"

    def renamed(self, text: str) -> str:
        """A text in which public names begin with `DEFAULT_PREFIX`, with those of this library."""
        text = re.sub(rf"\b{DEFAULT_PREFIX}(?=_|\.h\b)", self.prefix, text)
        return re.sub(rf"\b{DEFAULT_PREFIX.upper()}(?=_)", self.macro, text)


def check_prefix(prefix: str) -> None:
    """Refuse what C, C++, the system's headers or CMake would. Raises UnknownNameError."""
    wrong = ""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", prefix, flags=re.ASCII):
        wrong = "it is no C identifier"
    elif prefix.lower() in _KEYWORDS:
        wrong = "a keyword of C or C++"
    elif prefix.lower() in _TAKEN:
        wrong = "a name of the C library or of the build's own"
    elif prefix.endswith("_") or "__" in prefix:
        wrong = "PREFIX_name would have two underscores together, which C++ keeps for itself"
    elif len(prefix) > _MOST:
        wrong = f"{len(prefix)} letters"
    if wrong:
        raise UnknownNameError(
            f"--prefix {prefix[:_MOST]!r}: {wrong}; accepted: a C identifier of at most {_MOST} letters,"
            " digits and single underscores, such as acme"
        )


def check_holder(holder: str) -> None:
    """Refuse a name that is none, or that does not stay in its line. Raises UnknownNameError."""
    if not holder.strip() or not holder.isprintable() or len(holder) > _MOST_NAME:
        raise UnknownNameError(
            f"--copyright {holder[:_MOST]!r}: accepted: a name in one line, of at most {_MOST_NAME} letters,"
            " such as '2026 Ada Lovelace'"
        )


def holder_of(ciphers: Sequence[type[Cipher]]) -> str:
    """The copyright holder where none is named: ours for what is built in, and of a definition that is the
    user's own its author, whoever that is."""
    own = [cipher.name() for cipher in ciphers if cipher.source]
    names = [] if len(own) == len(ciphers) else [licence.HOLDER]
    return " and ".join(names + [f"the author of {name}" for name in own])
