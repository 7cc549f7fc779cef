"""``python -m tools.release 0.2.0``: give what is unreleased a version, in all files that name one.

The version in finalist/version.py and CITATION.cff, and in CHANGELOG.md the part *Unreleased*, which gets the
version and the date, and an empty one above it. Nothing is written unless all of it can be.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from finalist.errors import FinalistError

ROOT = Path(__file__).parent.parent
VERSION_FILE, CITATION, CHANGELOG = "finalist/version.py", "CITATION.cff", "CHANGELOG.md"
_SEMANTIC = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_UNRELEASED = re.compile(r"^## \[Unreleased\]\n(.*?)(?=^## \[|\Z)", re.MULTILINE | re.DOTALL)
_RELEASED = re.compile(r"^## \[(\d+\.\d+\.\d+)\]", re.MULTILINE)
#: What the changelog says until there is a first version.
_NOTHING_YET = re.compile(r" Nothing has been released yet:[^.]*\d+\.\d+\.\d+[^.]*\.")


class ReleaseError(FinalistError):
    """A version that can't be the next one, or files that are not as they should be."""


def released(folder: Path, version: str, day: date) -> dict[str, str]:
    """The texts of a folder's files with this version. Raises ReleaseError."""
    texts = {name: (folder / name).read_text("utf-8") for name in (VERSION_FILE, CITATION, CHANGELOG)}
    own = _one(r'^VERSION = "(.*)"$', texts[VERSION_FILE], VERSION_FILE)
    earlier = _RELEASED.findall(texts[CHANGELOG])
    _check(version, own, earlier)
    return {
        VERSION_FILE: texts[VERSION_FILE].replace(f'"{own}"', f'"{version}"'),
        CITATION: _cited(texts[CITATION], version, day),
        CHANGELOG: _logged(texts[CHANGELOG], version, day),
    }


def _check(version: str, own: str, earlier: Sequence[str]) -> None:
    if not _SEMANTIC.fullmatch(version):
        raise ReleaseError(f"version {version!r}; accepted: three numbers, such as 0.2.0")
    if version in earlier:
        raise ReleaseError(f"version {version} is in {CHANGELOG} already; accepted: a higher one")
    least = max([own, *earlier], key=_numbers)
    if _numbers(version) < _numbers(least):
        raise ReleaseError(f"version {version} is lower than {least}; accepted: a higher one")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _cited(text: str, version: str, day: date) -> str:
    """The citation, with version and day."""
    _one(r"^version: (.*)$", text, CITATION)
    text = re.sub(r"^date-released: .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^version: .*$", f"version: {version}\ndate-released: {day}", text, flags=re.MULTILINE)


def _logged(text: str, version: str, day: date) -> str:
    """The changelog, whose unreleased part is this version's."""
    changes = _one(_UNRELEASED.pattern, text, CHANGELOG, _UNRELEASED.flags)
    if not changes.strip():
        raise ReleaseError(f"{CHANGELOG}: nothing stands under [Unreleased]; accepted: what has changed")
    head = f"## [Unreleased]\n\n## [{version}] - {day}\n"
    return _NOTHING_YET.sub("", text.replace("## [Unreleased]\n", head, 1), count=1)


def _one(pattern: str, text: str, file: str, flags: int = re.MULTILINE) -> str:
    """The only place of a text where a pattern matches."""
    found = re.findall(pattern, text, flags)
    if len(found) != 1:
        raise ReleaseError(f"{file} has {len(found)} parts {pattern!r}; accepted: one")
    return str(found[0])


def main(arguments: Sequence[str] | None = None, folder: Path = ROOT) -> int:
    """Write the files; the status for the shell."""
    parser = argparse.ArgumentParser("python -m tools.release", description=__doc__.partition("\n")[0])
    parser.add_argument("version", help="three numbers, such as 0.2.0")
    wanted = parser.parse_args(arguments)
    try:
        texts = released(folder, wanted.version, datetime.now(UTC).date())
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
        print(name)
    print(f"now: make check; git commit -a -m 'release {wanted.version}'; git tag v{wanted.version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
