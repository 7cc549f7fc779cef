"""Definition files as they go wrong in typing: the line that is wrong, in one line, and no traceback.

A sample as a rule; ``FINALIST_FUZZ=10000`` in the environment for as many, which `make fuzz` has.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

from finalist.ciphers import is_path
from tests.command_lines import complaint

ROOT = Path(__file__).parent.parent
GOOD = [ROOT / "examples" / "speck.py", ROOT / "examples" / "present.py"]
GOOD += [ROOT / "finalist" / "ciphers" / f"{name}.py" for name in ("rc6", "rijndael", "twofish", "rc4")]
FEW, MANY = 60, int(os.environ.get("FINALIST_FUZZ", "2000"))
SEED = int(os.environ.get("FINALIST_FUZZ_SEED", "2"))
#: Seconds that a definition may take; a loop of its own that never ends is no defect.
PATIENCE = 5

_TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
_OTHERS = (
    *("0", "1", "-1", "2", "3.5", "33", "None", "True", "''", "x", "[]", "{}", "u32", "u64", "u8", "LITTLE"),
    *("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "^", "&", "|", "~", "==", "<", "not ", "and ", "or "),
    *("(", ")", "[", "]", ":", ",", ".", "=", "return ", "yield ", "self", "rounds", "rol", "len", "#", "\n"),
)


def mutated(text: str, source: Random) -> str:
    """The text, changed in one or two places of the definition."""
    for _ in range(source.choice((1, 1, 2))):
        text = source.choice((_token, _token, _name, _line, _letter))(text, source)
    return text


def _token(text: str, source: Random) -> str:
    tokens = _TOKEN.findall(text)
    place = source.randrange(len(tokens))
    tokens[place] = source.choice(_OTHERS)
    return "".join(tokens)


def _name(text: str, source: Random) -> str:
    """One name in place of another."""
    tokens = _TOKEN.findall(text)
    names = [place for place, token in enumerate(tokens) if token.isidentifier()]
    tokens[source.choice(names)] = tokens[source.choice(names)]
    return "".join(tokens)


def _line(text: str, source: Random) -> str:
    """A line lost, doubled, or moved in."""
    lines = text.splitlines(keepends=True)
    place = source.randrange(len(lines))
    lines[place] = source.choice(("", lines[place] * 2, " " + lines[place], lines[place].lstrip()))
    return "".join(lines)


def _letter(text: str, source: Random) -> str:
    place = source.randrange(len(text))
    return text[:place] + source.choice(("", "x", "1", "\t", "\x00", "\N{SNOWMAN}")) + text[place + 1 :]


class TooLong(BaseException):
    """A definition that does not end."""


@pytest.fixture(autouse=True)
def nothing_else_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def late(number: int, frame: FrameType | None) -> None:
        raise TooLong

    monkeypatch.chdir(tmp_path)
    for name in ("RESULTS", "TUNING", "VERDICTS", "CACHE"):
        monkeypatch.setenv(f"FINALIST_{name}", str(tmp_path / name))
    before = signal.signal(signal.SIGALRM, late)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_what_is_changed_was_good(path: Path, tmp_path: Path) -> None:
    assert is_path(path)
    assert _complaint(path.read_text("utf-8"), tmp_path) == ""


def test_definitions(tmp_path: Path) -> None:
    _definitions(Random(1), FEW, tmp_path)


@pytest.mark.check
@pytest.mark.fuzz
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
def test_many_definitions(seed: int, tmp_path: Path) -> None:
    _definitions(Random(seed), MANY // 4, tmp_path)


def _definitions(source: Random, count: int, folder: Path) -> None:
    for number in range(count):
        path = source.choice(GOOD)
        text = mutated(path.read_text("utf-8"), source)
        assert _complaint(text, folder) == "", (number, path.stem, text)


def _complaint(text: str, folder: Path) -> str:
    """What is wrong with how a definition is received; empty where it is taken, or refused as is right."""
    path = folder / "mine.py"
    path.write_text(text, "utf-8", errors="surrogatepass")
    command: list[Any] = ["run", str(path), "--key", "00" * 16, "--block", "00" * 16]
    signal.alarm(PATIENCE)
    try:
        return complaint(command)
    except TooLong:
        return ""
    finally:
        signal.alarm(0)
