"""HPC-Short."""

from finalist.ciphers.hpc_rounds import ALL, PI19
from finalist.language import Table

#: From the digits of e; a sum with the entry of a word's lowest four bits permutes these.
DIGITS = """B7E151628AED2A6A BF7158809CF4F3C7 62E7160F38B4DA56 A784D9045190CFEF
            324E7738926CFBE5 F4BF8D8D8C31D763 DA06C80ABB1185EB 4F7C7B5757F59584
            90CFD47D7C19BB42 158D9554F7B46BCE 8A9A276BCFBFA1C8 E5AB6ADD835FD1A0
            86D1BF275B9B241D F0D3D37BE67008E1 0FF8EC6D31BEB5CC EB64749A47DFDFB9"""
PERMB = [int(digits, 16) - n & ALL for n, digits in enumerate(DIGITS.split())]
Permb = Table(PERMB, width=64, name="Permb")
Permbi = Table(sorted(PERMB, key=lambda entry: entry + PERMB.index(entry) & 15), width=64, name="Permbi")


def mixed(s, KX, sp, i, bits):
    """A round of HPC-Short on 64 bits: LBH, LBQ, LBT and GAP of the specification are 32, 16, 22 and 0."""
    (s0,) = s
    k = KX[s0] + sp[i]
    s0 = (s0 + (k << 8)) ^ (k & ALL - 255)
    s0 = (s0 + (s0 << (32 + i))) ^ sp[i ^ 7]
    s0 = s0 - (sp[i ^ 7] >> i) + (sp[i ^ 7] >> 13)
    s0 = s0 ^ (s0 >> 32)
    k = KX[s0] ^ sp[i ^ 4]
    k = KX[(s0 & 255) + 3 * i + 1] + (k >> 23) + (k << 41)
    s0 = (s0 ^ (k << 8)) - (k & ALL - 255)
    s0 = s0 - (s0 << 32)
    t = sp[i ^ 1] ^ (PI19 + bits)
    s0 = ((s0 + (t << 3 & ALL)) ^ t >> 2) - t
    s0 = s0 ^ (s0 >> 16)
    s0 = (s0 + Permb[s0[0:4]]) ^ sp[i ^ 2] >> 4
    s0 = s0 + (s0 << (22 + (s0 & 15))) + sp[i ^ 2]
    return (s0 ^ (s0 >> 32),)


def unmixed(s, KX, sp, i, bits):
    (s0,) = s
    s0 = (s0 ^ (s0 >> 32)) - sp[i ^ 2]
    n = 22 + (s0 & 15)
    s0 = s0 - ((s0 - (s0 << n)) << n)
    s0 = s0 ^ sp[i ^ 2] >> 4
    s0 = s0 - Permbi[s0[0:4]]
    s0 = s0 ^ (s0 >> 16) ^ (s0 >> 32) ^ (s0 >> 48)
    t = sp[i ^ 1] ^ (PI19 + bits)
    s0 = ((s0 + t) ^ t >> 2) - (t << 3 & ALL)
    s0 = s0 + (s0 << 32)
    k = KX[s0] ^ sp[i ^ 4]
    k = KX[(s0 & 255) + 3 * i + 1] + (k >> 23) + (k << 41)
    s0 = (s0 + (k & ALL - 255)) ^ (k << 8)
    s0 = s0 ^ (s0 >> 32)
    s0 = (s0 - (sp[i ^ 7] >> 13) + (sp[i ^ 7] >> i)) ^ sp[i ^ 7]
    s0 = s0 - (s0 << (32 + i))
    k = KX[s0] + sp[i]
    return ((s0 ^ (k & ALL - 255)) - (k << 8),)
