"""The notebooks of lessons are what their pages give, and run from their first cell to their last."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import FLAGS, in_shell, simulated_shell
from tools import lessons

PAGES = lessons.pages()


def cells(page: Path) -> list[dict[str, Any]]:
    return json.loads(page.with_suffix(".ipynb").read_text("utf-8"))["cells"]  # type: ignore[no-any-return]


def code(page: Path) -> list[tuple[str, str, list[str]]]:
    """Of each code cell the source, what it shows, its tags."""
    found = [cell for cell in cells(page) if cell["cell_type"] == "code"]
    shown = ["".join(text for one in cell["outputs"] for text in one["text"]) for cell in found]
    return [
        ("".join(cell["source"]), text, cell["metadata"].get("tags", []))
        for cell, text in zip(found, shown, strict=True)
    ]


def test_there_are_eight() -> None:
    assert [page.name[0] for page in PAGES] == list("12345678")
    index = (lessons.FOLDER / "README.md").read_text("utf-8")
    assert all(f"({page.name})" in index and f"({page.stem}.ipynb)" in index for page in PAGES)
    assert {path.suffix for path in lessons.FOLDER.iterdir()} == {".md", ".ipynb"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebooks_are_up_to_date(page: Path) -> None:
    stored = page.with_suffix(".ipynb").read_text("utf-8")
    assert stored == lessons.notebook(page.read_text("utf-8")), "`python -m tools.lessons` writes it anew"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebooks_are_such_as_jupyter_reads(page: Path) -> None:
    document = json.loads(page.with_suffix(".ipynb").read_text("utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    for cell in document["cells"]:
        wanted = {"cell_type", "id", "metadata", "source"}
        more = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert cell.keys() == wanted | more
        assert all(line.endswith("\n") for line in cell["source"][:-1])
        assert ">>> " not in "".join(cell["source"]) and "```python run" not in "".join(cell["source"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.check
def test_notebooks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "if=iverilog" in page.read_text("utf-8") and not shutil.which("iverilog"):
        pytest.skip("needs iverilog")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "notebook"}
    for source, shown, tags in code(page):
        printed = run_cell(source, names, tmp_path, raises="raises-exception" in tags)
        assert doctest.OutputChecker().check_output(shown, printed, FLAGS), f"{source}\n{printed}"


def run_cell(source: str, names: dict[str, Any], folder: Path, *, raises: bool) -> str:
    """What a cell prints, with the value of its last line as IPython shows it."""
    if source.startswith("%%writefile "):
        head, _, body = source.partition("\n")
        (folder / head.split()[1]).write_text(body + "\n", "utf-8")
        return ""
    if source.startswith("!"):
        return in_shell(source[1:], simulated_shell(folder))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            *before, last = ast.parse(source).body
            exec(compile(ast.Module(before, []), "cell", "exec"), names)
            exec(compile(ast.Interactive([last]), "cell", "single"), names)
        except Exception as error:
            if not raises:
                raise
            name = f"{type(error).__module__}.{type(error).__qualname__}"
            print(f"Traceback (most recent call last):\n{name}: {error}")
            return out.getvalue()
    assert not raises
    return out.getvalue()


PAGE = """# One

Text.

```python file=a.py
x = 1
```

```python run
>>> import a
>>> print("1\\n\\n2")
1
<BLANKLINE>
2
>>> 1 / 0
Traceback (most recent call last):
ZeroDivisionError: division by zero
>>> y = 2

```

```c
int shown;
```

```console run
$ ls | head -1
a.py
```
"""


def test_a_page_becomes_cells() -> None:
    found = json.loads(lessons.notebook(PAGE))["cells"]
    told = [
        ("".join(c["source"]), "".join(t for o in c.get("outputs", ()) for t in o["text"])) for c in found
    ]
    assert told == [
        ("# One\n\nText.", ""),
        ("%%writefile a.py\nx = 1", ""),
        ('import a\nprint("1\\n\\n2")', "1\n\n2\n"),
        ("1 / 0", "Traceback (most recent call last):\nZeroDivisionError: division by zero\n"),
        ("y = 2", ""),
        ("```c\nint shown;\n```", ""),
        ("!ls | head -1", "a.py\n"),
    ]
    assert [c["metadata"].get("tags") for c in found if c["metadata"]] == [["raises-exception"]]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "1-one.md").write_text(PAGE, "utf-8")
    (tmp_path / "README.md").write_text("# None\n", "utf-8")
    assert lessons.main(tmp_path) == 0
    assert capsys.readouterr().out == f"{tmp_path}{os.sep}1-one.ipynb\n"
    assert [path.name for path in tmp_path.glob("*.ipynb")] == ["1-one.ipynb"]
