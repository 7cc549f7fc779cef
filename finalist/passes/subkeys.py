"""Round keys computed where they are used, from the key itself (`subkeys=computed`).

    x ^ K[5]    ->    x ^ (K[1] ^ K[4]), with K[1] and K[4] computed from the key in the same way

The expanded key is then the key, beside tables of keyed functions: nothing is set up before the first block,
and nothing is remembered between two. Smart cards with less memory than the round keys take want it so (B.
Schneier et al., "The Twofish Encryption Algorithm", section 5.4), and messages of a block under a fresh key.

Tables read at constants by a key schedule that is computed round by round stay reads, so that rounds stay
alike:

    q[9] ^ k    ->    q[numbers[9]] ^ k    ->    in the loop of rounds    q[2 * r + 9] ^ k

An entry that is a constant of its own would change from round to round, and where it is 0 leave a round
without an operation that all others have. ``numbers`` is an array of the expanded key whose entries are their
places: passes take it for part of the key. `settled` takes it out again when rounds are loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node, postorder, reads_parameter
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType, Type
from finalist.passes.analysis import stored
from finalist.passes.simplify import simplify

#: Bits of the widest index.
_WIDEST = 8


@dataclass
class Numbers:
    """The arrays of a kernel, by bits of an entry."""

    make: Builder
    arrays: dict[int, Node] = field(default_factory=dict)

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """A lookup at a constant, with the constant read."""
        if node.op is not Op.LOOKUP or inputs[0].op is not Op.CONST or inputs[0].width > _WIDEST:
            return None
        place, width = inputs[0], inputs[0].width
        if width not in self.arrays:
            self.arrays[width] = self.make.param("key", ArrayType(1 << width, width), f"numbers{width}")
        number = self.make.make(Op.LOAD, (self.arrays[width], self.make.const(place.attr, 32)))
        return self.make.make(Op.LOOKUP, (number,), node.attr)

    def filled(self) -> list[Node]:
        """What a key schedule gives for them."""
        return [self.make.array(range(1 << width), width) for width in self.arrays]


def settled(program: Program, apart: bool = True) -> Program:
    """The program with the places themselves for what is read of such arrays, and without these.

    ``apart``: whether a table is still read at a constant, outside of loops as inside, so that one is like
    the other; and once more for each operation that wants the entry, as where an index is a word. Else what
    is read there is a constant.
    """
    gone = {
        param
        for param, array in zip(program.key_params, program.expand.results, strict=True)
        if array.op is Op.ARRAY and tuple(array.attr) == tuple(range(array.length))
    }
    if not gone:
        return program
    make = Builder(_but_for_lookups if apart else simplify)
    kernel = rewrite(program.kernel, make, _Settling(gone, apart).visit)
    return _without(program, kernel, gone)


@dataclass(frozen=True)
class _Settling:
    gone: Set[Node]
    apart: bool

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """The place for a read of it; what takes a lookup there has one of its own."""
        if node.op is Op.LOAD and node.inputs[0] in self.gone:
            return _low(rewriter.builder, inputs[1], node.width)
        read = [self.apart and _is_at_number(child, self.gone) for child in node.inputs]
        if not any(read):
            return None
        again = [_again(new) if here else new for new, here in zip(inputs, read, strict=True)]
        return rewriter.builder.raw(node.op, tuple(again), node.attr, node.type)


def _without(program: Program, kernel: Graph, gone: Set[Node]) -> Program:
    """The program with this kernel, and without some arrays of the key."""
    count, expand = program.block.count, program.expand
    kept = [
        (p, result) for p, result in zip(program.key_params, expand.results, strict=True) if p not in gone
    ]
    params = (*kernel.params[:count], *(param for param, _ in kept))
    return program.with_graphs(
        Graph(expand.name, expand.params, [result for _, result in kept], expand.rounds),
        Graph(kernel.name, params, kernel.results, kernel.rounds),
    )


def _but_for_lookups(
    make: Builder, op: Op, inputs: tuple[Node, ...], attr: object, type_: Type
) -> Node | None:
    return None if op is Op.LOOKUP else simplify(make, op, inputs, attr, type_)


def _low(make: Builder, place: Node, width: int) -> Node:
    """The low bits of a multiple of a loop's index plus an offset, worked out on no more than those."""
    if place.width <= width:
        return make.extend(place, width)
    if place.op in (Op.ADD, Op.SUB, Op.MUL):
        return make.make(place.op, [_low(make, child, width) for child in place.inputs])
    if place.op is Op.SHL:
        return make.make(Op.SHL, (_low(make, place.inputs[0], width), place.inputs[1]))
    return make.slice(place, 0, width)


def _is_at_number(node: Node, arrays: Set[Node]) -> bool:
    """Whether a node is a lookup at what is read of such an array."""
    index = node.inputs[0] if node.op is Op.LOOKUP else node
    return index is not node and index.op is Op.LOAD and index.inputs[0] in arrays


def _again(node: Node) -> Node:
    """The same operation once more."""
    return Node(node.op, node.inputs, node.type, node.attr, line=node.line, phase=node.phase)


