"""Writing a folder of many files: all of them or none, and nothing of anyone else's."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from finalist.errors import FinalistError

#: The file that makes a folder ours: it lists all others that were written.
MARK = "finalist.txt"
_LIST = "Files:\n"


class FolderError(FinalistError):
    """A folder that can't be written, or that is not ours to write."""


def check_folder(target: Path, *, force: bool = False) -> None:
    """Refuse a place that is no folder, or has files in it that are not ours. Raises FolderError."""
    if target.exists() and not target.is_dir():
        raise FolderError(f"{target} is no folder; accepted: a new or an empty one, or one written before")
    if not force and target.is_dir() and any(target.iterdir()) and not _ours(target):
        raise FolderError(
            f"{target} has files in it that Finalist did not write; accepted: a new or an empty folder, or"
            " --force"
        )


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """A folder for the time being, on the same disk as the target. Raises FolderError."""
    place = target.resolve()
    part = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        part.mkdir(parents=True)
        yield part
    except OSError as error:
        raise FolderError(f"{target} can't be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def fill(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts by their paths in a folder. Raises OSError."""
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")


def mark(command: str, texts: Mapping[str, str]) -> str:
    """The text of the file `MARK`."""
    listed = "".join(f"{path}\n" for path in sorted(texts))
    told = f"This folder was written by\n\n  {command}\n\nwhich may write it again over these files."
    return f"{told}\n\n{_LIST}{listed}"


def take_over(part: Path, target: Path) -> None:
    """Put a folder that is complete in the target's place; other files there stay. Raises OSError."""
    if not target.exists():
        part.replace(target)
        return
    before = _listed(target)
    made = sorted(file.relative_to(part) for file in part.rglob("*") if file.is_file())
    for file in made:
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        (part / file).replace(target / file)
    for path in before - {str(PurePosixPath(file)) for file in made}:
        (target / path).unlink(missing_ok=True)


def _ours(target: Path) -> bool:
    return (target / MARK).is_file()


def _listed(target: Path) -> set[str]:
    """What was written before: paths that stay within the folder."""
    if not _ours(target):
        return set()
    _, _, listed = (target / MARK).read_text("utf-8").partition(_LIST)
    paths = map(PurePosixPath, listed.splitlines())
    return {str(path) for path in paths if path.parts and not path.is_absolute() and ".." not in path.parts}
