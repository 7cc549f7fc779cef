"""From how many blocks on a program is reckoned to be sooner than another."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.export import choices
from finalist.export.choices import (
    FEW,
    MANY,
    ONE,
    Choice,
    Planned,
    alone,
    entry,
    gains,
    least_blocks,
    paying_blocks,
    resting_blocks,
    shared,
    was_tried,
)
from finalist.export.levels import AVX2, PORTABLE, level
from finalist.export.parts import same_keys, smallest_call
from finalist.export.plan import plans
from finalist.export.selection import Selection
from finalist.machines.native.run import NativeProgram
from finalist.schedule import parse_schedule, parsed
from finalist.tuning import shipped
from finalist.tuning.choose import LENGTHS

SPECK = str(Path(__file__).parents[2] / "examples" / "speck.py")


def made(*words: str, of: str = SPECK, bits: int = 128) -> NativeProgram:
    program = api.compile(of, "native", "encrypt", bits, parse_schedule(list(words)))
    assert isinstance(program, NativeProgram)
    return program


@pytest.fixture(scope="module")
def one() -> NativeProgram:
    return made("blocks=1", "width=1")


def test_many_serve_from_two_blocks_on_and_no_later_than_a_call(one: NativeProgram) -> None:
    many = made("width=256")
    assert least_blocks(one, one) == 1 and 2 <= least_blocks(one, many) <= smallest_call(many)


def test_the_same_key_costs_nothing(one: NativeProgram) -> None:
    many = made("width=256")
    assert same_keys(one, many)
    assert paying_blocks(one, many, 3) == 3 and resting_blocks(one, many) == 0


def test_another_key_pays_later() -> None:
    """Bits of the key as masks are another key than its words."""
    one = made("blocks=1", "width=1", of="des", bits=64)
    sliced = made("width=128", "lookup=bitslice", of="des", bits=64)
    least = least_blocks(one, sliced)
    assert not same_keys(one, sliced) and paying_blocks(one, sliced, least) > least
    # A call of so many blocks takes longer than a block with its key set-up.
    assert resting_blocks(one, sliced) > 0


def test_few_and_many_blocks_are_those_of_short_and_long_messages() -> None:
    found = entry(cipher("mars"), "encrypt", 128, level("avx512"))
    many, few = parsed(found["schedule"]), parsed(found["few"]["schedule"])
    assert LENGTHS[-1] == 65536 and (many.width or 0) > 1 and (few.width or 0) > 1 and many != few


def test_few_blocks_are_those_of_longer_messages_where_no_vectors_win_before() -> None:
    """Of the first length that they win at; without them, or where they serve all, there are none of few."""
    one, few, many = "blocks=1", "width=256 lookup=permute", "width=256 lookup=bitslice"
    winners = {16: one, 512: "default", 1024: few, 8192: many, 0: one}
    assert choices._entry(winners) == {"schedule": many, "few": {"schedule": few}}
    assert choices._entry({16: one, 1024: many, 0: one}) == {"schedule": many}
    assert choices._entry({16: one, 1024: "blocks=4", 0: one}) == {"schedule": "blocks=4"}


def test_other_key_lengths_take_those_of_the_usual_one() -> None:
    found = [entry(cipher("mars"), "encrypt", bits, level("avx512")) for bits in (128, 192)]
    assert found[0] == found[1]


def test_what_nobody_tuned_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert entry(cipher("mars"), "encrypt", 128, PORTABLE) == {}
    assert entry(cipher(SPECK), "encrypt", 128, level("avx512")) and alone(cipher(SPECK), "encrypt", 128)
    monkeypatch.setattr(shipped, "winners", lambda *task: {})
    assert entry(cipher(SPECK), "encrypt", 128, level("avx512")) == {}
    assert alone(cipher(SPECK), "encrypt", 128) is None


def test_cpus_of_a_kind_have_single_blocks_of_their_own() -> None:
    """Where their winner reads tables otherwise: in a file tuned for them, as its key set-up is."""
    usual, own = (
        alone(cipher("des"), "encrypt", 64, *kinds) for kinds in ((), (level("avx512_zen5").kinds,))
    )
    assert usual is not None and own is not None and usual.fuse != own.fuse
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=("avx512", "avx512_zen5"))
    (plan,) = plans(cipher("des"), (64,), parse_schedule([]), selection)
    steps = {way.level.name: way.steps[0] for way in plan.ways}
    assert steps["avx512_zen5"].part.level.name == "avx512_zen5" and steps["avx512"].part.level is AVX2
    assert steps["avx512_zen5"].part.first.schedule.fuse == own.fuse
    assert "zen5" in steps["avx512_zen5"].setup and "portable" in steps["avx512"].setup
    assert steps["avx512"].part.first.schedule.fuse != own.fuse


def test_single_blocks_with_a_form_for_instructions_are_compiled_where_there_are_these(
    one: NativeProgram,
) -> None:
    """DES's permutations by GFNI: with AVX2's instructions alone its block took 1.09 times as long."""
    des = made("blocks=1", "width=1", of="des", bits=64)
    for program, levels in (
        (des, {"avx512_intel": "avx512_gfni", "avx512_gfni": "avx512_gfni", "avx512": "avx2"}),
        (one, {"avx512_intel": "avx2", "simd128": "portable"}),
    ):
        step = Planned(ONE, program)
        assert {name: Choice(level(name), (step,)).level_of(step).name for name in levels} == levels


@pytest.mark.parametrize(
    ("name", "compiled"),
    [("avx512_intel", "avx512"), ("avx512_gfni", "avx512"), ("avx512_zen5", "avx512_zen5")],
)
def test_a_program_of_two_levels_is_compiled_once_but_where_it_is_tuned(
    one: NativeProgram, name: str, compiled: str
) -> None:
    many = made("width=512", "blocks=128")
    steps = (Planned(ONE, one), Planned(MANY, many))
    below = Choice(level("avx512"), steps)
    own = Choice(level(name), tuple(shared(steps, level(name), below)))
    assert own.level_of(own.steps[1]).name == compiled
    assert own.steps[0] == steps[0]  # which has rules of its own


def test_very_long_programs_are_compiled_once_for_tuned_levels_too(
    one: NativeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = made("width=512", "blocks=128")
    monkeypatch.setattr(choices, "_VERY_LONG", len(many.text))
    steps = (Planned(ONE, one), Planned(MANY, many))
    found = shared(steps, level("avx512_zen5"), Choice(level("avx512"), steps))
    assert [step.level for step in found] == [None, level("avx512")]


def test_what_was_tried_on_another_vendors_cpus_alone_is_compiled_once_for_tuned_levels_too(
    one: NativeProgram,
) -> None:
    many = made("width=512", "blocks=128")
    steps = (Planned(ONE, one), Planned(MANY, many))
    found = shared(steps, level("avx512_zen5"), Choice(level("avx512"), steps), tried=False)
    assert [step.level for step in found] == [None, level("avx512")]


def test_what_was_tried_on_cpus_of_a_levels_vendor() -> None:
    assert was_tried(cipher("des"), "encrypt", 64, level("avx512_zen5"))
    assert not was_tried(cipher("lea"), "encrypt", 128, level("avx512_zen5"))
    assert was_tried(cipher("lea"), "encrypt", 128, level("avx512_intel"))
    assert entry(cipher("lea"), "encrypt", 128, level("avx512_zen5"))
    assert not was_tried(cipher("lea"), "encrypt", 128, PORTABLE)


def test_what_has_a_form_for_more_instructions_or_another_role_is_compiled_for_its_level() -> None:
    bytes_ = made("width=512", "lookup=permute", "word=8", of="rijndael")
    below = Choice(level("avx512"), (Planned(MANY, bytes_),))
    (step,) = shared([Planned(MANY, bytes_, level=level("avx2"))], level("avx512_gfni"), below)
    assert gains([step], level("avx512_gfni"), level("avx512")) and step.level is None
    many = made("width=512", "blocks=128")
    below = Choice(level("avx512"), (Planned(MANY, many),))
    found = shared([Planned(FEW, many), Planned(MANY, many)], level("avx512_intel"), below)
    assert [step.level for step in found] == [None, level("avx512")]


def test_single_blocks_are_those_of_chains_that_need_no_vectors() -> None:
    found = alone(cipher("mars"), "encrypt", 128)
    assert found is not None and (found.blocks, found.width) == (1, 1)
    assert alone(cipher("rijndael"), "encrypt", 128) is None  # by instructions of the CPU
