"""The winners that come with Finalist: what serves where nothing has been tuned yet.

`finalist tune --ship` writes them from the trials of its computer. They are kept by a hash of the
definition's graphs, so they serve a definition under any name, and none that differs in an operation;
and by the kind of CPU, as its machine names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from finalist.tuning.trials import TuningError

_FILE = Path(__file__).parent / "data" / "shipped.json"

#: For a message length in bytes from which on it is the quickest: the schedule as it is asked for; for a
#: chain of single blocks under `trials.CHAIN`.
Winners = Mapping[int, str]


def winners(task: str, machine: str, kinds: Iterable[str]) -> Winners:
    """All winners of a task, the shortest length first; none where none is known."""
    for kind in kinds:
        entry = _read().get(f"{machine} {kind}", {}).get(task)
        if entry is not None:
            own: dict[str, str] = entry["winners"]
            return {length: own[str(length)] for length in sorted(map(int, own))}
    return {}


def alike(machine: str, kinds: Iterable[str]) -> Iterator[str]:
    """Kinds of CPU, and after those of a vector unit other vendors', where winners are known.

    What gathers and permutations take differs between vendors, but far less than from one unit to the next.
    """
    own = list(kinds)
    known = all_kinds(machine)
    for kind in own:
        yield kind
        yield from (other for other in known if other.startswith(f"{kind} ") and other not in own)


def all_kinds(machine: str) -> list[str]:
    """The kinds of CPU of which winners are known."""
    return [name.removeprefix(f"{machine} ") for name in _read() if name.startswith(f"{machine} ")]


def write(machine: str, kind: str, found: Mapping[str, tuple[str, Winners]], path: Path = _FILE) -> Path:
    """Keep winners for CPUs of a kind: by the definition's hash, what it is called and its winners.

    Returns the file's path. Raises TuningError.
    """
    try:
        document = json.loads(path.read_text("utf-8"))
        own = {
            task: {"what": what, "winners": {str(length): one for length, one in winners.items()}}
            for task, (what, winners) in found.items()
        }
        merged = document.get(f"{machine} {kind}", {}) | own
        document[f"{machine} {kind}"] = dict(sorted(merged.items(), key=lambda item: item[1]["what"]))
        text = json.dumps(dict(sorted(document.items())), indent=1)
        path.write_text(text + "\n", "utf-8")
    except (OSError, ValueError) as error:
        raise TuningError(f"the winners can't be kept in {path} ({error})") from error
    return path


def shipped() -> Mapping[str, Mapping[str, Any]]:
    """All that is kept: by machine and kind of CPU, then by the definition's hash."""
    return _read()


@cache
def _read() -> Mapping[str, Mapping[str, Any]]:
    text = (files("finalist.tuning") / "data" / "shipped.json").read_text("utf-8")
    found: Mapping[str, Mapping[str, Any]] = json.loads(text)
    return found
