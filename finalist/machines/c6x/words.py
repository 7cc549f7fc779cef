"""The words of a schedule that the two machines have, and what each value of them changes."""

from __future__ import annotations

from finalist.machines.words import SUBKEYS, Word

WORDS = (
    Word(
        "blocks",
        "blocks that one call of the kernel works on",
        "1, or 4 where a state is handed on: it is fetched and put back once for all",
        {
            "1": "a block alone: as long as its longest chain of operations",
            "2": "two at a time, each on a side of the processor",
            "4": "two on each side, where registers are enough",
        },
        "any number up to 64",
    ),
    Word(
        "lookup",
        "how a table is read",
        "load: from memory, two a cycle",
        {"load": "a load for each lookup"},
    ),
    Word(
        "fuse",
        "bits of the widest table entry that a linear map is merged into",
        "as wide as the linear maps are",
        {
            "0": "maps stay shifts and XORs: small tables, more instructions",
            "32": "maps of up to 32 bits are in the tables",
            "64": "maps of up to 64 bits are in the tables",
        },
        "any number of bits",
    ),
    Word(
        "keyed-tables",
        "how much of keyed functions is in tables, made when a key is set up",
        "full: fewest cycles a block",
        {
            "full": "the function and the linear map after it",
            "partial": "the function; the map is in fixed tables",
            "minimal": "all but the last operation with the key",
            "zero": "nothing: computed at each use",
        },
    ),
    Word(
        "rounds",
        "rounds written out, or a loop",
        "loop: a program that a small memory holds",
        {
            "unroll": "all written out: nothing waits at the end of an iteration, and more program memory",
            "loop": "a loop of as many rounds an iteration as are alike",
            "1": "a loop of one round an iteration",
            "2": "a loop of two rounds an iteration",
        },
        "any number of rounds that are alike",
    ),
    Word(
        "key-schedule",
        "the key schedule written out, or as loops",
        "unroll: fewest cycles",
        {
            "unroll": "all written out",
            "loop": "what it does alike again and again as loops: a program of fewer instructions",
        },
    ),
    SUBKEYS,
    Word(
        "pipeline",
        "whether the next block begins before one has ended: software pipelining",
        "off: blocks one after the other",
        {
            "off": "a block ends before the next one begins",
            "on": "blocks overlap, all rounds written out: fewest cycles where blocks are independent",
        },
    ),
)
