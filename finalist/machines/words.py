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

# -- on simulated processors --------------------------------------------------------------------------

FUSE = Word(
    "fuse",
    "bits of the widest table entry that a linear map is merged into",
    "as wide as the linear maps are",
    {
        "0": "maps stay shifts and XORs: small tables, more instructions",
        "32": "maps of up to 32 bits are in the tables",
        "64": "maps of up to 64 bits are in the tables",
    },
    "any number of bits",
)
KEYED_TABLES = Word(
    "keyed-tables",
    "how much of keyed functions is in tables, made when a key is set up",
    "full: fewest cycles a block",
    {
        "full": "the function and the linear map after it",
        "partial": "the function; the map is in fixed tables",
        "minimal": "all but the last operation with the key",
        "zero": "nothing: computed at each use",
    },
)
KEY_SCHEDULE = Word(
    "key-schedule",
    "the key schedule written out, or as loops",
    "unroll: fewest cycles",
    {
        "unroll": "all written out",
        "loop": "what it does alike again and again as loops: a program of fewer instructions",
        "nested": "loops within loops, looked for before words are cut into the processor's: fewer still",
    },
)


def rounds(default: str, unrolled: str = "no counter and no moves, more instructions in memory") -> Word:
    """Whether rounds are a loop; ``unrolled``: what it changes that they are written out."""
    return Word(
        "rounds",
        "rounds written out, or a loop",
        default,
        {
            "unroll": f"all written out: {unrolled}",
            "loop": "a loop of as many rounds an iteration as are alike",
            "1": "a loop of one round an iteration",
            "2": "a loop of two rounds an iteration",
        },
        "any number of rounds that are alike",
    )
