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


def test_a_page_alone_is_refused(tmp_path: Path) -> None:
    assert "-o with --exported" in refused("-o", str(tmp_path / "page.md"))
