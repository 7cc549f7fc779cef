"""What notebooks show: what is given stands in it, escaped, and is cut where it is long."""

from __future__ import annotations

from finalist import notebook


def test_a_table_has_a_row_a_value() -> None:
    text = notebook.table("<title>", {"one": 1, "a&b": "<script>"})
    assert text.count("<tr>") == 2 and "&lt;title&gt;" in text
    assert "a&amp;b" in text and "&lt;script&gt;" in text and "<script>" not in text


def test_a_text_is_folded_and_cut() -> None:
    assert notebook.folded("text", "x < y\nz").startswith("<details><summary>text, 2 lines</summary>")
    assert "x &lt; y" in notebook.folded("text", "x < y")
    long = notebook.folded("text", "line\n" * (notebook.MOST_LINES + 7))
    assert long.count("line\n") == notebook.MOST_LINES and "... and 7 lines more" in long


def test_bytes_are_cut() -> None:
    assert notebook.hexadecimal(b"") == "0 bytes"
    assert notebook.hexadecimal(bytes(range(6))) == "6 bytes: 0001 02030405"
    long = notebook.hexadecimal(bytes(1000))
    assert long.startswith("1000 bytes: 00000000") and long.endswith(" ...") and len(long) < 200
