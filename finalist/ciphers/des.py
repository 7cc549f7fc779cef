"""DES (FIPS 46-3)."""

from finalist.language import BIG, Cipher, Facts, Table, bit_permutation, join, rol, rounds, u64, words


def selection(table, width):
    """A table of the standard: for each output bit an input bit, both counted from 1 at the left."""
    return bit_permutation([width - int(bit) for bit in reversed(table.split())], width)


IP = selection(
    """58 50 42 34 26 18 10  2 60 52 44 36 28 20 12  4 62 54 46 38 30 22 14  6 64 56 48 40 32 24 16  8
       57 49 41 33 25 17  9  1 59 51 43 35 27 19 11  3 61 53 45 37 29 21 13  5 63 55 47 39 31 23 15  7""",
    64,
)
FP = selection(
    """40  8 48 16 56 24 64 32 39  7 47 15 55 23 63 31 38  6 46 14 54 22 62 30 37  5 45 13 53 21 61 29
       36  4 44 12 52 20 60 28 35  3 43 11 51 19 59 27 34  2 42 10 50 18 58 26 33  1 41  9 49 17 57 25""",
    64,
)
E = selection(
    """32  1  2  3  4  5  4  5  6  7  8  9  8  9 10 11 12 13 12 13 14 15 16 17
       16 17 18 19 20 21 20 21 22 23 24 25 24 25 26 27 28 29 28 29 30 31 32  1""",
    32,
)
P = selection("16 7 20 21 29 12 28 17 1 15 23 26 5 18 31 10 2 8 24 14 32 27 3 9 19 13 30 6 22 11 4 25", 32)
PC1 = selection(
    """57 49 41 33 25 17  9  1 58 50 42 34 26 18 10  2 59 51 43 35 27 19 11  3 60 52 44 36
       63 55 47 39 31 23 15  7 62 54 46 38 30 22 14  6 61 53 45 37 29 21 13  5 28 20 12  4""",
    64,
)
PC2 = selection(
    """14 17 11 24  1  5  3 28 15  6 21 10 23 19 12  4 26  8 16  7 27 20 13  2
       41 52 31 37 47 55 30 40 51 45 33 48 44 49 39 56 34 53 46 42 50 36 29 32""",
    56,
)
SHIFTS = (1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1)


def substitution(rows, number):
    """Four rows of sixteen; the outer bits of the index choose the row, the four between the column."""
    row = [[int(digit, 16) for digit in text] for text in rows.split()]
    return Table([row[x >> 4 & 2 | x & 1][x >> 1 & 15] for x in range(64)], width=4, name=f"S{number}")


S = [
    substitution(rows, number)
    for number, rows in enumerate(
        (
            "E4D12FB83A6C5907 0F74E2D1A6CB9538 41E8D62BFC973A50 FC8249175B3EA06D",
            "F18E6B34972DC05A 3D47F28EC01A69B5 0E7BA4D158C6932F D8A13F42B67C05E9",
            "A09E63F51DC7B428 D709346A285ECBF1 D6498F30B12C5AE7 1AD069874FE3B52C",
            "7DE3069A1285BC4F D8B56F03472C1AE9 A690CB7DF13E5284 3F06A1D8945BC72E",
            "2C417AB6853FD0E9 EB2C47D150FA3986 421BAD78F9C5630E B8C71E2D6F09A453",
            "C1AF92680D34E75B AF427C9561DE0B38 9EF528C3704A1DB6 432C95FABE17608D",
            "4B2EF08D3C975A61 D0B7491AE35C2F86 14BDC37EAF680592 6BD814A7950FE23C",
            "D2846FB1A93E50C7 1FD8A374C56B0E92 7B419CE206ADF358 21E74A8DFC90356B",
        ),
        start=1,
    )
]


def key_schedule(key):
    """Sixteen round keys of 48 bits from a key of 64; the parity bits are not used."""
    (cd,) = PC1(key)
    c, d = cd[28:56], cd[0:28]
    round_keys = []
    for shift in SHIFTS:
        c, d = rol(c, shift), rol(d, shift)
        round_keys += PC2(join(d, c))
    return round_keys


def f(r, k):
    (expanded,) = E(r)
    x = expanded ^ k
    groups = [x[low : low + 6] for low in range(42, -1, -6)]  # the leftmost six bits first
    substituted = [box[group] for box, group in zip(S, groups, strict=True)]
    (permuted,) = P(join(*reversed(substituted)))
    return permuted


def des(block, round_keys, turns):
    """One DES on a 64-bit word; ``turns`` counts the rounds. The halves are swapped at the end."""
    (lr,) = IP(block)
    left, right = lr[32:64], lr[0:32]
    for n in turns:
        left, right = right, left ^ f(right, round_keys[n])
    (out,) = FP(join(left, right))
    return out


class DES(Cipher):
    """DES (National Bureau of Standards 1977): a Feistel network on 64 bits."""

    facts = Facts(
        title="DES",
        year=1977,
        designers="IBM, National Bureau of Standards",
        structure="Feistel network",
        state="broken",
        analysis="all 2^56 keys tried in 56 hours (EFF, Cracking DES, 1998); FIPS 46-3 withdrawn 2005",
    )
    aliases = ("dea",)
    block = words(1, u64, BIG)
    key_bits = (64,)

    def expand_key(self, key):
        return key_schedule(key[0])

    def encrypt(self, block, round_keys):
        return des(block[0], round_keys, rounds(16))

    def decrypt(self, block, round_keys):
        return des(block[0], round_keys, rounds(15, -1, -1))
