"""LOKI97 (Brown, Pieprzyk, Seberry 1998)."""

from finalist.language import (
    BIG,
    Cipher,
    Facts,
    Table,
    bit_permutation,
    gf_multiply,
    join,
    rol,
    ror,
    rounds,
    u64,
    words,
)


def cube(width, polynomial, name):
    """Section 3.2: the cube of the complemented input in GF(2^width), of which eight bits are kept."""

    def entry(x):
        y = x ^ (1 << width) - 1
        return gf_multiply(gf_multiply(y, y, polynomial), y, polynomial) & 0xFF

    return Table([entry(x) for x in range(1 << width)], width=8, name=name)


S1 = cube(13, 0x2911, "S1")
S2 = cube(11, 0x0AA7, "S2")
#: The boxes of the two substitution layers, for the lowest byte first.
SA = (S1, S2, S1, S2, S2, S1, S2, S1)
SB = (S1, S1, S2, S2, S1, S1, S2, S2)
#: Bit j of byte b moves to bit 7 - b of byte j.
P = bit_permutation([8 * (7 - to % 8) + to // 8 for to in range(64)])
DELTA = 0x9E3779B97F4A7C15


def keyed_exchange(a, m):
    """KP: the bits of the halves of ``a`` change places where ``m`` is 1."""
    return a ^ (a ^ rol(a, 32)) & join(m, m)


def f(a, b):
    """Section 3.1: Sb(P(Sa(E(KP(a, b)))), b); E takes overlapping groups of 13 and 11 bits."""
    d = keyed_exchange(a, b[0:32])
    groups = [ror(d, 8 * n)[0 : box.index_width] for n, box in enumerate(SA)]
    (u,) = P(join(*(box[group] for box, group in zip(SA, groups, strict=True))))
    out, low = [], 32
    for box, byte in zip(SB, u.bytes(), strict=True):
        more = box.index_width - 8  # bits of the key, from the upper half of b
        out.append(box[join(byte, b[low : low + more])])
        low += more
    return join(*out)


class LOKI97(Cipher):
    """LOKI97 (Brown, Pieprzyk, Seberry 1998): a Feistel network on 64-bit halves."""

    facts = Facts(
        title="LOKI97",
        year=1998,
        designers="Lawrie Brown, Josef Pieprzyk, Jennifer Seberry",
        structure="Feistel network",
        state="broken",
        analysis="2^56 chosen plaintexts (Rijmen, Knudsen, Weaknesses in LOKI97, 1998)",
    )
    aliases = ("loki-97",)
    block = words(2, u64, BIG)
    key_bits = (128, 192, 256)

    def expand_key(self, key):
        ka, kb = key[0], key[1]
        k2 = key[2] if len(key) > 2 else f(kb, ka)
        k1 = key[3] if len(key) > 3 else f(ka, kb)
        k4, k3, subkeys = ka, kb, []
        for i in range(1, 49):
            new = k4 ^ f(k1 + k3 + (DELTA * i & (1 << 64) - 1), k2)
            subkeys.append(new)
            k4, k3, k2, k1 = k3, k2, k1, new
        return subkeys

    def encrypt(self, block, subkeys):
        left, right = block
        for i in rounds(16):
            before, inside, after = subkeys[3 * i : 3 * i + 3]
            a = right + before
            left, right = a + after, left ^ f(a, inside)
        return right, left

    def decrypt(self, block, subkeys):
        right, left = block
        for i in rounds(15, -1, -1):
            before, inside, after = subkeys[3 * i : 3 * i + 3]
            a = left - after
            left, right = right ^ f(a, inside), a - before
        return left, right
