"""`finalist cache`: what was compiled and is kept on this computer."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated

import typer

from finalist.cache.bound import LIMIT, Item, bound, items
from finalist.cache.folder import VARIABLE, cache_folder, check_private
from finalist.cli import options, output
from finalist.errors import UnknownNameError

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_DAY = 86400


def cache(
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Remove what was not used for longest until so much is left, such as 500M or 1G.",
        ),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove all of it.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Show, bound or clear what was compiled and is kept on this computer.

    Programs are compiled once and kept: those not used for longest go by themselves where there are more than
    2 GiB. Netlists and simulations of hardware lie there as well. All of it can be made again.
    """
    if limit is not None and clear:
        raise UnknownNameError("--limit and --clear: accepted is one of them")
    folder = cache_folder()
    if folder.exists():
        check_private(folder)
    most = 0 if clear else None if limit is None else _bytes(limit)
    removed = [] if most is None else bound(folder, most)
    kept = items(folder)
    if as_json:
        output.show_json(_told(folder, kept, removed))
        return
    if removed:
        typer.echo(f"removed {len(removed)} entries, {_size(sum(item.bytes for item in removed))}")
    typer.echo(f"{folder} (${VARIABLE})\n{_summary(kept)}")


def _summary(kept: list[Item]) -> str:
    total = f"{len(kept)} entries, {_size(sum(item.bytes for item in kept))} of at most {_size(LIMIT)}"
    if not kept:
        return total
    return f"{total}; the oldest was last used {_days(kept[0])}"


def _days(item: Item) -> str:
    days = int((time.time() - item.used) // _DAY)
    return "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"


def _told(folder: Path, kept: list[Item], removed: list[Item]) -> dict[str, object]:
    return {
        "folder": str(folder),
        "entries": len(kept),
        "bytes": sum(item.bytes for item in kept),
        "limit": LIMIT,
        "removed": len(removed),
        "removed_bytes": sum(item.bytes for item in removed),
    }


def _bytes(text: str) -> int:
    """Bytes that a text such as 500M says. Raises UnknownNameError."""
    found = re.fullmatch(r"(\d+)\s*([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if not found:
        raise UnknownNameError(f"--limit {text}: accepted is a size such as 500M or 1G")
    return int(found[1]) * _UNITS[found[2].upper()]


def _size(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1 << 10:
            return f"{count:.0f} {unit}"
        count /= 1 << 10
    return f"{count:.1f} GiB"
