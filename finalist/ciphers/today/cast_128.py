"""CAST-128 (Adams 1997; RFC 2144)."""

from finalist.ciphers.cast_256 import f1, f2, f3
from finalist.ciphers.data import constants
from finalist.language import BIG, Cipher, Facts, Table, constant, rounds, u8, u32, words

BOXES = constants("cast_128")
S5, S6, S7, S8 = (Table(BOXES[name], 32, name=name) for name in ("S5", "S6", "S7", "S8"))
#: Section 2.4. Of each four bytes that are made: which four they are made from, four indices of S5 to S8 and
#: the fifth; those from z on are of what is being made, in "x from z" likewise.
Z_FROM_X = ("0 xD xF xC xE x8", "8 z0 z2 z1 z3 xA", "C z7 z6 z5 z4 x9", "4 zA z9 zB z8 xB")
X_FROM_Z = ("8 z5 z7 z4 z6 z0", "0 x0 x2 x1 x3 z2", "4 x7 x6 x5 x4 z1", "C xA x9 xB x8 z3")
#: And of sixteen subkeys, four after each such step, the five indices.
KEYS = (
    ("z8 z9 z7 z6 z2", "zA zB z5 z4 z6", "zC zD z3 z2 z9", "zE zF z1 z0 zC"),
    ("x3 x2 xC xD x8", "x1 x0 xE xF xD", "x7 x6 x8 x9 x3", "x5 x4 xA xB x7"),
    ("z3 z2 zC zD z9", "z1 z0 zE zF zC", "z7 z6 z8 z9 z2", "z5 z4 zA zB z6"),
    ("x8 x9 x7 x6 x3", "xA xB x5 x4 x7", "xC xD x3 x2 x8", "xE xF x1 x0 xD"),
)


def taken(bytes_, names):
    return [bytes_[name[0]][int(name[1], 16)] for name in names]


def sum_of(bytes_, names, fifth):
    a, b, c, d, e = taken(bytes_, names)
    return S5[a] ^ S6[b] ^ S7[c] ^ S8[d] ^ fifth[e]


def mixed(bytes_, rows, made, old):
    """Sixteen bytes named ``made`` from those named ``old``."""
    bytes_ = {**bytes_, made: []}
    for (start, *names), fifth in zip(map(str.split, rows), (S7, S8, S5, S6), strict=True):
        d, c, b, a = sum_of(bytes_, names, fifth).bytes()
        source = bytes_[old][int(start, 16) :]
        bytes_[made] = bytes_[made] + [s ^ x for s, x in zip(source, (a, b, c, d), strict=False)]
    return bytes_


class CAST128(Cipher):
    """CAST-128 (Adams 1997): a Feistel network with three round functions in turn."""

    called = "cast-128"
    aliases = ("cast128", "cast5")
    facts = Facts(
        title="CAST-128",
        year=1997,
        designers="Carlisle Adams (Entrust)",
        structure="Feistel network",
        state="weak",
        analysis="9 of 16 rounds under weak keys (Wang, Wang, Chow, Hui, IEICE 2010); a block of 64 bits",
    )
    block = words(2, u32, BIG)
    key_bits = range(40, 129, 8)
    key_words = words(1, u8)

    @property
    def last(self):
        """The number of rounds; section 2.5."""
        return 12 if self.key_size <= 80 else 16

    def expand_key(self, key):
        bytes_ = {"x": [*key, *[constant(0, 8)] * (16 - len(key))]}
        K = []
        for step in range(8):
            made, old, rows = ("x", "z", X_FROM_Z) if step % 2 else ("z", "x", Z_FROM_X)
            bytes_ = mixed(bytes_, rows, made, old)
            for names, fifth in zip(KEYS[step % 4], (S5, S6, S7, S8), strict=True):
                K.append(sum_of(bytes_, names.split(), fifth))
        return {"Km": K[:16], "Kr": [k[0:5] for k in K[16:]]}

    def feistel(self, block, keys, order):
        left, right = block
        for r in order:
            f = (f1, f2, f3)[r % 3]
            left, right = right, left ^ f(right, keys["Kr"][r], keys["Km"][r])
        return right, left

    def encrypt(self, block, keys):
        return self.feistel(block, keys, rounds(self.last))

    def decrypt(self, block, keys):
        return self.feistel(block, keys, rounds(self.last - 1, -1, -1))
