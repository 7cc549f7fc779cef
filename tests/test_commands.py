"""Commands that pages name are such as there are, and run: those of running text, tables and unmarked blocks.

Examples marked as such are run by tests/test_docs.py, and their outputs compared. Here every other command is
looked at, whether its options are there, and in the second tier it is run, but for those of `LONG`, each of
which says what runs it in place of this. Words in capitals stand for what a reader chooses (`CHOSEN`).
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from finalist.cli import app
from finalist.cli.commands import COMMANDS, PAPERS, _imported
from tests.marks import needs_compiler
from tests.test_docs import ROOT

PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if path.parent.name != "ciphers" or path.name == "README.md"
)
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:finalist|make|python3? -m) [^`]+)`")
SHELL = ("console", "sh", "bash")
#: What stands for a reader's choice.
CHOSEN = {
    "CIPHER": "rc6",
    "FILE": "examples/speck.py",
    "./pebble.py": "examples/speck.py",
    "FOLDER": "out",
    "DIR": "out",
    "NAME": "interpreter",
}
#: Commands that take minutes or hours, or tools that may be missing, by how they begin; and what runs them.
LONG = {
    "bench": "make bench; tests/measure/test_bench.py with one cipher",
    "byteorder": "make check: tests/papers/test_byteorder.py",
    "cache": "tests/cache/test_command.py, in a folder of its own",
    "cycles": "tests/test_cli.py with one cipher",
    "leaks": "make leaks; tests/measure/test_leaks.py",
    "board": "tests/machines/fpga, needs Yosys and nextpnr",
    "place": "tests/machines/fpga, needs Yosys and nextpnr",
    "paper": "make gladman, ptlu, fpga, additions; tests/papers",
    "pareto": "tests/test_cli.py with few designs",
    "tune": "tests/tuning with few schedules",
    "verify": "make check: tests/vectors, tests/ciphers; docs/tutorial.md",
    "emit": "make export; tests/export; with a schedule, here",
    "run": "tests/test_docs.py",
    "trace": "docs/write-your-own-cipher.md; with a cipher, here",
    "results": "tests/cli/test_results.py",
    "prove": "tests/prove; docs/soundness.md for one cipher",
}
#: Of these the lines that are short enough.
SHORT = r"emit .*-s .*|trace rijndael .*|bench present .*|bench speck .*"


@dataclass(frozen=True, slots=True)
class Line:
    """A command as a page has it."""

    text: str
    page: str

    def __str__(self) -> str:
        return f"{self.page}: {self.text}"


@cache
def lines() -> tuple[Line, ...]:
    """All commands outside of marked examples, each once."""
    found: dict[str, str] = {}
    for page in PAGES:
        text = page.read_text("utf-8")
        for command in _commands(text):
            found.setdefault(command, str(page.relative_to(ROOT)))
    return tuple(Line(text, page) for text, page in found.items())


def _commands(text: str) -> Iterator[str]:
    for head, body in FENCE.findall(text):
        if head.split(" ")[0] in SHELL and " run" not in head:
            for line in body.replace("\\\n", " ").splitlines():
                prompt = "$ " if head.startswith("console") else ""
                if line.startswith(prompt) and line.removeprefix(prompt).startswith(
                    ("finalist ", "make ", "python")
                ):
                    yield _plain(line.removeprefix(prompt))
    for line in INLINE.findall(FENCE.sub("", text)):
        yield _plain(line)


def _plain(line: str) -> str:
    """Without comments, redirections and what it is piped into."""
    return " ".join(re.split(r"\s+#\s|\s\|\s|\s>\s|;", line)[0].split())


def of(kind: str) -> list[Line]:
    """The commands that begin so."""
    return [line for line in lines() if line.text.startswith(kind)]


def words(line: Line) -> list[str]:
    return shlex.split(line.text)[1:]


def test_pages_have_many() -> None:
    assert len(of("finalist ")) > 60 and len(of("make ")) > 20 and len(of("python")) > 8


@pytest.mark.parametrize("line", of("finalist "), ids=str)
def test_options_are_those_that_the_command_has(line: Line) -> None:
    name, *rest = words(line)
    known: Any = typer.main.get_command(app)
    if name in COMMANDS or name == "paper":
        if name == "paper" and rest:
            name, *rest = (next(iter(PAPERS)) if word == "NAME" else word for word in rest)
            assert name in PAPERS, line
        if name != "paper":
            known = _imported(name, (COMMANDS | PAPERS)[name])
    else:
        rest = [name, *rest]
        assert name.startswith("-"), f"{line}: no command"
    options = {one for parameter in known.params for one in (*parameter.opts, *parameter.secondary_opts)}
    given = {word for word in rest if re.match(r"--?[a-z]", word)}
    assert given <= options | {"--help"}, f"{line}: no option {given - options}"


def runs(line: Line) -> bool:
    """Whether it is run here."""
    text = line.text.removeprefix("finalist ")
    long = text.partition(" ")[0] in LONG and not re.fullmatch(SHORT, text)
    bare = text in COMMANDS and text not in ("ciphers", "machines", "examples")  # a mention of the command
    return not long and not bare and not re.search(r"\b(NAME:|PASS|PART|BOARD)\b", text)


@pytest.mark.parametrize("line", [line for line in of("finalist ") if runs(line)], ids=str)
@pytest.mark.check
@needs_compiler
def test_they_run(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")  # where a command may write
    environment = {
        name: str(tmp_path / f"{name}.jsonl")
        for name in ("FINALIST_RESULTS", "FINALIST_TUNING", "FINALIST_TAKEN", "FINALIST_VERDICTS")
    }
    arguments = [CHOSEN.get(word, word) for word in words(line)]
    done = CliRunner().invoke(app, arguments, prog_name="finalist", env=environment)
    assert done.exit_code == 0, f"{line}: {done.output[-2000:]}"


def test_what_is_long_is_named_in_pages() -> None:
    """What stands in `LONG` for nothing would hide nothing, and mislead."""
    begun = {line.text.split()[1] for line in of("finalist ")}
    assert set(LONG) <= begun


@pytest.mark.parametrize("line", of("make "), ids=str)
def test_targets_are_there(line: Line) -> None:
    """Those of Finalist, and those of the libraries that it writes."""
    makefiles = (ROOT / "Makefile", ROOT / "finalist" / "export" / "texts" / "Makefile")
    text = "\n".join(path.read_text("utf-8") for path in makefiles)
    targets = set(re.findall(r"^([\w-]+):", text, re.MULTILINE)) | {".venv/.installed-dev"}
    named = [word for word in words(line) if "=" not in word and not word.startswith("-")]
    assert named and set(named) <= targets


@pytest.mark.parametrize("line", of("python"), ids=str)
def test_modules_are_there_with_these_options(line: Line) -> None:
    _, module, *rest = words(line)
    found = importlib.util.find_spec(module)
    assert found is not None and found.origin
    folder = Path(found.origin).parent
    sources = folder.glob("*.py") if found.submodule_search_locations else [Path(found.origin)]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    for option in (word for word in rest if re.match(r"--?[a-z]", word)):
        assert f'"{option}"' in text, option


def test_a_command_is_found_in_text_and_in_blocks() -> None:
    text = (
        "See `finalist bench rc6`; not `bench`.\n\n```console\n$ finalist emit a \\\n    -s b=1 | head  # c\n"
    )
    text += "out\n```\n\n```console run\n$ finalist run\n```\n"
    assert list(_commands(text)) == ["finalist emit a -s b=1", "finalist bench rc6"]
