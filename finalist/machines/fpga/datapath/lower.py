"""From a traced program to a kernel that is hardware already, operation for operation.

Lookups stay tables, keyed functions are computed (zero keying), linear maps stay linear. What logic has no
cell for becomes what it has: a rotation by a word is a row of multiplexers for each bit of the amount, a
product an adder tree of its rows, and the square that hides in x * (2x + 1) half as many of them.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import WordType
from finalist.passes import legalise, pack
from finalist.passes.analysis import KeyOnly, users
from finalist.passes.driver import on_kernel, run_once, when, whole
from finalist.passes.lanes import nibbles
from finalist.passes.pipeline import HOIST, LINEAR_KEYS, PACK, SIMPLIFY, ZERO_KEYING
from finalist.passes.simplify import simplify as rules

#: What only picks bits of key words; anything else that depends on the key alone goes into the key schedule.
_WIRES = frozenset({Op.LOAD, Op.SLICE, Op.JOIN, Op.EXTEND, Op.CONST, Op.PARAM})
#: Words wider than this have no product of their own: IR words end at 64 bits, a product has twice as many.
_FACTOR = 32


def lower(traced: Program, *, compute: bool = True, chip: bool = False) -> Program:
    """The program as hardware computes it; ``compute``: tables that are networks of small ones, as those;
    ``chip``: the key schedule will be hardware as well, which has linear maps as they are.

    Raises ScheduleError, naming the line, where it has no such form.
    """
    refuse(traced)
    wide = any(node.op is Op.MULHI and node.width > _FACTOR for node in every_node(traced.kernel))
    legal = when(wide, whole("legalise", legalise.run, _FACTOR))
    program = run_once(traced, (*legal, SIMPLIFY, PACK, ZERO_KEYING, whole("pack again", pack.run)))
    work = any(node.op not in _WIRES for node in _key_only(program.kernel))
    return run_once(
        program,
        (
            *when(work, HOIST),
            *when(work and not chip, LINEAR_KEYS),
            *when(compute, whole("nibbles", nibbles.in_logic)),
            on_kernel("cells", expanded),
            on_kernel("parts of words", in_parts),
        ),
    )


def expanded(graph: Graph) -> Graph:
    """The graph in operations that there are cells for."""
    return resliced(rewrite(graph, Builder(rules), _expand))


def refuse(traced: Program) -> None:
    """Raise ScheduleError where the kernel needs memory or data-dependent control."""
    if traced.stateful:
        raise ScheduleError(f"{traced.cipher} has no data path: its blocks hand on a state")
    for node in every_node(traced.kernel):
        reason = _obstacle(node)
        if reason:
            raise ScheduleError(f"{traced.cipher} has no data path: {reason} ({node.line})")


def _obstacle(node: Node) -> str:
    if node.op in CONTROL:
        return f"its {node.op.label} has no sequential form in hardware yet"
    if node.op in (Op.STORE, Op.ARRAY):
        return "it writes to an array"
    if node.op is Op.LOAD and node.inputs[1].op is not Op.CONST:
        return "it reads an array at a place that depends on the data"
    return "rem has no form in logic" if node.op is Op.REM else ""


def _key_only(kernel: Graph) -> list[Node]:
    key_only = KeyOnly()
    return [node for node in kernel.body if key_only(node)]


def resliced(kernel: Graph) -> Graph:
    """Parts of a word that is otherwise only needed rotated are taken from the rotated word.

    Else both would be kept in registers, and a first round, which has no such rotation before it, would
    differ from the others.
    """
    turned: dict[Node, Node] = {}
    for word, found in users(kernel).items():
        turns = [n for n in found if n.op is Op.ROL and n.inputs[1].op is Op.CONST and n.phase == word.phase]
        if len(turns) == 1 and all(n is turns[0] or n.op is Op.SLICE for n in found):
            turned[word] = turns[0]

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.SLICE or node.inputs[0] not in turned:
            return None
        turn, make = turned[node.inputs[0]], rewriter.builder
        whole, low = rewriter.get(turn), (node.attr + turn.inputs[1].attr) % turn.width
        if low + node.width <= turn.width:
            return make.slice(whole, low, node.width)
        below = turn.width - low
        parts = make.slice(whole, low, below), make.slice(whole, 0, node.width - below)
        return make.make(Op.JOIN, parts)

    return rewrite(kernel, Builder(), visit)


def in_parts(kernel: Graph) -> Graph:
    """Bits of a part of a word of the block are taken from the part, where only parts of the word are used.

    Else the word would be kept in registers beside its parts.
    """
    parts = {word: _parts(found) for word, found in users(kernel).items() if word.op is Op.PARAM}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        ranges = parts.get(node.inputs[0], []) if node.op is Op.SLICE else []
        low, end = (node.attr, node.attr + node.width) if ranges else (0, 0)
        within = [part for part in ranges if part[0] <= low and end <= part[1] and part != (low, end)]
        if not within:
            return None
        ((first, last),) = within
        part = rewriter.builder.slice(inputs[0], first, last - first)
        return rewriter.builder.slice(part, low - first, node.width)

    return rewrite(kernel, Builder(), visit)


def _parts(found: list[Node]) -> list[tuple[int, int]]:
    """The widest bit ranges that users take of a word; none if they overlap, or someone takes it whole."""
    ranges: list[tuple[int, int]] = []
    if not all(node.op is Op.SLICE for node in found):
        return ranges
    for low, end in sorted(((n.attr, n.attr + n.width) for n in found), key=lambda r: (r[0], -r[1])):
        if not ranges or low >= ranges[-1][1]:
            ranges.append((low, end))
        elif end > ranges[-1][1]:
            return []
    return ranges


# -- operations that have no cell -----------------------------------------------------------------


def _expand(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    rule = _RULES.get(node.op)
    return rule(rewriter.builder, node, inputs) if rule else None


def _move(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """A rotation or shift by a word: for each bit of the amount, the word moved or not."""
    word, amount = inputs
    if amount.op is Op.CONST:
        return None
    bits = (node.width - 1).bit_length()
    if node.op in (Op.ROL, Op.ROR) and 1 << bits != node.width:
        raise ScheduleError(
            f"a word of {node.width} bits turned by a word has no form in logic ({node.line})"
        )
    for bit in range(min(bits, amount.width)):
        moved = make.make(node.op, (word, make.const(1 << bit, 8)))
        word = make.make(Op.SELECT, (make.slice(amount, bit, 1), moved, word))
    if node.op in (Op.SHL, Op.SHR) and amount.width > bits:
        high = make.slice(amount, bits, amount.width - bits)
        none = make.make(Op.EQ, (high, make.const(0, high.width)))
        word = make.make(Op.SELECT, (none, word, make.const(0, node.width)))
    return word


def _product(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    a, b = inputs
    for x, other in ((a, b), (b, a)):
        if _is_twice_plus_one(x, other):
            twice = make.make(Op.SHL, (square(make, x), make.const(1, 8)))
            return make.make(Op.ADD, (twice, x))
    if a is b:
        return square(make, a)
    if b.op is Op.CONST:
        return _multiple(make, a, b.attr)
    rows = [(bit, _row(make, b, bit, a, 0)) for bit in range(a.width)]
    return total(make, rows, a.width)


def _is_twice_plus_one(x: Node, other: Node) -> bool:
    if other.op is not Op.ADD or other.inputs[1].op is not Op.CONST or other.inputs[1].attr != 1:
        return False
    twice = other.inputs[0]
    shifted = twice.op is Op.SHL and twice.inputs[1].op is Op.CONST and twice.inputs[1].attr == 1
    return shifted and twice.inputs[0] is x


def _row(make: Builder, chooser: Node, bit: int, word: Node, skip: int) -> Node:
    """The part of ``word`` that row ``bit`` of a product still has room for, from bit ``skip``; or zero."""
    room = word.width - bit - skip
    part = make.slice(word, skip, room)
    return make.make(Op.SELECT, (make.slice(chooser, bit, 1), part, make.const(0, room)))


def square(make: Builder, x: Node) -> Node:
    """x * x mod 2^n: x_i x_j for i < j counts twice, so that row i is what lies above bit i, and x_i."""
    n = x.width
    rows = []
    for i in range((n + 1) // 2):
        room = n - 2 * i
        low = make.slice(x, i, 1)
        if room <= 2:
            rows.append((2 * i, make.extend(low, room)))
            continue
        part = make.slice(x, i + 1, room - 2)
        above = make.make(Op.SELECT, (low, part, make.const(0, room - 2)))
        rows.append((2 * i, make.make(Op.JOIN, (low, make.const(0, 1), above))))
    return total(make, rows, n)


def _multiple(make: Builder, a: Node, factor: int) -> Node:
    """A product with a constant: its non-zero digits, signed where that takes fewer."""
    positive: list[tuple[int, Node]] = []
    negative: list[tuple[int, Node]] = []
    bit = 0
    while factor and bit < a.width:
        if factor & 1:
            digit = 2 - (factor & 3) if factor >> 1 else 1
            (positive if digit > 0 else negative).append((bit, make.slice(a, 0, a.width - bit)))
            factor -= digit
        factor >>= 1
        bit += 1
    result = total(make, positive, a.width)
    if negative:
        result = make.make(Op.SUB, (result, total(make, negative, a.width)))
    return result


def total(make: Builder, rows: list[tuple[int, Node]], width: int) -> Node:
    """The sum mod 2^width of words, each from its bit up to the top, as a balanced tree of adders."""
    if not rows:
        return make.const(0, width)
    while len(rows) > 1:
        pairs = [rows[k : k + 2] for k in range(0, len(rows), 2)]
        rows = [_sum(make, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    low, word = rows[0]
    return make.make(Op.JOIN, (make.const(0, low), word)) if low else word


def _sum(make: Builder, a: tuple[int, Node], b: tuple[int, Node]) -> tuple[int, Node]:
    """Two rows added; below the lowest bit of one the other goes as it is."""
    (low, x), (high, y) = sorted((a, b), key=lambda row: row[0])
    if low == high:
        return low, make.make(Op.ADD, (x, y))
    step = high - low
    added = make.make(Op.ADD, (_bits(make, x, step, x.width - step), y))
    return low, make.make(Op.JOIN, (_bits(make, x, 0, step), added))


def _bits(make: Builder, word: Node, low: int, size: int) -> Node:
    """Bits of a word; of a row, the row of those bits, so that it can be part of the cells that add it."""
    if word.op is Op.SELECT:
        choice, one, other = word.inputs
        return make.make(Op.SELECT, (choice, _bits(make, one, low, size), _bits(make, other, low, size)))
    if word.op is not Op.JOIN:
        return make.slice(word, low, size)
    parts, at = [], 0
    for part in word.inputs:
        first, last = max(low, at), min(low + size, at + part.width)
        if last > first:
            parts.append(_bits(make, part, first - at, last - first))
        at += part.width
    return parts[0] if len(parts) == 1 else make.make(Op.JOIN, parts)


def _high_product(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    a, b = (make.extend(word, 2 * node.width) for word in inputs)
    wide = Node(Op.MUL, (a, b), WordType(2 * node.width), line=node.line)
    return make.slice(_product(make, wide, (a, b)), node.width, node.width)


def _narrow(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """A table some of whose result bits are never set: as one of the others, and wires."""
    table: TableData = node.attr
    ever = _ever([*table.values])
    used = [bit for bit in range(table.width) if ever >> bit & 1]
    if len(used) in (0, table.width):
        return None
    values = tuple(sum((value >> bit & 1) << k for k, bit in enumerate(used)) for value in table.values)
    small = TableData(values, len(used), table.name, table.note)
    return make.linear([tuple(1 << bit for bit in used)], [make.make(Op.LOOKUP, inputs, small)], table.width)


def _ever(values: list[int]) -> int:
    return functools.reduce(operator.or_, values, 0)


def _beside(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """Words that never have ones at the same place: no XOR but wires."""
    masks = [_possible(word) for word in inputs]
    if sum(masks) != _ever(masks):
        return None
    owner = [next((k for k, mask in enumerate(masks) if mask >> bit & 1), 0) for bit in range(node.width)]
    starts = [bit for bit in range(node.width) if bit == 0 or owner[bit] != owner[bit - 1]]
    ends = [*starts[1:], node.width]
    parts = [make.slice(inputs[owner[at]], at, end - at) for at, end in zip(starts, ends, strict=True)]
    return make.make(Op.JOIN, parts)


def _possible(word: Node) -> int:
    """The bits of a word that may be ones."""
    if word.op is Op.CONST:
        return int(word.attr)
    if word.op is Op.LINEAR:
        return _ever([column for matrix in word.attr for column in matrix])
    return (1 << word.width) - 1


_RULES: dict[Op, Callable[[Builder, Node, tuple[Node, ...]], Node | None]] = {
    Op.ROL: _move,
    Op.ROR: _move,
    Op.SHL: _move,
    Op.SHR: _move,
    Op.MUL: _product,
    Op.MULHI: _high_product,
    Op.LOOKUP: _narrow,
    Op.XOR: _beside,
}
