"""Constants too long to read in a definition, as JSON files; numbers as hexadecimal text."""

import json
from importlib import resources


def constants(name: str) -> dict[str, list[int]]:
    """The tables in ``name.json``."""
    text = resources.files(__name__).joinpath(f"{name}.json").read_text("utf-8")
    tables = {key: value for key, value in json.loads(text).items() if isinstance(value, list)}
    return {key: [int(entry, 16) for entry in value] for key, value in tables.items()}
