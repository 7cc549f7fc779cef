"""A version is in all files or in none."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest

from finalist.version import VERSION
from tools import release

DAY = date(2027, 1, 31)


TEXTS = {
    release.VERSION_FILE: '"""The version."""\n\nVERSION = "0.1.0"\n',
    release.CITATION: "cff-version: 1.2.0\nversion: 0.1.0\nlicense: MIT\n",
    release.CHANGELOG: "# Changelog\n\nVersions are numbers. Nothing has been released yet: this will be"
    " 0.1.0.\n\n## [Unreleased]\n\n### Added\n\n- All.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files, as short as they can be."""
    for name, text in TEXTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in folder.rglob("*.*")}


def test_a_version_is_in_all_files(folder: Path) -> None:
    found = release.released(folder, "7.0.1", DAY)
    assert found["finalist/version.py"] == '"""The version."""\n\nVERSION = "7.0.1"\n'
    assert found["CITATION.cff"] == (
        "cff-version: 1.2.0\nversion: 7.0.1\ndate-released: 2027-01-31\nlicense: MIT\n"
    )
    head, _, changes = found["CHANGELOG.md"].partition("## [Unreleased]\n\n## [7.0.1] - 2027-01-31\n")
    assert changes == "\n### Added\n\n- All.\n"
    assert "Nothing has been released" not in head and head.endswith("Versions are numbers.\n\n")


def test_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each time the part above is what comes next, and there has to be something in it."""
    assert release.main(["0.1.0"], folder) == 0
    assert "git tag v0.1.0" in capsys.readouterr().out
    log = folder / release.CHANGELOG
    assert release.main(["0.2.0"], folder) == 2
    assert "nothing stands under [Unreleased]; accepted: what has changed" in capsys.readouterr().err
    log.write_text(
        log.read_text("utf-8").replace("## [Unreleased]\n", "## [Unreleased]\n\n- More.\n"), "utf-8"
    )
    assert release.main(["0.2.0"], folder) == 0
    versions = re.findall(r"^## \[(.*?)\]", log.read_text("utf-8"), re.MULTILINE)
    assert versions == ["Unreleased", "0.2.0", "0.1.0"]
    assert (folder / release.CITATION).read_text("utf-8").count("date-released") == 1


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("1.0", "version '1.0'; accepted: three numbers, such as 0.2.0"),
        ("v1.0.0", "accepted: three numbers"),
        ("01.0.0", "accepted: three numbers"),
        ("0.0.9", "version 0.0.9 is lower than 0.1.0; accepted: a higher one"),
    ],
)
def test_what_is_refused(folder: Path, capsys: pytest.CaptureFixture[str], version: str, said: str) -> None:
    before = texts(folder)
    assert release.main([version], folder) == 2
    assert said in capsys.readouterr().err
    assert texts(folder) == before


def test_a_version_that_is_out_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release.main(["0.1.0"], folder)
    assert release.main(["0.1.0"], folder) == 2
    assert "0.1.0 is in CHANGELOG.md already; accepted: a higher one" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["CITATION.cff", "CHANGELOG.md"])
def test_a_file_that_names_no_version_leaves_the_others_as_they_were(folder: Path, name: str) -> None:
    (folder / name).write_text("nothing\n", "utf-8")
    before = texts(folder)
    assert release.main(["9.0.0"], folder) == 2
    assert texts(folder) == before


def test_the_files_of_the_repository_can_be_released() -> None:
    major = int(VERSION.partition(".")[0]) + 1
    found = release.released(release.ROOT, f"{major}.0.0", DAY)
    assert all(f"{major}.0.0" in text for text in found.values())


def test_the_wheel_has_its_version_from_the_same_file() -> None:
    hatch = tomllib.loads((release.ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]
    assert hatch["version"]["path"] == release.VERSION_FILE
