"""What the house rules say of files: their size, and who may know of whom."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from finalist.ciphers.catalogue import built_in, cipher_names
from finalist.ir.ops import Op
from finalist.machines.registry import machine, machine_names
from finalist.schedule import WORDS
from finalist.version import VERSION

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "finalist"
MODULES = sorted(PACKAGE.rglob("*.py"))
DEFINITIONS = [ROOT / f"{module.replace('.', '/')}.py" for module in built_in().values()]
#: Names of ciphers that are words of the field, of English, or of the web (aria-label): code may have them.
WORDS_TOO = {"aria", "idea", "present", "seed"}
MACHINES = sorted(path.name for path in (PACKAGE / "machines").iterdir() if (path / "machine.py").exists())


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def under(*folders: str) -> list[Path]:
    return [path for path in MODULES if path.relative_to(PACKAGE).parts[0] in folders]


def imports(path: Path) -> set[str]:
    """The modules that a file imports, and what it takes from them."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)} imports relatively"
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def without_docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    prose = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return (node for node in ast.walk(tree) if node not in prose)


def code_words(path: Path) -> set[str]:
    """All words in names and strings of the code, in small letters; not in docstrings and comments."""
    texts = set()
    for node in without_docstrings(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
        texts |= {value for value in vars(node).values() if isinstance(value, str)}
    return {word for text in texts for word in re.split(r"[\W_]+", text.lower())}


# -- sizes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_file_is_long(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", DEFINITIONS, ids=name_of)
def test_definitions_are_short(path: Path) -> None:
    """At most 120 lines, without blank ones and without constants: the assignments at module level."""
    text = path.read_text("utf-8")
    constants = {
        line
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.end_lineno
        for line in range(node.lineno, node.end_lineno + 1)
    }
    lines = enumerate(text.splitlines(), start=1)
    assert sum(1 for number, line in lines if line.strip() and number not in constants) <= 120


# -- documentation -------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", Op, ids=lambda op: op.label)
def test_every_operation_says_its_meaning(op: Op) -> None:
    assert op.signature
    assert op.meaning


@pytest.mark.parametrize("word", WORDS)
def test_every_schedule_word_has_a_section(word: str) -> None:
    assert f"\n## `{word}`" in (ROOT / "docs" / "schedules.md").read_text("utf-8")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_has_a_docstring(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))


# -- who may know of whom ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", under("language", "passes", "ciphers", "ir"), ids=name_of)
@pytest.mark.every(5)
def test_no_machine_is_named_below_the_machines(path: Path) -> None:
    assert not code_words(path) & (set(machine_names()) - {"interpreter"})
    assert not any(module.startswith("finalist.machines") for module in imports(path))


@pytest.mark.parametrize(
    "path",
    under("language", "ir", "passes", "machines", "measure", "papers", "report", "cli", "export"),
    ids=name_of,
)
@pytest.mark.every(2)
def test_no_cipher_is_named_outside_the_ciphers(path: Path) -> None:
    assert not code_words(path) & (set(cipher_names()) - WORDS_TOO)


@pytest.mark.parametrize("machine", MACHINES)
def test_machines_do_not_import_one_another(machine: str) -> None:
    others = {f"finalist.machines.{other}" for other in MACHINES if other != machine}
    for path in (PACKAGE / "machines" / machine).rglob("*.py"):
        assert not any(module.startswith(tuple(others)) for module in imports(path)), name_of(path)


ORDER = (
    "errors",
    "plugins",
    "names",
    "version",
    "licence",
    "notice",
    "cache",
    "notebook",
    "toolchain",
    "ir",
    "language",
    "ciphers",
    "schedule",
    "passes",
    "isa",
    "netlist",
    "machines",
)


@pytest.mark.parametrize(
    "path", under("toolchain", "ir", "language", "passes", "netlist", "machines"), ids=name_of
)
def test_dependencies_point_downwards(path: Path) -> None:
    own = ORDER.index(path.relative_to(PACKAGE).parts[0])
    for module in imports(path):
        part = module.split(".")[1] if module.startswith("finalist.") else None
        if part is not None:
            assert part in ORDER, module
            assert ORDER.index(part) <= own, module


@pytest.mark.parametrize("path", under("isa", "netlist", "toolchain"), ids=name_of)
def test_what_machines_share_imports_no_machine(path: Path) -> None:
    own = tuple(f"finalist.machines.{machine}" for machine in MACHINES)
    assert not any(module.startswith(own) for module in imports(path))


def test_every_machine_folder_is_registered() -> None:
    """And each name is that of a machine in one of them."""
    found = [machine(name) for name in machine_names()]
    assert tuple(one.name for one in found) == machine_names()
    assert {type(one).__module__.split(".")[2] for one in found} == set(MACHINES)


# -- the distribution ----------------------------------------------------------------------------------


def test_type_checkers_are_told_that_there_are_types() -> None:
    """PEP 561; the wheel has all files of the package."""
    assert (PACKAGE / "py.typed").is_file()


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)


def test_what_goes_into_the_distribution_is_there() -> None:
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    into_the_wheel = targets["wheel"]["force-include"]
    assert into_the_wheel["examples"] == "finalist/examples"
    assert all((ROOT / path).exists() for path in (*into_the_wheel, *targets["sdist"]["include"]))


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(rf"^version: {re.escape(VERSION)}$", text, re.MULTILINE)
    license_ = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["license"]
    assert re.search(rf"^license: {license_}$", text, re.MULTILINE)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.json")), ids=name_of)
def test_data_files_are_json(path: Path) -> None:
    assert json.loads(path.read_text("utf-8"))
