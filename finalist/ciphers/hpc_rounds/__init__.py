"""Rounds of the Hasty Pudding Cipher's sub-ciphers, and their inverses (Schroeppel 1998, one section each).

Each takes the words of the block, KX, the spice, the number of the round and the bits of a block.
"""

PI19 = 3141592653589793238
ALL = (1 << 64) - 1
