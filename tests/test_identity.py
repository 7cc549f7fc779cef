"""A definition is its file and class: two classes of one name are two ciphers, everywhere."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from finalist import api
from finalist.ciphers.catalogue import cipher, ciphers, identity, is_built_in, reference
from finalist.cli import app
from finalist.export.export import Order, write_library
from finalist.language.definition import trace
from finalist.measure import store
from finalist.peers.opinion import has_key, others
from finalist.schedule import Schedule
from finalist.tuning import choose, shipped, trials
from finalist.tuning.explain import explain
from finalist.tuning.search import Search, Task
from finalist.vectors.load import vectors_of
from tests.marks import needs_compiler

TEXT = '''
from finalist.language import Cipher, u32, words


class Simon(Cipher):
    """Not Simon."""

    block = words(1, u32)
    key_bits = (32,)
    vectors = [("01000000", "02000000", "VALUE")]

    def expand_key(self, key):
        return key

    def encrypt(self, block, keys):
        return block[0] + keys[0] + NUMBER

    def decrypt(self, block, keys):
        return block[0] - keys[0] - NUMBER
'''


def written(path: Path, number: int, name: str = "Simon") -> str:
    path.parent.mkdir(exist_ok=True)
    text = TEXT.replace("NUMBER", str(number)).replace("VALUE", f"{3 + number:02x}000000")
    path.write_text(text.replace("class Simon", f"class {name}"), "utf-8")
    return str(path)


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two files, each with a class Simon; whatever is kept goes into a folder of its own."""
    for variable in ("RESULTS", "TUNING", "VERDICTS", "DRAWN"):
        monkeypatch.setenv(f"FINALIST_{variable}", str(tmp_path / f"{variable}.jsonl"))
    return [written(tmp_path / "simon.py", 0), written(tmp_path / "simon40.py", 1)]