#: Operations on more than words: a round key that needs one is no function of the key's words alone.
_MEMORY = CONTROL | {Op.ARRAY, Op.LOAD, Op.STORE}


def computed(program: Program, shared: bool = True) -> Program:
    """The program with its round keys computed in the kernel; arrays read at varying indices stay stored.

    ``shared``: whether those are computed, too, whose entries are all taken by several rounds: between them
    they would wait in working memory, which may be what there is least of. Where they are not, tables are
    read at constants as `finalist.passes.subkeys` has it. Raises ScheduleError where no round key is a
    function of the key's words alone.
    """
    if program.stateful:
        raise _refusal(program, "its key is a state")
    keys = program.key_params
    fixed = _read_at_constant_indices(program.kernel, keys)
    if not shared:
        fixed -= _of_several_rounds(program.kernel, keys)
    entries = {
        param: _entries(program, result)
        for param, result in zip(keys, program.expand.results, strict=True)
        if param in fixed
    }
    if not entries:
        raise _refusal(program, "it reads its expanded key at indices that depend on the block")
    make = Builder(simplify)
    taken = {param.name for param in keys}
    key_type = ArrayType(program.key.count, program.key.width)
    key = make.param("key", key_type, "key" if "key" not in taken else "cipher_key")
    numbers = Numbers(make)
    kernel = _with_round_keys(program, entries, key, make, numbers if not shared else None)
    left = [k for k, param in enumerate(keys) if param not in entries]
    params = (*kernel.params[: program.block.count], *(keys[k] for k in left), key, *numbers.arrays.values())
    expand = program.expand
    results = [*(expand.results[k] for k in left), make.array_of(expand.params), *numbers.filled()]
    return replace(
        program,
        expand=Graph(expand.name, expand.params, results, expand.rounds),
        kernel=Graph(kernel.name, params, kernel.results, kernel.rounds),
        computed=True,
    )


def _refusal(program: Program, reason: str) -> ScheduleError:
    return ScheduleError(f"subkeys=computed is not legal for {program.cipher}: {reason}")


def _read_at_constant_indices(kernel: Graph, keys: Sequence[Node]) -> set[Node]:
    """The arrays of the expanded key that are only read, each time at a constant index."""
    found = set(keys)
    for node in every_node(kernel):
        for number, child in enumerate(node.inputs):
            read = node.op is Op.LOAD and number == 0 and node.inputs[1].op is Op.CONST
            if child in found and not read:
                found.discard(child)
    return found


def _of_several_rounds(kernel: Graph, keys: Sequence[Node]) -> set[Node]:
    """The arrays of the expanded key of which no entry is taken by a single round."""
    rounds: dict[Node, set[int]] = {}
    for node in kernel.body:
        for child in node.inputs:
            if reads_parameter(child):
                rounds.setdefault(child, set()).add(node.phase)
    alone = {read.inputs[0] for read, phases in rounds.items() if len(phases) == 1}
    return {read.inputs[0] for read in rounds} & set(keys) - alone


def _entries(program: Program, array: Node) -> list[Node]:
    """The word that a key schedule writes to each index of an array. Raises ScheduleError where it is read
    from memory."""
    found, node = stored(array)
    obstacle = next(_in_memory([node, *found.values()], fresh=node if node.op is Op.ARRAY else None), None)
    if obstacle is not None:
        line = f" ({obstacle.line})" if obstacle.line else ""
        raise _refusal(program, f"its round keys come from memory that all of its key schedule fills{line}")
    empty = Builder()
    return [found.get(k) or empty.const(node.attr[k], array.width) for k in range(array.length)]


def _in_memory(nodes: list[Node], fresh: Node | None) -> Iterator[Node]:
    return (node for node in postorder(nodes) if node.op in _MEMORY and node is not fresh)


def _with_round_keys(
    program: Program,
    entries: Mapping[Node, Sequence[Node]],
    key: Node,
    make: Builder,
    numbers: Numbers | None,
) -> Graph:
    """The kernel, each round key made in the round that is the first to use it; ``numbers``: what gives the
    constants that tables are read at."""
    kernel, phases = program.kernel, _first_uses(program.kernel)
    schedule = Rewriter(make, numbers.visit if numbers else None)
    for index, word in enumerate(program.expand.params):
        schedule.map[word] = make.make(Op.LOAD, (key, make.const(index, 32)))

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.LOAD or node.inputs[0] not in entries:
            return None
        array = entries[node.inputs[0]]
        make.phase = phases.get(node, node.phase)
        return schedule.get_here(array[node.inputs[1].attr % len(array)])

    more = chain([key], numbers.arrays.values() if numbers else ())
    return rewrite(kernel, make, visit, more)


def _first_uses(kernel: Graph) -> dict[Node, int]:
    """The round in which each read is first needed: they all stand before the first."""
    found: dict[Node, int] = {}
    for node in kernel.body:
        for child in node.inputs:
            found[child] = min(found.get(child, node.phase), node.phase)
    return found
