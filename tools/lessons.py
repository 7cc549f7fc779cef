"""``python -m tools.lessons``: the notebooks of docs/lessons, each made from its page.

A page's text is Markdown cells; its examples, as tests/test_docs.py runs them, are code cells with the
outputs that the page shows. The format is nbformat 4.5.
"""

from __future__ import annotations

import doctest
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "docs" / "lessons"
#: Where an example begins and ends.
_EXAMPLE = re.compile(
    r"^```(?P<kind>python run|console run|python file=\S+)[^\n]*\n(?P<body>.*?)^```$\n?", re.M | re.S
)
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}

Cell = dict[str, Any]


def pages(folder: Path = FOLDER) -> list[Path]:
    """The pages of lessons, in order."""
    return sorted(folder.glob("[0-9]*.md"))


def notebook(page: str) -> str:
    """The notebook of a page, as text."""
    cells = [cell | {"id": f"cell-{number}"} for number, cell in enumerate(_cells(page), start=1)]
    metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    document = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _cells(page: str) -> Iterator[Cell]:
    place = 0
    for found in _EXAMPLE.finditer(page):
        yield from _markdown(page[place : found.start()])
        yield from _examples(found["kind"], found["body"])
        place = found.end()
    yield from _markdown(page[place:])


def _markdown(text: str) -> Iterator[Cell]:
    if text.strip():
        yield {"cell_type": "markdown", "metadata": {}, "source": _lines(text.strip("\n"))}


def _examples(kind: str, body: str) -> Iterator[Cell]:
    """The code cells of an example."""
    if kind.startswith("python file="):
        yield _code(f"%%writefile {kind.partition('=')[2]}\n{body.rstrip()}", "")
    elif kind == "console run":
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield _code(f"!{command}", printed)
    elif ">>> " not in body:
        yield _code(body.rstrip(), "")
    else:
        yield from _session(body)


def _session(body: str) -> Iterator[Cell]:
    """Statements up to one that prints something are a cell."""
    source = ""
    for example in doctest.DocTestParser().get_examples(body):
        source += example.source
        if example.want:
            yield _code(source.rstrip(), example.want, raises=example.exc_msg is not None)
            source = ""
    if source:
        yield _code(source.rstrip(), "")


def _code(source: str, printed: str, *, raises: bool = False) -> Cell:
    """``raises``: Jupyter goes on after the error."""
    text = printed.replace("<BLANKLINE>", "").rstrip()
    outputs = [{"name": "stdout", "output_type": "stream", "text": _lines(text + "\n")}] if text else []
    metadata = {"tags": ["raises-exception"]} if raises else {}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": outputs,
        "source": _lines(source),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main(folder: Path = FOLDER) -> int:
    """Write them."""
    for page in pages(folder):
        target = page.with_suffix(".ipynb")
        target.write_text(notebook(page.read_text("utf-8")), "utf-8")
        print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
