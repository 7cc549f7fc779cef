"""Ascon-p, the permutation of Ascon (Dobraunig and others 2014; SP 800-232), by itself of 12 rounds."""

from finalist.language import LITTLE, Facts, Permutation, Table, ror, rounds, u64, words

#: Of a column of the state, whose highest bit is that of S0.
ROW = "04 0B 1F 14 1A 15 09 02 1B 05 08 12 1D 03 06 1C 1E 13 07 0E 00 0D 11 18 10 0C 01 19 16 0A 0F 17"
S = Table(bytes.fromhex(ROW), name="S")
S_INV = S.inverse()
TURNS = ((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))


def layer(x, box):
    return list(reversed(box.bitslice(*reversed(x))))


def mixed(w, a, b):
    return w ^ ror(w, a % 64) ^ ror(w, b % 64)


def unmixed(w, a, b):
    """1 + X^a + X^b modulo X^64 + 1 to the power of 63: its 64th is 1."""
    for n in range(6):
        w = mixed(w, a << n, b << n)
    return w


class AsconP(Permutation):
    """Ascon-p (Dobraunig and others 2014): five words; a 5-bit S-box on their bits, rotations of each.

    Parameter: ``r``, the number of rounds: the last so many of sixteen.
    """

    called = "ascon-p"
    facts = Facts(
        title="Ascon-p",
        year=2014,
        designers="Christoph Dobraunig, Maria Eichlseder, Florian Mendel, Martin Schläffer",
        structure="permutation: substitution-permutation network on bit slices",
        state="standard",
        analysis="SP 800-232",
    )
    parameters = {"r": range(1, 17)}
    r = 12
    block = words(5, u64, LITTLE)

    def constants(self):
        """Table 5, of the rounds that there are."""
        return [(0x3C, 0x2D, 0x1E, 0x0F, *range(0xF0, 0x4A, -0xF))[i] for i in range(16 - self.r, 16)]

    def permute(self, state):
        c = self.constants()
        for r in rounds(self.r):
            x = layer([*state[:2], state[2] ^ c[r], *state[3:]], S)
            state = [mixed(w, a, b) for w, (a, b) in zip(x, TURNS, strict=True)]
        return state

    def invert(self, state):
        c = self.constants()
        for r in rounds(self.r - 1, -1, -1):
            x = layer([unmixed(w, a, b) for w, (a, b) in zip(state, TURNS, strict=True)], S_INV)
            state = [*x[:2], x[2] ^ c[r], *x[3:]]
        return state
