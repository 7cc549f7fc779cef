"""The words of a schedule that hardware has, and what each value of them changes."""

from __future__ import annotations

from finalist.machines.words import Word

WORDS = (
    Word(
        "lookup",
        "how a table is read",
        "compute where a table is a network of smaller ones, else load: nothing but logic cells",
        {
            "load": "tables in logic cells",
            "compute": "tables of bytes as networks of tables of four bits: fewer cells",
            "blockram": "tables in block RAM, where a row of registers stands before each",
        },
    ),
    Word(
        "key-schedule",
        "where round keys come from",
        "load: as the published study has it",
        {
            "load": "round keys are written from outside: no hardware for the key schedule",
            "chip": "the key is written, and the design makes round keys, in steps on one unit",
        },
    ),
    Word(
        "architecture",
        "the data path: rounds unrolled, pipelined, sub-pipelined",
        "LU-1: one round, used for all: the smallest",
        {
            "LU-1": "one round of logic between registers",
            "LU-2": "two rounds of logic between registers: half the clocks, each longer",
            "PP-1": "one round, pipelined",
            "PP-2": "two rounds with registers between: two blocks under way",
            "SP-1-1": "one round with a row of registers inside: two blocks under way, a quicker clock",
            "SP-2-1": "two rounds with registers between and inside: four blocks under way",
        },
        "`finalist pareto` has all, with area and throughput",
    ),
    Word(
        "optimise",
        "what a design is made for where area and clock are at odds",
        "neither: the shortest stages, but for what takes more room and hardly shortens any",
        {
            "size": "smaller logic where stages are up to a fifth longer, fewer registers where a tenth",
            "speed": "the shortest stages; what selects round keys is replicated for fan-out",
        },
    ),
    Word(
        "language",
        "what hardware is written in",
        "verilog",
        {"verilog": "Verilog-2005", "vhdl": "VHDL of 1993 and 2008: the same data path, signal for signal"},
    ),
    Word(
        "directions",
        "encryption or decryption, or both in one design",
        "one: the operation that is asked for",
        {"one": "one direction", "both": "both, sharing what they have in common; a port says which"},
    ),
)
