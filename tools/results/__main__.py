"""``python -m tools.results``: the results on the papers' pages as data, and docs/claims.md from them."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from finalist.papers import results
from finalist.papers.load import paper
from finalist.report import ledger
from finalist.report.sheets import page
from tools.results.pages import renewed

ROOT = Path(__file__).parent.parent.parent
TARGET = ROOT / "finalist" / "papers" / "results"
#: By paper its page, and what the commands write there with what stands before their tables' titles.
PAGES = {
    "dsp": ("c6x.md", {"finalist paper dsp": ""}),
    "fpga": ("fpga.md", {"finalist paper fpga": ""}),
    "gladman": (
        "gladman.md",
        {
            "finalist paper gladman --bits 64": "64: ",
            "finalist paper gladman --bits 32": "32: ",
            "finalist paper gladman --choices": "",
        },
    ),
    "smartcard": ("hc05.md", {"finalist paper smartcard": ""}),
    "ptlu": ("plx.md", {"finalist paper ptlu": "", "finalist paper additions": ""}),
}


def texts() -> dict[str, str]:
    """By paper the text of its results."""
    return {name: renewed(ROOT / "docs" / page, marks) for name, (page, marks) in PAGES.items()}


def claims() -> str:
    """docs/claims.md, by the results as they are kept."""
    sheets = [replace(ledger.sheet(name), title=paper(name)["paper"]) for name in PAGES]
    return f"{HEAD}\n{page(sheets)}\n"


HEAD = """# What the papers claim, and what came of it

Each claim of a published study in our words, how it was tested on our results, and the verdict, which follows
from the figures and is written by no one: *confirmed*; *refuted*; *fitted*, where a model or a schedule was
chosen with the paper's figure in sight, so that agreement is no evidence; *not testable here*, with the
reason. `python -m tools.results` writes this page anew; a command shows a paper's part:

```console run
$ finalist paper ptlu --claims | grep 1538
 Table 6  A block of Twofish takes 1538 cycles.  refuted  ours 792, theirs 1,538: -48.5 %; 5 % asked ...
```
"""


def main() -> int:
    """Write them."""
    for name, text in texts().items():
        (TARGET / f"{name}.json").write_text(text, "utf-8")
        print(TARGET / f"{name}.json")
    results.results.cache_clear()
    (ROOT / "docs" / "claims.md").write_text(claims(), "utf-8")
    print(ROOT / "docs" / "claims.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
