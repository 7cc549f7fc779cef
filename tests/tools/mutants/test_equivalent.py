"""Faults that change nothing, by their lines and with a reason."""

from __future__ import annotations

import pytest

from tools.mutants.draw import ROOT, in_module
from tools.mutants.equivalent import FILE, EntryError, entries, equivalents

PATH = "finalist/ir/rewrite.py"
ENTRY = f"""# About this file

# and about what follows:

{PATH}
- skip = 2 if node.op is Op.LOOP else 1
+ skip = 3 if node.op is Op.LOOP else 1
A reason
of two lines.
"""


def test_an_entry_names_one_fault() -> None:
    ((fault, why),) = equivalents(ENTRY).items()
    assert (fault.path, fault.fault.before, fault.fault.after) == (PATH, "2", "3")
    assert fault in in_module(ROOT / PATH)
    assert why == "A reason of two lines."


def test_a_fault_of_several_lines() -> None:
    (entry,) = entries("a.py\n- if (a\n-         or b):\n+ if (a and b):\nThey are the same.")
    assert entry.lines == ("if (a or b):", "if (a and b):")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("skip = 2", "skipped = 2", "0 faults are as equivalent.txt has it:\n\\+ skip = 3"),
        ("rewrite.py", "gone.py", "gone.py: 0 faults"),
        ("A reason\nof two lines.\n", "", "an entry is a path, lines behind - and \\+, and the reason"),
        ("- skip = 2", "  skip = 2", "an entry is a path"),
    ],
)
def test_an_entry_that_names_no_fault_is_an_error(old: str, new: str, message: str) -> None:
    assert old in ENTRY
    with pytest.raises(EntryError, match=message):
        equivalents(ENTRY.replace(old, new))


def test_an_entry_that_may_mean_either_of_two_faults_is_an_error() -> None:
    twin = next(one for path in (ROOT / "finalist/ir").glob("*.py") for one in in_module(path) if one.twin)
    with pytest.raises(EntryError, match=f"{twin.path}: 2 faults"):
        equivalents(f"{twin.path}\n- {twin.lines[0]}\n+ {twin.lines[1]}\nA reason.")


def test_all_that_are_named_are_there() -> None:
    """The lines of an entry have changed if this fails: look whether it still holds, or leave it out."""
    equivalents(FILE.read_text("utf-8"))
