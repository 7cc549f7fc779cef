"""Tables read by permutes, and entry by entry where a processor has none."""

from __future__ import annotations

import pytest

from finalist.machines.native.vectors import permutes, word_permutes


@pytest.mark.parametrize(("lanes", "head"), [(64, "static __attribute__((noinline))"), (32, "static inline")])
def test_loops_over_a_table_are_functions_where_vectors_are_wider_than_the_processors(
    lanes: int, head: str
) -> None:
    """With -O3 gcc unrolled them wherever a table was read: minutes for E2's and Twofish's kernels."""
    text = permutes.text(lanes, 8, "vec_lookup16(t, x)")
    assert f"{head} vec vec_scan(const uint8_t *t, int entries, vec i)" in text


def test_so_are_loops_over_words() -> None:
    text = word_permutes.text(64, "vec_shorts256(t, x)")
    assert "static __attribute__((noinline)) vec vec_scan256(const uint16_t *t, vec i)" in text
