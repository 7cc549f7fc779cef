"""Tables in halves and layers of maps are what they were."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers import rijndael, twofish
from finalist.ir.ops import Op
from finalist.machines.native.vectors import nibble_inversion as inversion
from finalist.passes import inversions
from finalist.passes.lanes import layers, nibbles
from finalist.passes.lanes.layers import thin
from finalist.passes.lanes.maps import basis, shared
from tests.graphs import Shape, random_graph
from tests.passes.lanes.test_layers import byte_table
from tests.passes.lanes.test_maps import circulant, layer
from tests.passes.lanes.test_nibbles import feistel, lookup, sums
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

#: Few widths, so that maps of words of one width meet.
MAPS = Shape(frozenset({Op.XOR, Op.LINEAR, Op.LOOKUP, Op.NOT, Op.JOIN, Op.SLICE}), (8, 4), 20)


def test_layers_of_maps() -> None:
    made: dict[str, object] = {f"random {seed}": shared(random_graph(seed, MAPS)) for seed in range(30)}
    for row in ((2, 3, 1, 1), (14, 11, 13, 9), (1, 1, 0, 5)):
        made[f"circulant {row}"] = shared(layer(circulant(row), 8))
        rows = tuple(tuple(matrices) for matrices in circulant(row))
        made[f"basis {row}"] = basis(rows, True), basis(rows, False)
    unchanged("lanes-maps", made)


def test_tables_in_halves() -> None:
    source = random.Random(2)
    boxes = {
        "sums": sums(source),
        "feistel": feistel(source),
        "layers": byte_table(1),
        "q0": twofish.Q[0].data.values,
        "inversion": rijndael.S.data.values,
        "random": tuple(source.sample(range(256), 256)),
    }
    made: dict[str, object] = {}
    for name, box in boxes.items():
        values = tuple(box)
        made[f"{name} halves"] = nibbles.in_halves(lookup(values))
        made[f"{name} logic"] = nibbles.tables_in_logic(lookup(values))
        made[f"{name} layers"] = found = layers.found(values)
        made[f"{name} thin"] = found and thin(found)
        made[f"{name} inversion"] = inversions.found(values)
    unchanged("lanes-tables", made)


def test_rows_of_inversions() -> None:
    """Of fields and maps as ciphers have them."""
    made: dict[str, object] = {"tower": inversion.tower(), "split": inversion.tower().split}
    for polynomial in (0x11B, 0x169, 0x1F5):
        how = inversions.found(inversions.inverses(polynomial))
        assert how is not None
        made[f"{polynomial:x}"] = how, inversion.rows(how)
    unchanged("lanes-inversions", made)
