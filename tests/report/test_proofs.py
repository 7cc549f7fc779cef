"""Tables of proofs: what is proved, what is not, and under which schedules."""

from __future__ import annotations

from finalist.prove.decide import Certificate
from finalist.prove.passes import Passed, Plan
from finalist.report import proofs


def passed(name: str, verdict: str, reason: str = "") -> Passed:
    return Passed(name, f"finalist/passes/{name}.py", verdict, reason, (), 0.5)


def plan(operation: str, schedule: str, *passes: Passed) -> Plan:
    return Plan("toy", operation, 128, "native", schedule, passes)


def certificate(
    operation: str, bits: int, verdict: str = "proved", schedule: str = "blocks=1"
) -> Certificate:
    reason = "" if verdict == "proved" else "not done"
    return Certificate(
        "toy", operation, bits, "plx", schedule, verdict, reason, "constant-time", 1, 9, (), "", "", "0", 0.5
    )


def test_key_lengths_under_one_schedule_are_a_row() -> None:
    few = [certificate(way, bits) for bits in (128, 256) for way in ("encrypt", "decrypt")]
    text = proofs.table([*few, certificate("encrypt", 192, schedule="blocks=2")], {})
    assert (
        "| toy | 128, 256 | blocks=1 | 2 of 2 proved, 1.0 s | 2 of 2 proved, 1.0 s | constant-time |" in text
    )
    assert "| toy | 192 | blocks=2 | proved, 0.5 s | - | constant-time |" in text
    assert "5 of 5 programs are proved, of 1 of 1 ciphers all; 2 seconds of the CPU" in text
    many = [certificate("encrypt", bits, "undecided" if bits == 64 else "proved") for bits in range(8, 72, 8)]
    text = proofs.table(many, {})
    assert "| toy | 8 to 64: 8 lengths | blocks=1 | 7 of 8 proved, 4.0 s | - | constant-time |" in text
    assert "- toy (encrypt 64): not done" in text


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
