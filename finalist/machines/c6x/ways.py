"""Ways to issue instructions: sides, units, cross paths, data paths, from the forms of the table.

A unit writes registers of its side and reads them; one operand may come from the other side, over the cross
path that leads to the unit's side (1X, 2X). A load or store has its address on the side of its unit, and its
data on either, by the path T1 or T2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finalist.isa.target.instruction import Way
from finalist.isa.target.operand import Operand
from finalist.machines.c6x.table import Form

#: By side its number, its register file and the other one.
SIDES = (("1", "a", "b"), ("2", "b", "a"))
#: Registers, by their kinds in the table: those of the unit's side, and those that may come across.
OWN, ACROSS, PATH = frozenset({"reg", "pair40", "pair64"}), "xreg", ("treg", "tpair64")


def ways_of(form: Form, names: Sequence[str], syntax: str) -> Iterator[Way]:
    """All ways of a form. ``names``: of its operands, in the text's order; ``syntax``: if not the first's."""
    for number, here, there in SIDES:
        if form.only and form.only.lower() != here:
            continue
        code = form.code | (form.side if here == "b" else 0)
        across = (False, True) if ACROSS in form.operands and form.cross is not None else (False,)
        data = (here, there) if set(form.operands) & set(PATH) else ("",)
        for crossing in across:
            for other in data:
                yield _way(form, names, syntax, number, (here, there), crossing, other, code)


def _way(
    form: Form,
    names: Sequence[str],
    syntax: str,
    number: str,
    sides: tuple[str, str],
    crossing: bool,
    data: str,
    code: int,
) -> Way:
    here, there = sides
    files = {}
    for name, kind in zip(names, form.operands, strict=True):
        for part in name.split(":"):
            if kind in PATH:
                files[part] = data
            elif kind == ACROSS:
                files[part] = there if crossing else here
            elif kind in OWN:
                files[part] = here
            elif kind.startswith("mem") and "b14" not in kind:
                files |= dict.fromkeys(("ra", "rb"), here)
    if crossing:
        code ^= form.cross or 0
    paths: tuple[str, ...] = (f"X{number}",) if crossing else ()
    if data:
        code ^= form.path if data == "b" else 0
        paths += (f"T{'ab'.index(data) + 1}",)
    told = f".{form.unit}{number}" + ("X" if crossing else paths[0] if data else "")
    unit = form.unit + number if form.unit != "None" else ""
    return Way(unit, paths, files, told if unit else "", code, dict(_operands(form, names, crossing)), syntax)


def _operands(form: Form, names: Sequence[str], crossing: bool) -> Iterator[tuple[str, Operand]]:
    """The operands as the form has them."""
    fields = form.fields_across if crossing else form.fields
    for name, kind, low in zip(names, form.operands, fields, strict=True):
        if kind.startswith("mem"):
            continue
        if kind in ("pair40", "pair64", "tpair64"):
            high, even = name.split(":")
            role = "use" if name in ("sh:sl",) else "def"
            yield even, Operand(even, role, low + 4, low)
            yield high, Operand(high, role, pair=even)
        elif kind in (*OWN, ACROSS, *PATH):
            role = "def" if name == "rd" else "both" if name == "rx" else "use"
            yield name, Operand(name, role, low + 4, low)
        else:
            yield name, number(name, kind, low)


def number(name: str, kind: str, low: int) -> Operand:
    """An operand that is a number or a label."""
    if kind.startswith("label"):
        return Operand(name, "target", low + int(kind[5:]) - 1, low)
    if kind.startswith("const16"):
        return Operand(name, "imm", low + 15, low)
    bits = int(kind[4:].split("[")[0])
    if "[" in kind:  # only some of the numbers
        first, last = kind.rstrip("]").split("[")[1].split("..")
        return Operand(name, "imm", low + int(last).bit_length() - 1, low, least=int(first))
    return Operand(name, "imm", low + bits - 1, low, signed=kind.startswith("s"))
