"""What a program for a simulated processor says of itself."""

from __future__ import annotations

from finalist import api


def test_tables_in_memory() -> None:
    """Blowfish reads four tables of its key, of 256 words of four bytes each."""
    tables = api.compile("blowfish", "plx").tables()
    assert [(table.length, table.bytes, table.size) for table in tables] == [(256, 4, 1024)] * 4
