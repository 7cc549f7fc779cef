"""The words of a schedule that the simulated machine has, and what each value of them changes."""

from __future__ import annotations

from finalist.machines.words import SUBKEYS, Word

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
        "loop: as hand-written programs of such processors have it; with optimise the better one",
        {
            "unroll": "all written out: no counter and no moves, more instructions in memory",
            "loop": "a loop of as many rounds a turn as are alike",
            "1": "a loop of one round a turn",
            "2": "a loop of two rounds a turn",
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
        "optimise",
        "whether time is spent to find the program of fewest cycles",
        "off: one program, in the order of hand-written code",
        {"off": "one program", "on": "all that the schedule leaves open are built and simulated"},
    ),
)
