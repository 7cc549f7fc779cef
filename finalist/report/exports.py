"""Figures as files for other tools: CSV, JSON, JSON lines, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from importlib.util import find_spec

from finalist.errors import UnknownNameError
from finalist.measure.figure import Figure

_COLUMNS = [field.name for field in fields(Figure)] + ["fingerprint"]


def check(suffix: str) -> None:
    """Raises UnknownNameError where no such file can be made, before the work for it is done."""
    if suffix not in FORMATS:
        raise UnknownNameError(f"a file {suffix or 'without a suffix'}; accepted: {', '.join(FORMATS)}")
    if suffix == ".parquet" and find_spec("pyarrow") is None:
        missing = "pyarrow, which is missing: pip install 'finalist[report]'"
        raise UnknownNameError(f"{suffix} is written by {missing}")


def exported(rows: Sequence[Figure], suffix: str) -> bytes:
    """The figures as a file of this kind holds them. `check` has been asked of it."""
    return FORMATS[suffix]([asdict(row) | {"fingerprint": row.fingerprint} for row in rows])


def _csv(records: Sequence[dict[str, object]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().encode()


def _lines(records: Sequence[dict[str, object]]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def _parquet(records: Sequence[dict[str, object]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    kinds = {"str": pyarrow.string(), "int": pyarrow.int64(), "float": pyarrow.float64()}
    columns = [(field.name, kinds[str(field.type)]) for field in fields(Figure)]
    schema = pyarrow.schema([*columns, ("fingerprint", pyarrow.string())])
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(records), schema), file)
    return file.getvalue()


#: What makes each kind of file, by how its name ends.
FORMATS: dict[str, Callable[[Sequence[dict[str, object]]], bytes]] = {
    ".csv": _csv,
    ".json": lambda records: (json.dumps(records, indent=2) + "\n").encode(),
    ".jsonl": _lines,
    ".parquet": _parquet,
}
