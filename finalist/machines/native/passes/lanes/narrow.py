"""Narrow lanes: what depends on the block becomes limbs; what depends on the key alone keeps its words.

On vectors whose lanes hold 8 (or 16) bits the block's words are cut as for any machine of narrow words,
but the key is the same in all lanes and is worked on by scalar code, which has no need of limbs: a limb
of a round key is a part of its word, and `finalist.passes.hoist` has the key schedule take it.

Reads of a long array of the key that can only fall into a short piece of it get that piece, a window: FROG
keeps the substitutions of all rounds in one array of 2304 bytes and reads round r's at 288 r + 16 + x, x a
byte. To a machine that reads short tables in a way of its own that is a table of 256 entries.
"""

from __future__ import annotations

from dataclasses import replace

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, origin
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, inline, rewrite
from finalist.ir.types import ArrayType
from finalist.passes.analysis import KeyOnly, greatest
from finalist.passes.legalise.limbs import Limbs
from finalist.passes.legalise.walk import _check, _Legaliser, _narrowed
from finalist.passes.simplify import simplify

#: Products of these widths stay whole: their limbs are put together for them and taken apart again, which
#: takes fewer operations than the products and carries of limbs.
WHOLE_PRODUCTS = (16, 32)


def run(program: Program, width: int) -> Program:
    """The program with the block's words, in memory and in the kernel, of at most ``width`` bits.

    The key schedule stays as it is. Raises ScheduleError where an index has no form on such words.
    """
    _check(width)
    kernel = _Lanes(with_windows(program.kernel), width).graph(program.block.order)
    return replace(program, block=_narrowed(program.block, width), kernel=kernel)


class _Lanes(_Legaliser):
    """Makes one kernel."""

    def __init__(self, kernel: Graph, width: int) -> None:
        super().__init__(kernel, width)
        self.key_only = KeyOnly()
        self.whole = Rewriter(self.make)
        arrays = (node for node in kernel.body if isinstance(node.type, ArrayType))
        #: What arrays that words of the block are written to begin as.
        self.written = {origin(node) for node in arrays if not self.key_only(node)}

    def get(self, node: Node) -> Limbs:
        if node not in self.map and self.key_only(node) and node.op is not Op.CONST:
            if not isinstance(node.type, ArrayType):
                self.map[node] = self.math.cut((self.whole.get(node),), 0, node.width)
            elif origin(node) in self.written:
                self._named(node, self._limbs(node))
            else:
                self.map[node] = (self.whole.get(node),)
        return super().get(node)

    def _fresh(self, param: Node) -> Limbs:
        """Only what the block brings is cut; the key's arrays are those that the key schedule fills."""
        if param.attr == "key":
            self.map[param] = (param,)
            return (param,)
        return super()._fresh(param)

    def _body(self, region: Region) -> None:
        own = [node for node in region.body if not self.key_only(node)]
        for node in own:
            self._at(node)
            self._named(node, self._limbs(node))

    def _limbs(self, node: Node) -> Limbs:
        if node.op is Op.MUL and node.width in WHOLE_PRODUCTS and node.width > self.width:
            product = self.make.make(Op.MUL, [self._put_together(child) for child in node.inputs])
            return self.math.cut((product,), 0, node.width)
        if node.op in (Op.LOAD, Op.STORE) and node.width > self.width:
            self._check_array(node)
        return super()._limbs(node)

    def _check_array(self, node: Node) -> None:
        """Only arrays of the block are cut."""
        begun = origin(node.inputs[0])
        if begun.op is Op.PARAM or begun not in self.written:
            done = "read at the block's places" if node.op is Op.LOAD else "given and overwritten"
            raise self._refused(node, f"an array of {node.width}-bit entries is {done}")

    def _control(self, node: Node, inputs: list[Limbs]) -> list[Limbs]:
        for child, limbs in zip(node.inputs, inputs, strict=True):
            if isinstance(child.type, ArrayType) and child.width > self.width and len(limbs) == 1:
                done = f"given and carried through a {node.op.label}"
                raise self._refused(node, f"an array of {child.width}-bit entries is {done}")
        return super()._control(node, inputs)

    def _put_together(self, node: Node) -> Node:
        if self.key_only(node):
            return self.whole.get(node)
        return self.make.make(Op.JOIN, self.get(node))

    def _apply(self, node: Node, inputs: list[Limbs]) -> Limbs:
        """A function for each limb of the result; what was captured is of the key."""
        index = self._small(node, inputs[0])
        captured = self.whole.all(node.inputs[1:])
        return tuple(
            self.make.apply(function, (index, *captured)) for function in self._functions(node.region)
        )

    def _functions(self, region: Region) -> list[Region]:
        if region not in self.functions:
            width = region.results[0].width
            lows = range(0, width, self.width)
            self.functions[region] = [self._part(region, low) for low in lows] if len(lows) > 1 else [region]
        return self.functions[region]

    def _part(self, region: Region, low: int) -> Region:
        """The function followed by a choice of its bits."""
        params = [self.make.param("argument", p.type, p.name) for p in region.params]
        whole = inline(region, params, self.make)
        return Region(params, [self.make.slice(whole, low, min(self.width, whole.width - low))])


#: Bits of the index of the largest window.
INDEX_BITS = 8


def with_windows(kernel: Graph) -> Graph:
    """The kernel reading its key through windows, wherever a place is a byte beyond one of the key's."""
    key_only = KeyOnly()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        make = rewriter.builder
        if node.op is not Op.LOAD or not _is_key(inputs[0]) or key_only(inputs[1]):
            return None
        split = _split(make, inputs[1], key_only)
        room = min(node.inputs[0].length, 1 << inputs[1].width)  # neither wraps around
        if split is None or greatest(split[0]) + (1 << split[1].width) > room:
            return None
        start, place = split
        return make.make(Op.LOAD, (make.make(Op.WINDOW, (inputs[0], start), 1 << place.width), place))

    return rewrite(kernel, Builder(simplify), visit)


def _is_key(array: Node) -> bool:
    return array.op is Op.PARAM and array.attr == "key"


def _split(make: Builder, index: Node, key_only: KeyOnly) -> tuple[Node, Node] | None:
    """A place as one of the key's, and a byte that is added to it."""
    if index.op is Op.EXTEND:
        start, (place,) = make.const(0, index.width), index.inputs
    elif index.op is Op.ADD and any(child.op is Op.EXTEND for child in index.inputs):
        extended, start = sorted(index.inputs, key=lambda child: (child.op is not Op.EXTEND, key_only(child)))
        (place,) = extended.inputs
    elif index.op is Op.JOIN:
        place, *upper = index.inputs
        start = make.make(Op.JOIN, (make.const(0, place.width), *upper))
    else:
        return None
    return (start, place) if place.width <= INDEX_BITS and key_only(start) else None
