"""The words of a schedule that the card has, and what each value of them changes."""

from __future__ import annotations

from finalist.machines.words import SUBKEYS, Word

WORDS = (
    Word(
        "fuse",
        "bits of the widest table entry that a linear map is merged into",
        "as wide as the linear maps are",
        {"0": "maps stay shifts and XORs: no tables for them", "32": "maps of up to 32 bits are in tables"},
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
        "loop",
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
        "unroll",
        {
            "unroll": "all written out",
            "loop": "what it does alike again and again as loops: a program of fewer instructions",
        },
    ),
    SUBKEYS,
    Word(
        "optimise",
        "what code is made for",
        "speed: fewest cycles",
        {
            "speed": "all written out where it is used",
            "size": "what is done several times is a subroutine, straight code a loop, a round a turn",
        },
    ),
    Word("constant-time", "only a program whose time depends on no secret", "any program will do"),
    Word(
        "directions",
        "the operations that one text has",
        "one",
        {"one": "the one that was asked for", "both": "both, with one key schedule and shared subroutines"},
    ),
    Word(
        "map-tables",
        "how many coefficients of linear maps of bytes are tables, of 256 bytes each",
        "as `fuse` has it: maps are in the tables of what stands before them",
        {
            "0": "none: all are made of the byte by shifts and XORs",
            "1": "one, and others are made of it",
            "2": "two",
        },
        "any number",
    ),
    Word(
        "byte-worth",
        "cycles a block that one byte of code less may cost, with optimise=size",
        "10",
        {"0": "nothing: only what costs no cycles", "10": "about as hand-written code has it", "1000": "all"},
        "any number",
    ),
)
