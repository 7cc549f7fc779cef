"""What tests of plots share: figures like those of commands, and Vega-Lite's own check of a specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from finalist.measure.results import Row
from finalist.tuning.explain import Explanation, explain
from finalist.tuning.trials import LENGTHS, Trial

NAMES = [f"cipher-{k}" for k in range(19)] + ["an-unusually-long-name-of-somebodys-own-cipher-for-its-device"]


def valid(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification, held to Vega-Lite's schema; where that is not installed the test is skipped."""
    altair = pytest.importorskip("altair", reason="Vega-Lite's schema comes with altair (extra dev)")
    altair.Chart.from_dict(spec, validate=True)
    return spec


def parts(spec: Any, name: str) -> Iterator[Any]:
    """All that a specification has under this name, however deep."""
    if isinstance(spec, dict):
        yield from ([spec[name]] if name in spec else [])
        for one in spec.values():
            yield from parts(one, name)
    elif isinstance(spec, list):
        for one in spec:
            yield from parts(one, name)


def row(cipher: str = "toy", operation: str = "encrypt", quantity: str = "bulk", cycles: float = 2.0) -> Row:
    """A figure of a cipher."""
    return Row(
        cipher=cipher,
        operation=operation,
        key_bits=128,
        quantity=quantity,
        ticks=cycles,
        core_cycles=cycles,
        unit="per byte",
        clock="rdtsc",
        ticks_per_cycle=1.0,
        mbit_per_s=None,
        spread=0.0,
        data_bytes=65536,
        machine="native",
        processor="A Processor",
        compiler="cc 12",
        flags="-O2",
        schedule="blocks=1",
        timing="constant-time",
        commit="0123abc",
        date="2026-01-01T00:00:00+00:00",
    )


def explanation(cipher: str = "toy") -> Explanation:
    """What the tuner found for a cipher: a scalar program, quick on short messages, and one for long ones."""
    scalar = dict.fromkeys(map(str, LENGTHS), 10.0)
    wide = {str(length): 4000.0 / length + 1 for length in LENGTHS}
    return explain(
        [
            _trial(cipher, "blocks=2 width=1", scalar),
            _trial(cipher, "blocks=64 width=512 lookup=gather", wide),
        ]
    )


def _trial(cipher: str, schedule: str, ticks: dict[str, float]) -> Trial:
    return Trial(
        task="0" * 16,
        place="A Processor; cc 12",
        text="1" * 16,
        cipher=cipher,
        operation="encrypt",
        key_bits=128,
        machine="native",
        asked=schedule,
        schedule=schedule,
        timing="constant-time",
        operations=9.0,
        bound=1.0,
        ticks=ticks,
        ticks_per_cycle=1.0,
        commit="0123abc",
        date="2026-01-01T00:00:00+00:00",
    )
