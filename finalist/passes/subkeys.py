"""Round keys computed where they are used, from the key itself (`subkeys=computed`).

    x ^ K[5]    ->    x ^ (K[1] ^ K[4]), with K[1] and K[4] computed from the key in the same way

The expanded key is then the key, beside tables of keyed functions: nothing is set up before the first block,
and nothing is remembered between two. Smart cards with less memory than the round keys take want it so (B.
Schneier et al., "The Twofish Encryption Algorithm", section 5.4), and messages of a block under a fresh key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node, postorder, reads_parameter
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType
from finalist.passes.analysis import stored
from finalist.passes.numbers import Numbers
from finalist.passes.simplify import simplify

#: Operations on more than words: a round key that needs one is no function of the key's words alone.
_MEMORY = CONTROL | {Op.ARRAY, Op.LOAD, Op.STORE}


def computed(program: Program, shared: bool = True) -> Program:
    """The program with its round keys computed in the kernel; arrays read at varying indices stay stored.

    ``shared``: whether those are computed, too, whose entries are all taken by several rounds: between them
    they would wait in working memory, which may be what there is least of. Where they are not, tables are
    read at constants as `finalist.passes.numbers` has it. Raises ScheduleError where no round key is a
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
