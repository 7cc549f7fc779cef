"""Stream ciphers whose state is a counter: their blocks need not wait for one another.

Where a step leaves nothing behind but counters, each a constant higher, the state of the n-th block after is
known at once. ``x ^ f(counter++)`` for block after block -> ``x ^ f(counter + n)`` for n = 0, 1, 2, ... side
by side, and the counters go on by as many steps as there were blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, origin, postorder
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.ir.program import Counter, Layout, Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType
from finalist.passes import legalise
from finalist.passes.analysis import stored
from finalist.passes.simplify import simplify

#: Bits of a block's words in which the number of a block of any call fits.
_NUMBERED = (32, 64)
#: More than the blocks of any call.
MOST_BLOCKS = 1 << 16


class NotACounter(Exception):
    """Why the state of a stream cipher is more than counters."""


@dataclass(frozen=True, slots=True)
class _Step:
    """An entry of a state array that each block leaves ``step`` higher."""

    array: Node
    entry: int
    step: int


def obstacle(program: Program) -> str:
    """Why blocks of a stream cipher wait for one another; empty where its state is counters alone."""
    try:
        _found(program)
    except NotACounter as error:
        return f"state that each block hands on to the next ({error})"
    return ""


def counted(program: Program) -> Program:
    """The program whose kernel works on any block by its number, if blocks hand on counters alone.

    Its first parameter is then the number of the block within a call, the others of the block nothing; its
    results are the key stream, which goes on the block by XOR. `Program.counters` says what becomes of the
    state after a call. Others stay as they are.
    """
    return _counted(program) if program.stateful and not obstacle(program) else program


@memoized
def _counted(program: Program) -> Program:
    block = program.block
    make = Builder(simplify)
    kernel, found, streams = _found(program)
    steps = {(step.array, step.entry): step for step in found}
    counting = {step.array for step in found}
    words, arrays = kernel.params[: block.count], kernel.params[block.count :]
    made = [make.param("counter" if a in counting else "key", a.type, a.name) for a in arrays]

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.LOAD or node.inputs[0] not in counting:
            return None
        read = make.make(Op.LOAD, inputs)
        step = steps.get((node.inputs[0], _entry(node) or 0))
        return read if step is None else make.make(Op.ADD, (read, _ahead(make, words[0], step)))

    rewriter = Rewriter(make, visit)
    rewriter.map.update(zip(arrays, made, strict=True))
    results = rewriter.all(streams)
    new = Graph(kernel.name, (*words, *made), results, kernel.rounds)
    return _in_words(program.with_graphs(program.expand, new), list(zip(arrays, made, strict=True)), steps)


def _ahead(make: Builder, number: Node, step: _Step) -> Node:
    """How much higher a counter is for the block of this number."""
    width = step.array.width
    # No product is a wide one where a narrow one holds it.
    if width > number.width and step.step <= mask(number.width) // MOST_BLOCKS:
        return make.extend(make.make(Op.MUL, (number, make.const(step.step, number.width))), width)
    number = make.slice(number, 0, width) if number.width >= width else make.extend(number, width)
    return make.make(Op.MUL, (number, make.const(step.step, width)))


def _in_words(
    program: Program, arrays: list[tuple[Node, Node]], steps: dict[tuple[Node, int], _Step]
) -> Program:
    """The program in words of its block, as lanes have them, and its counters."""
    width = program.block.width
    made = legalise.run(program, width) if legalise.widest(program) > width else program
    names = iter(made.key_names)
    limbs = {old: tuple(next(names) for _ in range(-(-old.width // width))) for old, _ in arrays}
    found = (Counter(limbs[s.array], s.entry, s.array.width, s.step) for s in steps.values())
    return replace(made, counters=tuple(found))


# -- what makes a state counters ------------------------------------------------------------------------


def _found(program: Program) -> tuple[Graph, list[_Step], list[Node]]:
    """The kernel, simplified, so that reads go past writes of other entries; its counters, and what goes on
    each word of the block. Raises NotACounter."""
    kernel = rewrite(program.kernel, Builder(simplify))
    return kernel, _steps(program.block, kernel), _streams(program.block, kernel)


def _steps(block: Layout, kernel: Graph) -> list[_Step]:
    """The counters. Raises NotACounter."""
    states = [param for param in kernel.params if param.attr == "state"]
    left = kernel.results[block.count :]
    found = [step for param, after in zip(states, left, strict=True) for step in _of(param, after)]
    for param in {step.array for step in found}:
        _check_reads(kernel, param, kernel.results[: block.count])
    if block.width not in _NUMBERED:
        raise NotACounter(f"which are counters, but words of {block.width} bits can't number blocks")
    return found


def _of(param: Node, after: Node) -> Iterator[_Step]:
    """The entries of an array that a block changes, each a counter."""
    written, before = stored(after)
    if before is not param:
        raise NotACounter(f"{param.name!r} is written at places that depend on data")
    for entry, value in sorted(written.items()):
        step = _step(param, entry, value)
        if step is None:
            raise NotACounter(f"entry {entry} of {param.name!r} does not go on by a constant")
        yield _Step(param, entry, step)


def _step(param: Node, entry: int, value: Node) -> int | None:
    """By how much a value is higher than the entry was; None if that is no constant."""
    if value.op not in (Op.ADD, Op.SUB) or value.inputs[1].op is not Op.CONST:
        return None
    before, step = value.inputs[0], int(value.inputs[1].attr)
    same = before.op is Op.LOAD and before.inputs[0] is param and _entry(before) == entry
    return (step if value.op is Op.ADD else -step) % (1 << param.width) if same else None


def _entry(load: Node) -> int | None:
    """Which entry is read, if that is known."""
    place = load.inputs[1]
    return place.attr % load.inputs[0].length if place.op is Op.CONST else None


def _check_reads(kernel: Graph, param: Node, results: tuple[Node, ...]) -> None:
    """Counters are read before they go on, at entries that are known, and nowhere else."""
    for node in postorder(results):
        for array in (child for child in node.inputs if isinstance(child.type, ArrayType)):
            if origin(array) is param and (
                node.op is not Op.LOAD or array is not param or _entry(node) is None
            ):
                raise NotACounter(f"{param.name!r} is read where data say, or after it went on")


def _streams(block: Layout, kernel: Graph) -> list[Node]:
    """What goes on each word of the block. Raises NotACounter."""
    found = []
    for word, result in zip(kernel.params[: block.count], kernel.results[: block.count], strict=True):
        if result.op is not Op.XOR or word not in result.inputs:
            raise NotACounter("a word of the message is more than XORed to the key stream")
        found.append(next(other for other in result.inputs if other is not word))
    if {node for node in postorder(found) if node.op is Op.PARAM} & set(kernel.params[: block.count]):
        raise NotACounter("the key stream depends on the message")
    return found
