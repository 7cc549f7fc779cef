"""Salsa20/20 (Bernstein 2005, eSTREAM)."""

from finalist.language import LITTLE, CounterCipher, Facts, constant, join, rol, rounds, u32, words

SIGMA, TAU = (
    [int.from_bytes(text[n : n + 4], "little") for n in range(0, 16, 4)]
    for text in (b"expand 32-byte k", b"expand 16-byte k")
)
#: Columnround, then rowround: the words of a quarterround.
QUARTERS = (
    (0, 4, 8, 12),
    (5, 9, 13, 1),
    (10, 14, 2, 6),
    (15, 3, 7, 11),
    (0, 1, 2, 3),
    (5, 6, 7, 4),
    (10, 11, 8, 9),
    (15, 12, 13, 14),
)


def quarterround(x, a, b, c, d):
    for e, f, g, n in ((b, a, d, 7), (c, b, a, 9), (d, c, b, 13), (a, d, c, 18)):
        x[e] = x[e] ^ rol(x[f] + x[g], n)


class Salsa20(CounterCipher):
    """Salsa20 (Bernstein 2005): a key stream of additions, rotations and XOR, block by counter."""

    facts = Facts(
        title="Salsa20",
        year=2005,
        designers="Daniel J. Bernstein",
        structure="stream cipher: a keyed function of a counter",
        state="unbroken",
        analysis="8 of 20 rounds (Aumasson, Fischer, Khazaei, Meier, Rechberger, FSE 2008)",
    )
    block = words(16, u32, LITTLE)
    key_bits = (128 + 128, 256 + 128)
    key_words = words(1, u32, LITTLE)
    public = words(4, u32, LITTLE)  # the nonce and the counter, two words each
    counter_words = slice(2, 4)

    def start(self, key, public):
        return [*key, *public[:2]], join(*public[2:])

    def stream_block(self, words, counter):
        *key, n0, n1 = words
        c = [constant(word, 32) for word in (SIGMA if len(key) == 8 else TAU)]
        state = [c[0], *key[:4], c[1], n0, n1, counter[0:32], counter[32:64], c[2], *key[-4:], c[3]]
        x = list(state)
        for _ in rounds(10):
            for quarter in QUARTERS:
                quarterround(x, *quarter)
        return [a + b for a, b in zip(x, state, strict=True)]
