"""Narrow words in wider variables: those whose upper bits nobody looks at need no mask.

(Demanded bits, as LLVM's pass of that name has them: sums and products carry upwards only, so the lower bits
of a result depend on the lower bits of what it is made of.)
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from finalist.ir.graph import Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import storage_bits

#: Operations whose lower bits depend on no upper ones, and that mask what they give, unless it is not needed.
_MASKING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.NOT})
#: Such ones that give upper bits on.
_HANDING_ON = frozenset({Op.AND, Op.OR, Op.XOR, Op.SELECT})
_ROTATIONS = frozenset({Op.ROL, Op.ROR})


def unmasked(region: Region, uses: Mapping[Node, Sequence[Node]], scanned: Container[Node] = ()) -> set[Node]:
    """The nodes of a region that may have any bits above their width.

    ``uses``: who takes a node; ``scanned``: the reads and writes that go through all of their array.

    What a rotation is made of keeps its masks: by them compilers see that all of it can be done on words as
    narrow as those that they rotate.
    """
    found: set[Node] = set()
    rotated: set[Node] = set()
    for node in reversed(region.body):
        users = uses.get(node, ())
        if not _may_carry(node) or not users:
            continue
        if any(user.op in _ROTATIONS or user in rotated for user in users):
            rotated.add(node)
        elif all(_ignores(user, node, found, scanned) for user in users):
            found.add(node)
    return found


def _may_carry(node: Node) -> bool:
    """Whether an operation gives upper bits, or hands them on, if nothing is masked."""
    return node.op in _MASKING | _HANDING_ON or (node.op is Op.SHL and node.inputs[1].op is Op.CONST)


def _ignores(user: Node, node: Node, found: set[Node], scanned: Container[Node]) -> bool:
    """Whether a user has no regard for a node's upper bits."""
    if user is node or user.op is Op.STORE:
        return user.op is Op.STORE and user not in scanned and _cuts(user, node)
    if user.op is Op.SLICE:
        return bool(user.attr + user.width < node.width)
    if user.op is Op.SHL:
        return user.inputs[1] is not node and user.inputs[1].op is Op.CONST
    if user.op is Op.SELECT and node not in user.inputs[1:]:
        return False
    return user.op in _MASKING or (user.op in _HANDING_ON and user in found)


def _cuts(store: Node, node: Node) -> bool:
    """Whether an entry of an array has no room for more bits than the word that is stored in it."""
    return store.inputs[1] is not node and storage_bits(store.width) == node.width
