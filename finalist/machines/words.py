"""What a machine says of the words of a schedule that it has: for people who choose among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a schedule on one machine.

    ``name``: as `-s` takes it. ``says``: what it is about. ``values``: what may stand for it, each with what
    that changes; of numbers those that are worth a look. ``default``: what is taken where it is open, and
    why. ``others``: values beside these, in words.
    """

    name: str
    says: str
    default: str
    values: Mapping[str, str] = field(default_factory=dict)
    others: str = ""


def names_of(words: Iterable[Word]) -> tuple[str, ...]:
    """The words, as `-s` takes them."""
    return tuple(word.name for word in words)


#: The same on all machines that have software.
SUBKEYS = Word(
    "subkeys",
    "whether round keys are stored, or computed where they are used",
    "stored: each is computed once for a key, and not once for each call",
    {
        "stored": "computed when a key is set up, read in each round",
        "computed": "computed in each call, from the key: nothing to set up, no memory for them",
    },
)
