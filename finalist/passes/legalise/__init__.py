"""Wide words for narrow machines: every word becomes limbs that a machine's words hold.

A word of n bits becomes ceil(n / width) limbs, the lowest first, the last with the bits that are left:
with limbs of 32 bits a word of 48 is one of 32 and one of 16. An array of wide words becomes an array
for each limb, a table a table for each. Nothing that computes is ever wider afterwards, so that a
machine of 32-bit (or narrower) registers needs no double words of its own. For vectors of narrow lanes
`lanes.run` does the same with all that depends on the block, and leaves the key's words as they are.
"""

from finalist.passes.legalise.walk import ACCEPTED, legalised, run, widest

__all__ = ["ACCEPTED", "legalised", "run", "widest"]
