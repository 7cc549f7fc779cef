"""Tables of proofs: what is proved, what is not, and under which schedules."""

from __future__ import annotations

from finalist.prove.passes import Passed, Plan
from finalist.report import proofs


def passed(name: str, verdict: str, reason: str = "") -> Passed:
    return Passed(name, f"finalist/passes/{name}.py", verdict, reason, (), 0.5)


def plan(operation: str, schedule: str, *passes: Passed) -> Plan:
    return Plan("toy", operation, 128, "native", schedule, passes)


def test_passes_of_plans() -> None:
    """Those that changed nothing do not count; one reason is one line, with a schedule of it."""
    late = passed("fuse", "undecided", "not done")
    found = [
        plan("encrypt", "blocks=1", passed("pack", "proved"), passed("xors", "unchanged"), late),
        plan("encrypt", "blocks=2", late),
        plan("decrypt", "blocks=1", passed("pack", "proved")),
    ]
    text = proofs.plans(found)
    assert "| toy | 128 | 2 | 1 of 3, 1.5 s | 1 of 1, 0.5 s |" in text
    assert "2 of 4 passes that changed a program are proved, of 3 programs, out of 2 files" in text
    assert text.endswith("- toy, fuse (encrypt blocks=1 and 1 more): undecided: not done")
