"""Tables that others contain."""

from __future__ import annotations

from finalist.ir.graph import Graph, every_node
from finalist.ir.ops import Op
from finalist.machines.plx.ptlu.contained import with_contained_tables
from tests.machines.plx.ptlu.test_superwords import lowered


def test_a_contained_table_goes() -> None:
    """Rijndael's last round reads no table of its own any more, and masks what it reads."""
    program = lowered("rijndael", "encrypt")

    def tables(graph: Graph) -> set[object]:
        return {node.attr for node in every_node(graph) if node.op is Op.LOOKUP}

    made = with_contained_tables(program.kernel)
    assert (len(tables(program.kernel)), len(tables(made))) == (5, 4)
    inverse = lowered("rijndael", "decrypt").kernel  # no entry's byte is the inverse S-box's
    assert tables(with_contained_tables(inverse)) == tables(inverse)
