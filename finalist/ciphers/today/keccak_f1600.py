"""Keccak-f[1600], the permutation of SHA-3 (Bertoni and others 2008; FIPS 202)."""

from finalist.language import LITTLE, Facts, Permutation, Table, rol, rounds, u64, words

LAST = 24


def chi_of_row(row):
    x = [row >> i & 1 for i in range(5)]
    return sum((x[i] ^ (1 - x[(i + 1) % 5]) & x[(i + 2) % 5]) << i for i in range(5))


CHI = Table([chi_of_row(row) for row in range(32)], name="CHI")
CHI_INV = CHI.inverse()


def rc(t):
    """Algorithm 5: a bit of the round constants, of the shift register by x^8 + x^6 + x^5 + x^4 + 1."""
    register = 1
    for _ in range(t % 255):
        register = register << 1 ^ (register >> 7) * 0x171
    return register & 1


RC = [sum(rc(j + 7 * r) << 2**j - 1 for j in range(7)) for r in range(LAST)]


def walk():
    """Algorithm 2: by how much rho rotates the lane at x + 5 y."""
    found, (x, y) = {0: 0}, (1, 0)
    for t in range(24):
        found[x + 5 * y] = (t + 1) * (t + 2) // 2 % 64
        x, y = y, (2 * x + 3 * y) % 5
    return found


OFFSETS = walk()


def parities(a):
    return [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]


def theta_of(a, c):
    """Theta's sum of lanes and the parities of the columns beside theirs."""
    return [lane ^ c[(n - 1) % 5] ^ rol(c[(n + 1) % 5], 1) for n, lane in enumerate(a)]


def theta_inverse(a):
    """Theta makes parities c by 1 + E, E = X + X^4 Z; (1 + E)^191 undoes it, as (1 + E)^192 is 1."""
    c = parities(a)
    for n in (0, 1, 2, 3, 4, 5, 7):
        c = [c[x] ^ c[(x - 2**n) % 5] ^ rol(c[(x + 2**n) % 5], 2**n % 64) for x in range(5)]
    return theta_of(a, c)


def rho(a):
    return [rol(lane, OFFSETS[n]) for n, lane in enumerate(a)]


def rho_inverse(a):
    return [rol(lane, -OFFSETS[n] % 64) for n, lane in enumerate(a)]


def pi(a):
    return [a[(x + 3 * y) % 5 + 5 * x] for y in range(5) for x in range(5)]


def pi_inverse(a):
    return [a[y + 5 * ((2 * x + 3 * y) % 5)] for y in range(5) for x in range(5)]


def chi(a, row=CHI):
    return [lane for y in range(0, 25, 5) for lane in row.bitslice(*a[y : y + 5])]


def iota(a, r):
    return [a[0] ^ RC[r], *a[1:]]


class KeccakF1600(Permutation):
    """Keccak-f[1600] (Bertoni and others 2008): 25 words, mixed along columns, lanes and rows."""

    called = "keccak-f1600"
    facts = Facts(
        title="Keccak-f[1600]",
        year=2008,
        designers="Guido Bertoni, Joan Daemen, Michaël Peeters, Gilles Van Assche",
        structure="permutation: substitution-permutation network on bit slices",
        state="standard",
        analysis="FIPS 202",
    )
    aliases = ("keccak",)
    block = words(25, u64, LITTLE)

    def permute(self, state):
        for r in rounds(LAST):
            state = iota(chi(pi(rho(theta_of(state, parities(state))))), r)
        return state

    def invert(self, state):
        for r in rounds(LAST - 1, -1, -1):
            state = theta_inverse(rho_inverse(pi_inverse(chi(iota(state, r), CHI_INV))))
        return state
