"""Programs from the disk: the same as compiled ones, known by all that they are made of."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from finalist import api, stored
from finalist.errors import ScheduleError, UnknownNameError
from finalist.machines.native.binary import Binary
from finalist.machines.native.stored import StoredProgram
from finalist.schedule import Schedule
from finalist.target import target
from finalist.toolchain import compiler
from tests.marks import needs_compiler

pytestmark = needs_compiler
KEY, DATA = bytes(range(16)), bytes(range(256))
CHOICES = Schedule(blocks=2, width=1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))
    stored._program.cache_clear()
    yield tmp_path / "cache"
    stored._program.cache_clear()


def program(*modes: str, schedule: Schedule = CHOICES) -> Binary:
    """As another process has it, that remembers nothing."""
    stored._program.cache_clear()
    return stored.program(target("rc6"), "encrypt", 128, schedule, modes or ("ecb",))


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on."""

    def refuse(*_: object, **__: object) -> Any:
        raise AssertionError("it was compiled before")

    program("ecb", "ctr")
    monkeypatch.setattr(api, "compile", refuse)
    monkeypatch.setattr(compiler, "invoke", refuse)


def test_compiled_once(nothing_compiled: None) -> None:
    found = program("ecb", "ctr")
    assert isinstance(found, StoredProgram)
    ecb: Any = api._compiled(target("rc6").definition, "native", "encrypt", 128, CHOICES)
    made = ecb.in_modes("ecb", "ctr")
    assert found.run(KEY, DATA).output == made.run(KEY, DATA).output
    assert found.ctr(found.expand(KEY), KEY, DATA[:100]) == made.ctr(made.expand(KEY), KEY, DATA[:100])
    for name in ("cipher", "operation", "key_bits", "block_bytes", "stateful", "schedule", "timing", "text"):
        assert getattr(found, name) == getattr(made, name), name
    assert (found.modes, found.possible_modes) == (made.modes, made.possible_modes)


def test_in_modes() -> None:
    program()
    found = program()
    assert isinstance(found, StoredProgram) and found.in_modes("ecb") is found
    assert found.in_modes("ctr").modes == ("ctr",)
    with pytest.raises(UnknownNameError, match="see in_modes"):
        found.function("ctr")
    with pytest.raises(UnknownNameError, match="unknown mode 'xts'"):
        found.in_modes("xts")


def test_of_other_parameters() -> None:
    made = []
    for name in ("rijndael", "rijndael:block-bits=192", "rijndael:block-bits=256"):
        found = target(name)
        made.append(stored.program(found, "encrypt", 128, CHOICES).run(KEY, DATA[: found.block_bytes]).output)
        expected = api.compile(name, "interpreter", key_bits=128).run(KEY, DATA[: found.block_bytes]).output
        assert made[-1] == expected


def test_others_are_others() -> None:
    texts = [program().text, program("ctr").text, program(schedule=Schedule(blocks=1)).text]
    assert len(set(texts)) == 3


@pytest.mark.parametrize("damage", ["gone", "cut off"])
@pytest.mark.every(2)
def test_a_library_that_is_no_longer_whole(damage: str, folder: Path) -> None:
    wanted = program().run(KEY, DATA).output
    (entry,) = folder.glob("rc6-encrypt-128-*")
    if damage == "gone":
        shutil.rmtree(entry)
    else:
        library = next(entry.glob("*.so"))
        text = library.read_bytes()[:100]
        library.unlink()
        library.write_bytes(text)
    assert program().run(KEY, DATA).output == wanted
    assert isinstance(program(), StoredProgram)


def test_a_refusal_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    illegal = Schedule(lookup="gather", width=1)
    with pytest.raises(ScheduleError) as first:
        program(schedule=illegal)
    monkeypatch.setattr(api, "compile", None)
    with pytest.raises(ScheduleError) as second:
        program(schedule=illegal)
    assert str(first.value) == str(second.value)


def test_another_compiler_is_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    program()
    monkeypatch.setenv("CC", f"{compiler.command()[0]} -DANOTHER")
    assert not isinstance(program(), StoredProgram)