def shown(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def as_json(*arguments: str) -> Any:
    return json.loads(shown(*arguments, "--json"))


class TestNames:
    def test_by_file_where_two_have_one_name(self, two: list[str]) -> None:
        assert [one.name() for one in ciphers([*two, "serpent"])] == ["simon", "simon40", "serpent"]
        assert [one.name() for one in ciphers(two[1:])] == ["simon"]

    def test_by_folder_where_files_have_one_name_too(self, tmp_path: Path) -> None:
        files = [written(tmp_path / folder / "simon.py", number) for number, folder in enumerate("ab")]
        found = ciphers(files)
        assert [one.name() for one in found] == ["a/simon", "b/simon"]
        assert len({one.__module__ for one in found}) == 2
        results = [api.compile(one, "interpreter").run(bytes(4), bytes(4)).output for one in found]
        assert results == [bytes(4), bytes([1, 0, 0, 0])]

    def test_a_built_in_cipher_keeps_its_name(self, tmp_path: Path) -> None:
        mine = written(tmp_path / "serpent.py", 0, "Serpent")
        first, second = ciphers(["serpent", mine])
        assert (first.name(), second.name()) == ("serpent", f"{tmp_path.name}/serpent")
        assert (is_built_in(first), is_built_in(second)) == (True, False)
        assert (identity(first), identity(second)) == ("serpent", f"{mine}:Serpent")

    def test_one_file_by_two_paths_is_one_definition(
        self, two: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(Path(two[0]).parent)
        assert [one.name() for one in ciphers(["simon.py", "./simon.py", two[0]])] == ["simon"]

    def test_a_file_that_changed_is_read_again(self, two: list[str]) -> None:
        """Even within a second and at the same size, by which alone Python tells bytecode that it keeps."""
        file = Path(two[0])
        before = (file.stat().st_atime, file.stat().st_mtime)
        assert api.compile(cipher(str(file)), "interpreter").run(bytes(4), bytes(4)).output == bytes(4)
        written(file, 7)
        os.utime(file, before)
        assert api.compile(cipher(str(file)), "interpreter").run(bytes(4), bytes(4)).output == bytes(
            [7, 0, 0, 0]
        )
        assert not list(file.parent.glob("__pycache__"))

    def test_other_processes_have_the_name(self, two: list[str]) -> None:
        assert [reference(one).load().name() for one in ciphers(two)] == ["simon", "simon40"]

    def test_graphs_and_so_what_is_kept_by_them_do_not_depend_on_the_company(self, two: list[str]) -> None:
        alone, beside = cipher(two[1]), ciphers(two)[1]
        assert beside.name() != alone.name()
        assert trace(beside, "encrypt", 32).kernel.name == trace(alone, "encrypt", 32).kernel.name
        assert Task(alone, "native", "encrypt", 32).name == Task(beside, "native", "encrypt", 32).name


class TestCommands:
    def test_verify(self, two: list[str]) -> None:
        table = shown("verify", *two, "--machine", "interpreter")
        assert [row.split()[:5] for row in table.splitlines() if "interpreter" in row] == [
            ["simon", "interpreter", "2", "0", "0"],
            ["simon40", "interpreter", "2", "0", "0"],
        ]
        records = as_json("verify", *two, "--machine", "interpreter")
        assert [one["definition"] for one in records] == [f"{file}:Simon" for file in two for _ in range(2)]

    @needs_compiler
    def test_bench(self, two: list[str]) -> None:
        options = ("--seconds", "0.001", "--bytes", "64", "-s", "blocks=1", "--operation", "encrypt")
        table = shown("bench", *two, *options)
        assert all(re.search(rf"^ *{name} +32 ", table, re.MULTILINE) for name in ("simon", "simon40"))
        kept = store.read().rows
        assert {row.definition for row in kept} == {f"{file}:Simon" for file in two}
        assert {row.verified for row in kept} == {"published"}

    def test_cycles(self, two: list[str]) -> None:
        found = as_json("cycles", *two)
        assert [(name, record["definition"]) for name, record in found.items()] == [
            ("simon", f"{two[0]}:Simon"),
            ("simon40", f"{two[1]}:Simon"),
        ]
        assert re.search(r"simon40 +\d", shown("cycles", *two))

    def test_emit_and_lists(self, two: list[str]) -> None:
        (found,) = {as_json("emit", file, "--machine", "interpreter")["cipher"] for file in two}
        assert found == "simon"
        told = [as_json("emit", file, "--machine", "interpreter")["definition"] for file in two]
        assert told == [f"{file}:Simon" for file in two]
        assert [one["definition"] for one in as_json("ciphers", *two)] == told

    def test_pages(self, two: list[str], tmp_path: Path) -> None:
        shown("pages", *two, "-o", str(tmp_path / "pages"))
        assert {path.name for path in (tmp_path / "pages").iterdir()} == {"simon.md", "simon40.md"}

    @needs_compiler
    def test_a_library_of_both(self, two: list[str], tmp_path: Path) -> None:
        order = Order(tuple(two), None, Schedule(), "finalist emit ...")
        write_library(order, tmp_path / "library", lambda _: None, check=False)
        names = {path.name for path in (tmp_path / "library" / "include").iterdir()}
        assert {"finalist_simon.h", "finalist_simon40.h"} <= names


class TestNothingOfANamesake:
    """A user's class Serpent has nothing of the built-in one: neither vectors, nor figures, nor schedules."""

    @pytest.fixture
    def mine(self, tmp_path: Path, two: list[str]) -> str:
        return written(tmp_path / "serpent.py", 0, "Serpent")

    def test_vectors(self, mine: str) -> None:
        assert [row.key.hex() for row in vectors_of(cipher(mine))] == ["01000000"]

    def test_peers(self, mine: str) -> None:
        found = [(name, has_key(crypt, 128)) for name, crypt in others(cipher(mine), "encrypt", None)]
        assert not any(has for _, has in found)

    def test_papers(self, mine: str) -> None:
        assert "## In the papers" not in shown("pages", mine)

    def test_winners_that_come_along(self, mine: str) -> None:
        assert Task(cipher(mine), "native", "encrypt", 32).name not in {
            task for entries in shipped.shipped().values() for task in entries
        }
        assert choose.best(cipher(mine), "encrypt", 32, 1024) is None

    def test_resumed(self, mine: str) -> None:
        """Neither is its verdict taken for the other's."""
        options = ("--machine", "interpreter", "--resume")
        shown("verify", mine, *options)
        found = as_json("verify", "serpent", mine, "--operation", "encrypt", *options)
        assert {one["definition"] for one in found} == {"serpent", f"{mine}:Serpent"}


@needs_compiler
def test_trials_are_each_definition_s_own(two: list[str]) -> None:
    first, second = (Task(cipher(file), "native", "encrypt", 32) for file in two)
    assert first.name != second.name
    search = Search(first, [], 60.0)
    made, new = search._trial(Schedule(blocks=1))
    assert new and made is not None and made.definition == f"{two[0]}:Simon"
    trials.append([made])
    assert choose.best(first.cipher, "encrypt", 32, 64) == Schedule(blocks=1)
    assert choose.best(second.cipher, "encrypt", 32, 64) is None
    told = explain([made], first)
    assert (told.cipher, told.definition, told.vectors) == ("simon", f"{two[0]}:Simon", "published")
