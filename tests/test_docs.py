"""The examples of the README and of docs/ do what the page says.

A fence is run where its first line says so: ``python run`` (with ``>>>`` its output is compared),
``console run`` (each ``$`` line is run and its output compared), ``python file=NAME`` (written to that
file for the examples after it); with ``if=PROGRAM,PROGRAM`` after it where these are installed. In outputs
``...`` stands for anything. All examples of a page share one folder and one Python namespace.
"""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from finalist.cli import app

ROOT = Path(__file__).parent.parent
PAGES = sorted(path for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
FENCE = re.compile(r"^```(\w+) (run|file=(\S+))(?: if=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: A call of finalist without anything that only a shell understands, but for what it is piped into.
PLAIN = re.compile(r"finalist [^|;&<>$`*]*(?: \| .*)?")
LONGEST = 4000  # characters of a report
PROGRESS = re.compile(r"^finalist: (\d+ of \d+: |programs of |compiling |measuring costs).*\n", re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.every(5)
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    run_page(page, tmp_path)


LESSONS = sorted((ROOT / "docs" / "lessons").glob("*.md"))


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
@pytest.mark.every(3)
def test_lessons(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page, tmp_path)


def run_page(page: Path, tmp_path: Path) -> None:
    """All examples of a page, in one folder and one namespace."""
    names: dict[str, Any] = {"__name__": "example"}
    text, left_out = page.read_text("utf-8"), set[str]()
    for found in FENCE.finditer(text):
        language, _, file, needed, body = found.groups()
        if lacking := [name for name in (needed or "").split(",") if name and not shutil.which(name)]:
            left_out.update(lacking)
            continue
        where = f"{page.name}, line {text.count(chr(10), 0, found.start()) + 1}"
        if file:
            (tmp_path / file).write_text(body, "utf-8")
        elif language == "console":
            run_console(body, where, tmp_path)
        elif ">>>" in body:
            run_session(body, where, names)
        else:
            exec(compile(body, where, "exec"), names)
    if left_out:
        pytest.skip(f"all ran but what needs {', '.join(sorted(left_out))}, which is not installed")


def run_session(body: str, where: str, names: dict[str, Any]) -> None:
    example = doctest.DocTestParser().get_doctest(body, names, where, where, 0)
    runner, said = doctest.DocTestRunner(optionflags=FLAGS), []
    runner.run(example, out=said.append, clear_globs=False)
    names.update(example.globs)
    assert runner.failures == 0, "".join(said)[:LONGEST]


def simulated_shell(folder: Path) -> dict[str, str]:
    """An environment with `finalist` on its path, whose files are in a folder of its own."""
    command = folder / "bin" / "finalist"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m finalist "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    python_path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": python_path, "COLUMNS": "120", "NO_COLOR": "1"}
    environment["FINALIST_RESULTS"] = str(folder / "results.jsonl")
    environment["FINALIST_TUNING"] = str(folder / "tuning.jsonl")
    return environment


def run_console(body: str, where: str, folder: Path) -> None:
    environment = simulated_shell(folder)
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, expected = part.partition("\n")
        printed = in_process(line, environment) if PLAIN.fullmatch(line) else in_shell(line, environment)
        printed = re.sub(PROGRESS, "", printed)  # of what takes long on a slow computer
        same = doctest.OutputChecker().check_output(expected, printed, FLAGS)
        assert same, f"{where}: $ {line}\nexpected:\n{expected}\ngot:\n{printed[:LONGEST]}"


def in_process(line: str, environment: dict[str, str]) -> str:
    """What a line with one call of finalist prints; a process of its own would take a second to begin."""
    command, pipe, rest = line.partition(" | ")
    _, *arguments = shlex.split(command)
    result = CliRunner().invoke(app, arguments, prog_name="finalist", env=environment)
    return in_shell(rest, environment, result.stdout) if pipe else result.output


def in_shell(line: str, environment: dict[str, str], given: str = "") -> str:
    return subprocess.run(
        ["sh", "-c", line],
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        timeout=300,
        check=False,
    ).stdout


def test_every_page_has_examples() -> None:
    """A page whose examples are all unmarked would pass silently."""
    assert all(FENCE.search(page.read_text("utf-8")) for page in LESSONS)
    without = {page.name for page in PAGES if not FENCE.search(page.read_text("utf-8"))}
    figures = {"gladman.md", "tuning.md", "peers.md", "today.md"}
    assert without <= {"mistakes.md", "index.md", "questions.md"} | figures


# -- links ---------------------------------------------------------------------------------------------

ROOT_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
EVERY_PAGE = [*(ROOT / name for name in ROOT_PAGES), *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s:#]*)(?:#([^)\s]*))?\)")


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Files are there, and anchors among the headings of their pages. The site has no page for a folder."""
    for target, anchor in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        file = page.parent / target if target else page
        assert file.is_file(), target
        assert not anchor or anchor in anchors(file), f"{target}#{anchor}"


def anchors(page: Path) -> set[str]:
    """What headings are called in links, as GitHub and GitLab do it."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", CODE.sub("", page.read_text("utf-8")), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", LINK.sub("", heading).lower()).strip().replace(" ", "-")
        again = sum(one == name or re.fullmatch(rf"{re.escape(name)}-\d+", one) is not None for one in found)
        found.add(f"{name}-{again}" if again else name)
    return found


def test_a_wrong_anchor_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b` [c](d.md), e\n\n```console\n# no heading\n```\n## Same\n## Same\n", "utf-8")
    assert anchors(page) == {"a-b-c-e", "same", "same-1"}


PATH = re.compile(r"`([\w.][\w.*/-]*(?:/|\.(?:py|md|json|c|h|toml|yml|sh)))`")
#: What stands for a name of the reader's choice.
ANY = re.compile(r"\b(NAME|CIPHER|FOLDER)\b")
#: Files that a reader writes or has written for him.
READERS = {"tea.py", "finalist_CIPHER.h", "include/", "src/"}


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_are_there(page: Path) -> None:
    """Files and folders that a page names: from the root, or, where it has said where, by their end."""
    found = {ANY.sub("*", path) for path in PATH.findall(page.read_text("utf-8"))}
    assert {path for path in found - READERS if not is_there(path)} == set()


def is_there(path: str) -> bool:
    if path.partition("/")[0] in {top.name for top in ROOT.iterdir() if top.is_dir()}:
        return any(ROOT.glob(path))
    return any(known.endswith("/" + path) for known in known_paths())


@cache
def known_paths() -> frozenset[str]:
    """Of files and, with a slash at their end, folders."""
    found = [
        path
        for top in ("finalist", "docs", "tests", "tools", "benchmarks")
        for path in (ROOT / top).rglob("*")
    ]
    found += [path for path in ROOT.iterdir() if path.is_file()]
    return frozenset(f"/{path.relative_to(ROOT)}" + "/" * path.is_dir() for path in found)


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("finalist/passes/pack.py", True),
        ("finalist/passes/", True),
        ("finalist/vectors/data/*.json", True),
        ("passes/pack.py", True),
        ("pack.py", True),
        ("lanes/", True),
        ("README.md", True),
        ("finalist/pack.py", False),
        ("finalist/lanes/", False),
        ("finalist/vectors/data/*.py", False),
        ("ack.py", False),
        ("keyunit.py", False),
    ],
)
def test_a_wrong_path_is_found(path: str, there: bool) -> None:
    assert is_there(path) == there


def test_questions_have_answers() -> None:
    rows = re.findall(
        r"^\| (.+\?) \| (.+) \|$", (ROOT / "docs" / "questions.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(rows) >= 30
    assert len({question for question, _ in rows}) == len(rows)
    assert all(LINK.search(answer) for _, answer in rows)


# -- the site ------------------------------------------------------------------------------------------


def test_every_page_is_in_the_navigation() -> None:
    named = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    pages |= {f"lessons/{path.name}" for path in (ROOT / "docs" / "lessons").glob("*.md")}
    roots = {hooks().in_site(name) for name in ROOT_PAGES}
    assert sorted(named) == sorted(pages | roots | {"ciphers/README.md"})


def test_nothing_but_pages_and_pictures_is_in_the_site() -> None:
    """The hooks are a module beside the pages, of which Python writes bytecode there."""
    excluded = re.search(
        r"^exclude_docs: \|\n((?:  .+\n)+)", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE
    )
    assert excluded is not None and {"/hooks.py", "__pycache__/"} <= set(excluded[1].split())


@pytest.mark.parametrize(
    ("page", "link", "turned"),
    [
        ("tutorial.md", "schedules.md#blocks", "schedules.md#blocks"),
        ("tutorial.md", "../README.md#limitations", "overview.md#limitations"),
        ("ciphers/rc4.md", "../../finalist/ciphers/rc4.py", "../source/finalist/ciphers/rc4.py.md"),
        ("ciphers/rc4.md", "../schedules.md#fuse", "../schedules.md#fuse"),
        ("overview.md", "docs/ciphers/README.md", "ciphers/README.md"),
        ("CONTRIBUTING.md", "Makefile", "source/Makefile.md"),
        ("index.md", "../no/such/file.py", "../no/such/file.py"),  # left for mkdocs to refuse
    ],
)
def test_links_in_the_site(page: str, link: str, turned: str) -> None:
    site = hooks()
    files = SimpleNamespace(src_uris=set(site_files(site)))
    given = f"see [it]({link})"
    own = SimpleNamespace(file=SimpleNamespace(src_uri=page))
    assert site.on_page_markdown(given, own, None, files) == f"see [it]({turned})"


def test_fences_in_the_site_name_their_language_alone() -> None:
    own, files = SimpleNamespace(file=SimpleNamespace(src_uri="index.md")), SimpleNamespace(src_uris=set())
    given = "```console run if=cmake\n$ finalist\n```\n\n```c\nint x;\n```\n"
    assert hooks().on_page_markdown(given, own, None, files) == given.replace(" run if=cmake", "")


def test_diagrams_in_the_site_are_pictures() -> None:
    """All of them, in the colours of light and dark pages; nothing of their text is left to be drawn."""
    text = (ROOT / "docs" / "ciphers" / "rijndael.md").read_text("utf-8")
    own, files = (
        SimpleNamespace(file=SimpleNamespace(src_uri="ciphers/rijndael.md")),
        SimpleNamespace(src_uris=()),
    )
    assert "```mermaid" in text
    made = hooks().on_page_markdown(text, own, None, files)
    assert "mermaid" not in made and made.count('<svg xmlns="http://www.w3.org/2000/svg" role="img"') == 1
    assert ">return [S[a] for a in state]</text>" in made and "[data-md-color-scheme=slate]" in made


def site_files(site: ModuleType) -> Iterator[str]:
    """All that the site could have."""
    for path in (*EVERY_PAGE, *(ROOT / "finalist" / "ciphers").glob("*.py"), ROOT / "Makefile"):
        yield site.in_site(str(path.relative_to(ROOT)))


def hooks() -> ModuleType:
    """The module that mkdocs runs."""
    found = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
