"""Buffers with something behind what a program writes."""

from __future__ import annotations

from finalist.machines.native.memory import Buffer
from finalist.machines.native.run import NativeProgram

#: What stands behind the output.
UNTOUCHED = b"\xa5" * 64


def with_what_follows(program: NativeProgram, key: bytes, blocks: bytes) -> bytes:
    """What the program makes of the blocks, and what stands behind that in memory then."""
    source, target = Buffer(len(blocks)), Buffer(len(blocks) + len(UNTOUCHED))
    source.write(blocks)
    target.write(bytes(len(blocks)) + UNTOUCHED)
    count = len(blocks) // program.block_bytes
    program.crypt_at(program.expand(key), source.address, target.address, count)
    return target.read()
