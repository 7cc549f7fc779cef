"""Xoodoo (Daemen, Hoffert, Van Assche, Van Keer 2018)."""

from finalist.language import LITTLE, Facts, Permutation, Table, rol, rounds, u32, words

RC = (0x058, 0x038, 0x3C0, 0x0D0, 0x120, 0x014, 0x060, 0x02C, 0x380, 0x0F0, 0x1A0, 0x012)
LAST = len(RC)


def chi_of_column(column):
    x = [column >> i & 1 for i in range(3)]
    return sum((x[i] ^ (1 - x[(i + 1) % 3]) & x[(i + 2) % 3]) << i for i in range(3))


CHI = Table([chi_of_column(column) for column in range(8)], name="CHI")  # its own inverse


def shifted(plane, t, v):
    """A plane's four lanes moved by t places, each rotated by v."""
    return [rol(plane[(x - t) % 4], v % 32) for x in range(4)]


def xor(a, b):
    return [x ^ y for x, y in zip(a, b, strict=True)]


def effect(p, n=0):
    """Theta's E from the parity p; n: E to the power of 2^n."""
    return xor(shifted(p, 1 << n, 5 << n), shifted(p, 1 << n, 14 << n))


def parity(planes):
    return xor(xor(planes[0], planes[1]), planes[2])


def theta(planes):
    e = effect(parity(planes))
    return [xor(plane, e) for plane in planes]


def theta_inverse(planes):
    """Theta makes the parity p by 1 + E; (1 + E)^31 undoes it, as (1 + E)^32 is 1."""
    p = parity(planes)
    for n in range(5):
        p = xor(p, effect(p, n))
    e = effect(p)
    return [xor(plane, e) for plane in planes]


def rho(planes, first, second):
    return [planes[0], shifted(planes[1], *first), shifted(planes[2], *second)]


def iota(planes, r):
    return [[planes[0][0] ^ RC[r], *planes[0][1:]], *planes[1:]]


def chi(planes):
    columns = [CHI.bitslice(*lanes) for lanes in zip(*planes, strict=True)]
    return [list(plane) for plane in zip(*columns, strict=True)]


def flat(planes):
    return [lane for plane in planes for lane in plane]


def planes_of(state):
    return [state[n : n + 4] for n in range(0, 12, 4)]


class Xoodoo(Permutation):
    """Xoodoo (Daemen and others 2018): three planes of four words; 3-bit S-boxes, moves of planes."""

    facts = Facts(
        title="Xoodoo",
        year=2018,
        designers="Joan Daemen, Seth Hoffert, Gilles Van Assche, Ronny Van Keer",
        structure="permutation: substitution-permutation network on bit slices",
        state="unbroken",
        analysis="trails of three rounds weigh 36 and more (Daemen and others, ToSC 2018)",
    )
    block = words(12, u32, LITTLE)

    def permute(self, state):
        planes = planes_of(state)
        for r in rounds(LAST):
            planes = iota(rho(theta(planes), (1, 0), (0, 11)), r)
            planes = rho(chi(planes), (0, 1), (2, 8))
        return flat(planes)

    def invert(self, state):
        planes = planes_of(state)
        for r in rounds(LAST - 1, -1, -1):
            planes = chi(rho(planes, (0, -1), (-2, -8)))
            planes = theta_inverse(rho(iota(planes, r), (-1, 0), (0, -11)))
        return flat(planes)
