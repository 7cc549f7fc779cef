"""What was proved, as tables: a row for each cipher and schedule, the operations side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from finalist.language.definition import OPERATIONS
from finalist.prove.blocks import CLAIM
from finalist.prove.decide import Certificate
from finalist.prove.passes import Plan
from finalist.report import markdown

#: Lengths of keys that are listed one by one.
_FEW = 6


def table(found: Sequence[Certificate], refusals: Mapping[str, str]) -> str:
    """Verdicts with the seconds of the CPU that they took; what is not proved, with where it stopped.

    ``refusals``: by cipher why there is no program.
    """
    rows: dict[tuple[str, str], list[Certificate]] = {}
    for one in found:
        rows.setdefault((one.cipher, one.schedule), []).append(one)
    header = [
        "cipher",
        "key bits",
        "schedule",
        *OPERATIONS,
        "time" if any(one.form for one in found) else "addresses",
    ]
    cells = [_row(name, schedule, own) for (name, schedule), own in rows.items()]
    return "\n".join([markdown.table(header, cells, 0), *_counted(found), *_notes(found, refusals)]).rstrip()


def _row(name: str, schedule: str, found: Sequence[Certificate]) -> list[str]:
    shown = [_cell([one for one in found if one.operation == way]) for way in OPERATIONS]
    timing = ", ".join(dict.fromkeys(one.timing for one in found if one.timing)) or "-"
    return [name, _lengths(sorted({one.key_bits for one in found})), schedule, *shown, timing]


def _lengths(bits: Sequence[int]) -> str:
    """Lengths of keys; of many the least, the greatest, and how many there are."""
    if len(bits) > _FEW:
        return f"{bits[0]} to {bits[-1]}: {len(bits)} lengths"
    return ", ".join(map(str, bits))


def _cell(found: Sequence[Certificate]) -> str:
    """The verdict, or how many are proved; with the seconds of all."""
    if not found:
        return "-"
    proved, seconds = sum(map(_is, found)), sum(one.seconds for one in found)
    told = found[0].verdict if len(found) == 1 else f"{proved} of {len(found)} proved"
    return f"{told}, {seconds:.1f} s"


def _counted(found: Sequence[Certificate]) -> Iterable[str]:
    """How many are proved, and how long all of them took."""
    proved = {name for name in _ciphers(found) if all(_is(one) for one in found if one.cipher == name)}
    seconds = sum(one.seconds for one in found)
    yield (
        f"{sum(map(_is, found))} of {len(found)} programs are proved, of {len(proved)} of"
        f" {len(_ciphers(found))} ciphers all; {seconds:.0f} seconds of the CPU, without compiling them."
    )
    yield ""


def _is(one: Certificate) -> bool:
    return one.verdict == "proved"


def _ciphers(found: Sequence[Certificate]) -> list[str]:
    return list(dict.fromkeys(one.cipher for one in found))


def _notes(found: Sequence[Certificate], refusals: Mapping[str, str]) -> Iterable[str]:
    """Each reason once, with what it is the reason for."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in found:
        if one.verdict != "proved":
            reasons.setdefault((one.cipher, one.reason), []).append(f"{one.operation} {one.key_bits}")
    for (name, reason), which in reasons.items():
        yield f"- {name} ({', '.join(which)}): {reason}"
    claims = {one.cipher: one.claim for one in found if one.verdict == "proved" and one.claim != CLAIM}
    for name, claim in claims.items():
        yield f"- {name}: proved is {claim}"
    for name, reason in refusals.items():
        yield f"- {name}: no program: {reason}"


def plans(found: Sequence[Plan]) -> str:
    """Passes that changed programs, and how many of them are proved: a row for each cipher and key length;
    then those that are not, each with the schedules of which it is so."""
    rows = dict.fromkeys((one.cipher, one.key_bits) for one in found)
    cells = []
    for name, bits in rows:
        own = [one for one in found if (one.cipher, one.key_bits) == (name, bits)]
        sides = [[one for one in own if one.operation == way] for way in OPERATIONS]
        cells.append([name, str(bits), str(max(map(len, sides))), *map(_held, sides)])
    header = ["cipher", "key bits", "schedules", *OPERATIONS]
    return "\n".join([markdown.table(header, cells, 0), *_all_held(found), *_open(found)]).rstrip()


def _held(found: Sequence[Plan]) -> str:
    passes = [one for plan in found for one in plan.changed]
    proved = sum(one.verdict == "proved" for one in passes)
    return f"{proved} of {len(passes)}, {sum(one.seconds for one in passes):.1f} s" if found else "-"


def _all_held(found: Sequence[Plan]) -> Iterable[str]:
    passes = [one for plan in found for one in plan.changed]
    names = {one.file for one in passes}
    yield (
        f"{sum(one.verdict == 'proved' for one in passes)} of {len(passes)} passes that changed a program are"
        f" proved, of {len(found)} programs, out of {len(names)} files;"
        f" {sum(one.seconds for one in passes):.0f} seconds of the CPU, without compiling them."
    )
    yield ""


def _open(found: Sequence[Plan]) -> Iterable[str]:
    """Each pass and reason once, with a schedule, and of how many it is so."""
    which: dict[tuple[str, str, str, str], list[str]] = {}
    for plan in found:
        for one in plan.changed:
            if one.verdict != "proved":
                told = plan.cipher, one.name, one.verdict, one.reason
                which.setdefault(told, []).append(f"{plan.operation} {plan.schedule}")
    for (name, wrong, verdict, reason), schedules in which.items():
        more = f" and {len(schedules) - 1} more" if len(schedules) > 1 else ""
        yield f"- {name}, {wrong} ({schedules[0]}{more}): {verdict}: {reason}"
