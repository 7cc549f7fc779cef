"""Key schedules as loops are what they were."""

from __future__ import annotations

import pytest

from finalist.passes.analysis import Ranges
from finalist.passes.key_schedules.key_loops import length, with_key_loops
from finalist.passes.key_schedules.sequence import Straight
from tests.graphs import Seeded, random_program
from tests.passes.key_schedules.test_key_loops import recurrence
from tests.repetitive import Repetitive
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest


@pytest.mark.parametrize("unlike", [0, 2])
def test_random_key_schedules(unlike: int) -> None:
    made: dict[str, object] = {}
    for seed in range(24):
        graph = Repetitive(Seeded(seed), 4 + seed % 12, unlike).graph()
        looped = with_key_loops(graph)
        made[f"{seed}"] = looped
        made[f"{seed} length"] = length(graph), length(looped)
    unchanged(f"key-schedules-{unlike}", made)


def test_recurrences() -> None:
    made = {
        f"{age} {count}": with_key_loops(recurrence(age, count)) for age in (1, 2, 8, 9) for count in (5, 24)
    }
    unchanged("key-schedules-recurrences", made)


def test_the_order_of_operations() -> None:
    """With the writes that fill arrays set apart, and each as soon as it can be."""
    made = {}
    graphs = {f"random {seed}": random_program(seed).expand for seed in range(16)}
    graphs |= {f"repeated {seed}": Repetitive(Seeded(seed), 5).graph() for seed in range(8)}
    for case, graph in graphs.items():
        straight = Straight.of(graph, Ranges({}))
        number = {node: place for place, node in enumerate((*graph.params, *graph.body))}
        stored = [
            (number[node], [(number[full], at) for full, at in where])
            for node, where in straight.stored.items()
            if node in number
        ]
        goes = [len(straight.goes_to(node)) for node in straight.nodes]
        orders = [[number[n] for n in nodes] for nodes in (straight.nodes, straight.eager())]
        made[case] = orders, stored, goes, sorted(number[n] for n in straight.filled)
    unchanged("key-schedules-straight", made)
