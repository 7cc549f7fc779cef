"""`finalist bench --exported`: what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.export import folder


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["bench", *arguments])
    assert done.exit_code == 2, done.output
    return " ".join(done.output.split())


def test_a_folder_without_a_library_is_named(tmp_path: Path) -> None:
    assert f"{tmp_path} is no exported library" in refused("--exported", str(tmp_path))


@pytest.mark.parametrize(
    ("option", "value"),
    [("--machine", "plx"), ("-s", "blocks=1"), ("--mode", "ecb"), ("--against", "peers"), ("--bytes", "64")],
)
def test_options_that_say_nothing_are_named(option: str, value: str, tmp_path: Path) -> None:
    said = refused("--exported", str(tmp_path), option, value)
    assert f"{option} can't be had with --exported" in said


def test_a_cipher_that_it_has_not_is_named(tmp_path: Path) -> None:
    (tmp_path / folder.MARK).write_text("")
    for path in ("build/libfinalist.a", "include/finalist.h", "include/finalist_rc6.h"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    said = refused("serpent", "--exported", str(tmp_path))
    assert f"serpent in {tmp_path}; accepted: built-in ciphers of this library: rc6" in said


def test_of_several_libraries_each_has_to_be_one(tmp_path: Path) -> None:
    told: list[str] = []
    for name, own in (("first", "rc6"), ("second", "mars")):
        place = tmp_path / name
        for path in ("build/libfinalist.a", "include/finalist.h", f"include/finalist_{own}.h", folder.MARK):
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text("")
        told += ["--exported", str(place)]
    assert "this library: mars, rc6" in refused("serpent", *told)
    (tmp_path / "second" / folder.MARK).unlink()
    assert f"{tmp_path / 'second'} is no exported library" in refused(*told)


def test_a_page_alone_is_refused(tmp_path: Path) -> None:
    assert "-o with --exported" in refused("-o", str(tmp_path / "page.md"))
