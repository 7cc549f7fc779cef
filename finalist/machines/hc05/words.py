"""The words of a schedule that the card has, and what each value of them changes."""

from __future__ import annotations

from finalist.machines.words import FUSE, KEY_SCHEDULE, KEYED_TABLES, SUBKEYS, Word, rounds

WORDS = (
    FUSE,
    KEYED_TABLES,
    rounds("loop"),
    KEY_SCHEDULE,
    SUBKEYS,
    Word(
        "optimise",
        "what code is made for",
        "speed: fewest cycles",
        {
            "speed": "all written out where it is used",
            "size": "what is done several times is a subroutine, straight-line code a loop",
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
