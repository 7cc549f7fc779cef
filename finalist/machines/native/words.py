"""The words of a schedule that the host CPU has, and what each value of them changes."""

from __future__ import annotations

from finalist.machines.words import SUBKEYS, Word

_PLANES = "words of {0} blocks turned to bit planes: rotations by multiples of {0} are renamings"

WORDS = (
    Word(
        "blocks",
        "blocks that one call of the kernel works on",
        "as many as the registers hold, so that one's operations fill the waits of another's",
        {
            "1": "a block alone: the shortest time for it, as chains and short messages want",
            "2": "two side by side: one works while the other waits; costs registers",
            "3": "three side by side",
            "4": "four side by side, or a full vector",
            "8": "eight, in one vector or several",
            "16": "sixteen, in one vector or several",
            "64": "sixty-four: for messages of a kilobyte and more",
            "512": "five hundred and twelve: for messages of many kilobytes",
        },
        "any number that fills the vectors",
    ),
    Word(
        "width",
        "bits of a vector",
        "the widest that this CPU has and the cipher can use; 1 where its operations have no form on vectors",
        {
            "1": "scalar code: no vectors, as for short messages and for CPUs without them",
            "128": "vectors of 128 bits: every x86-64 and AArch64",
            "256": "vectors of 256 bits (AVX2): about half the instructions a byte",
            "512": "vectors of 512 bits (AVX-512): half again, and gates of three inputs",
        },
    ),
    Word(
        "planes",
        "bit planes that a word is cut into",
        "8 where all operations are boolean and the blocks fill them, else none",
        {
            "1": "none: words stay words",
            "2": _PLANES.format(2),
            "4": _PLANES.format(4),
            "8": _PLANES.format(8),
            "16": _PLANES.format(16),
            "32": "every bit a vector of its own: moves cost nothing, messages have to be long",
        },
        "any power of two up to the bits of a word",
    ),
    Word(
        "skew",
        "statements by which blocks side by side lag behind one another",
        "8 in scalar code, 4 with vectors: enough for each to find the units free that others use",
        {
            "0": "in step: all want the same unit of the CPU at the same time",
            "2": "a lag of 2 statements",
            "4": "a lag of 4 statements",
            "8": "a lag of 8 statements",
            "16": "a lag of 16 statements: more values are alive at once",
        },
        "any number",
    ),
    Word(
        "lookup",
        "how a table is read",
        "match where CPU and cipher have that, else load: the quickest for messages of any length",
        {
            "load": "a load for each lookup: quick; the address tells the index to who watches the cache",
            "gather": "one gather for all lanes of a vector; tells as much, and is slow on some CPUs",
            "permute": "from registers, by permutes: no address at all; for tables that fit them",
            "match": "none: an instruction of the CPU has the table in it",
            "bitslice": "none: circuits on single bits of many blocks; constant time, for long messages",
            "scan": "all of the table for each lookup, masked: slow, and constant time",
        },
    ),
    Word(
        "fuse",
        "bits of the widest table entry that a linear map is merged into",
        "as wide as the linear maps are; 0 with lookup=scan and on lanes of bytes",
        {
            "0": "maps stay shifts and XORs: small tables, more operations",
            "32": "maps of up to 32 bits are in the tables: larger ones, a lookup does both",
            "64": "maps of up to 64 bits are in the tables",
        },
        "any number of bits",
    ),
    Word(
        "keyed-tables",
        "how much of keyed functions is in tables, made when a key is set up",
        "full: quickest for messages that are longer than a few blocks",
        {
            "full": "the function and the linear map after it: slow to set up, quick to use",
            "partial": "the function; the map is in fixed tables",
            "minimal": "all but the last operation with the key",
            "zero": "nothing: quick to set up, slow to use; for a key that is used once",
        },
    ),
    Word(
        "rounds",
        "rounds written out, or a loop",
        "unroll in scalar code of up to 4000 operations; else the smallest loop that moves no words",
        {
            "unroll": "all written out: no counter, renamed words cost nothing; more text and code",
            "loop": "a loop of as many rounds an iteration as are alike: smaller code",
            "nested": "with lookup=bitslice, of rounds that have rounds within: loops within a loop",
            "1": "a loop of one round an iteration",
            "2": "a loop of two rounds an iteration",
            "4": "a loop of four rounds an iteration",
            "8": "a loop of eight rounds an iteration",
        },
        "any number of rounds that are alike",
    ),
    Word(
        "key-schedule",
        "the key schedule written out, or as loops",
        "loop where it is long, shrinks much by that and takes about as long; else written out",
        {
            "loop": "what repeats itself is a loop: less text and code",
            "unroll": "all written out: a little quicker where an iteration does little",
        },
    ),
    SUBKEYS,
    Word(
        "sums",
        "in which order the terms of sums are added, of XOR as well",
        "compiler: quicker where more values would be live than there are registers",
        {
            "compiler": "the C compiler's own, which does not know how long a table lookup takes",
            "ready": "as they are ready, for a short critical path, not reassociated; in scalar code",
        },
    ),
    Word(
        "word",
        "bits of the widest word in the code; with vectors, 8 and 16 are bits of a lane",
        "64: what a CPU of today has; 8 with lookup=permute",
        {
            "8": "lanes of bytes: 16 to 64 blocks a vector, tables by permutes",
            "16": "lanes of 16 bits; with lookup=permute arrays of the key by permutes of words",
            "32": "no wider words: for machines of 32 bits; with lookup=permute lanes of 32 bits",
            "64": "words of 64 bits are one variable; with lookup=permute lanes of 64 bits",
        },
    ),
    Word(
        "optimise",
        "whether time is spent to find the best program",
        "off: of this machine `finalist tune` finds the best",
        {"off": "one program, as the schedule says", "on": "all programs that are open, each run"},
    ),
    Word(
        "constant-time",
        "only a program whose time depends on no secret will do",
        "not asked for: the head of each text says what its time depends on",
        {"": "the quickest way to read tables that has the label, key schedule included"},
    ),
)
