"""ChaCha20 (Bernstein 2008; RFC 8439)."""

from finalist.language import LITTLE, CounterCipher, Facts, constant, rol, rounds, u32, words

SIGMA = [int.from_bytes(b"expand 32-byte k"[n : n + 4], "little") for n in range(0, 16, 4)]
#: Section 2.3: columns, then diagonals.
QUARTERS = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


def quarter_round(x, a, b, c, d):
    for e, f, g, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[e] = x[e] + x[f]
        x[g] = rol(x[g] ^ x[e], n)


class ChaCha20(CounterCipher):
    """ChaCha20 (Bernstein 2008): a key stream of additions, rotations and XOR, block by counter."""

    facts = Facts(
        title="ChaCha20",
        year=2008,
        designers="Daniel J. Bernstein",
        structure="stream cipher: a keyed function of a counter",
        state="standard",
        analysis="RFC 8439; 7 of 20 rounds (Aumasson, Fischer, Khazaei, Meier, Rechberger, FSE 2008)",
    )
    block = words(16, u32, LITTLE)
    key_bits = (256 + 128,)
    key_words = words(1, u32, LITTLE)
    public = words(4, u32, LITTLE)  # the counter and the nonce
    counter_words = slice(0, 1)

    def start(self, key, public):
        return [*key, *public[1:]], public[0]

    def stream_block(self, words, counter):
        state = [constant(c, 32) for c in SIGMA] + [*words[:8], counter, *words[8:]]
        x = list(state)
        for _ in rounds(10):
            for quarter in QUARTERS:
                quarter_round(x, *quarter)
        return [a + b for a, b in zip(x, state, strict=True)]
