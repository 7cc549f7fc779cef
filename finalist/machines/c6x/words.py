"""The words of a schedule that the two machines have, and what each value of them changes."""

from __future__ import annotations

from finalist.machines.words import FUSE, KEY_SCHEDULE, KEYED_TABLES, SUBKEYS, Word, rounds

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
    FUSE,
    KEYED_TABLES,
    rounds(
        "loop: a program that a small memory holds",
        "nothing waits at the end of an iteration, and more program memory",
    ),
    KEY_SCHEDULE,
    SUBKEYS,
    Word(
        "pipeline",
        "whether the next block begins before one has ended: software pipelining",
        "off: blocks one after the other",
        {
            "off": "a block ends before the next one begins",
            "on": "blocks overlap, all rounds written out: fewest cycles where blocks are independent",
            "chained": "a block begins when the one before is stored: fewest cycles for modes with feedback",
        },
    ),
)
