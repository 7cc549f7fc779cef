"""Bitslicing: kernels whose every word is one bit, so that a vector works on as many blocks as it has bits.

(E. Biham, "A Fast New DES Implementation in Software", FSE 1997.)
"""

from finalist.passes.bitslice.walk import check, obstacle, run

__all__ = ["check", "obstacle", "run"]
