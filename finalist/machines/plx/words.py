"""The words of a schedule that the simulated machine has, and what each value of them changes."""

from __future__ import annotations

from finalist.machines.words import FUSE, KEY_SCHEDULE, KEYED_TABLES, SUBKEYS, Word, rounds

WORDS = (
    Word(
        "blocks",
        "blocks that one call of the kernel works on",
        "1, or 4 where a state is handed on: it is fetched and put back once for all",
        {
            "1": "a block alone",
            "2": "two one after the other, or side by side in registers that hold them",
            "4": "four",
            "8": "eight",
        },
        "any number up to 64",
    ),
    Word(
        "width",
        "bits of what stands side by side in a register",
        "whichever takes fewer cycles where blocks fill the lanes or tables are on the chip, else 1",
        {
            "1": "a word a register",
            "32": "registers of 32 bits hold one word: nothing is side by side",
            "64": "words side by side in registers of 64 bits (plx:word=64)",
            "128": "words side by side in registers of 128 bits (plx:word=128)",
        },
    ),
    Word(
        "lookup",
        "how a table is read",
        "ptlu where the processor has it: all bytes of a word in one instruction; else load",
        {
            "load": "an address and a load for each lookup",
            "ptlu": "by parallel lookups in tables on the chip (plx:with=ptlu)",
        },
    ),
    FUSE,
    KEYED_TABLES,
    rounds("loop: as hand-written programs of such processors have it; with optimise the better one"),
    KEY_SCHEDULE,
    SUBKEYS,
    Word(
        "optimise",
        "whether time is spent to find the program of fewest cycles",
        "off: one program, in the order of hand-written code",
        {"off": "one program", "on": "all that the schedule leaves open are built and simulated"},
    ),
)
