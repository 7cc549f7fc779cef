"""``finalist examples``: definitions to read and to begin from."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from finalist.cli import options, output, tables
from finalist.errors import UnknownNameError

#: The files: in an installed package, and in a checkout.
_PLACES = (Path(__file__).parents[1] / "examples", Path(__file__).parents[2] / "examples")


def examples(
    name: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Only these; all if none is given.")
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A folder, made if it is missing, to copy them into."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the definitions that come as examples, or copy them into a folder to begin from.

    Where one of the files is there already, none is written.
    """
    files = _chosen(name or [])
    if target is not None:
        copies = _copied(files, target)
        if as_json:
            output.show_json({"files": [str(path) for path in copies]})
        else:
            typer.echo("\n".join(map(str, copies)))
        return
    records = [{"name": one, "file": str(path), "summary": _summary(path)} for one, path in files.items()]
    table = tables.plain(["example", "what it is", "file"])
    for record in records:
        table.add_row(record["name"], record["summary"], record["file"])
    output.show_either(as_json, records, [table])


def _chosen(names: list[str]) -> Mapping[str, Path]:
    """The examples of these names, or all. Raises UnknownNameError."""
    folder = next((place for place in _PLACES if place.is_dir()), None)
    known = {path.stem: path for path in sorted(folder.glob("*.py"))} if folder else {}
    for name in names:
        if name not in known:
            raise UnknownNameError(
                f"unknown example {name!r}; accepted: {', '.join(known) or 'none is here'}"
            )
    return {name: known[name] for name in names or known}


def _copied(files: Mapping[str, Path], folder: Path) -> list[Path]:
    """The copies' paths. Raises OutputError, before any is made, where one is there already."""
    copies = {folder / path.name: path for path in files.values()}
    for copy in copies:
        if copy.exists():
            raise output.OutputError(f"{copy} is there already; remove it, or name another folder")
    output.make_folder(folder)
    for copy, path in copies.items():
        output.write(copy, path.read_bytes())
    return list(copies)


def _summary(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
