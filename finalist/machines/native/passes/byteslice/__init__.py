"""Byteslicing: one bit of each byte of a block side by side, in eight words for the eight bits of a byte.

An S-box that every byte goes through is then one run of its circuit, and bytes that change places are
eight equal permutations of bits. A machine that keeps some blocks side by side, so that each of these
bits is a byte of eight blocks, permutes with byte shuffles. (E. Kasper, P. Schwabe, "Faster and
Timing-Attack Resistant AES-GCM", CHES 2009.)
"""

from finalist.machines.native.passes.byteslice.walk import SLOTS, obstacle, run, with_blocks

__all__ = ["SLOTS", "obstacle", "run", "with_blocks"]
