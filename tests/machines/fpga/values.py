"""What signals are, computed one by one: for tests of what writes them in other ways."""

from __future__ import annotations

from collections.abc import Mapping

from finalist.ir.ops import Op
from finalist.machines.fpga.signals import Part, Signal


def word(width: int, name: str = "") -> Signal:
    """One that nothing here makes: a register, or a port."""
    return Signal(Part.INPUT, (), width, name=name)


def value(signal: Signal, words: Mapping[Signal, int]) -> int:
    """What a signal is, made of words with these values."""
    known = dict(words)
    stack = [signal]
    while stack:
        missing = [child for child in stack[-1].inputs if child not in known]
        if missing:
            stack += missing
            continue
        done = stack.pop()
        if done not in known:
            known[done] = _made(done, [known[child] for child in done.inputs]) & (1 << done.width) - 1
    return known[signal]


def _made(signal: Signal, inputs: list[int]) -> int:
    op, attr, width = signal.op, signal.attr, signal.width
    if op is Part.MUX:
        choice = attr[inputs[0]]
        return 0 if choice is None else inputs[1 + choice]
    if op is Op.SELECT:
        return inputs[1] if inputs[0] else inputs[2]
    if op is Op.CONST:
        return int(attr)
    if op is Op.SLICE:
        return inputs[0] >> attr
    if op is Op.JOIN:
        lows = [sum(part.width for part in signal.inputs[:k]) for k in range(len(inputs))]
        return sum(part << low for part, low in zip(inputs, lows, strict=True))
    if op is Op.ROL:
        return inputs[0] << inputs[1] | inputs[0] >> width - inputs[1]
    if op is Op.LOOKUP:
        return int(attr.values[inputs[0]])
    if op is Op.XOR:
        return inputs[0] ^ inputs[1]
    assert op is Op.LINEAR, op
    total = 0
    for matrix, source in zip(attr, inputs, strict=True):
        for place, column in enumerate(matrix):
            total ^= column * (source >> place & 1)
    return total
