"""Which programs a library has."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.errors import KeyLengthError, ScheduleError
from finalist.export import choices, plan
from finalist.export.data import schedules
from finalist.export.export import Order, lengths_of, write_library, write_supercop
from finalist.export.levels import AVX2, FORMS, PORTABLE, level
from finalist.export.parts import Plan, Serving
from finalist.export.plan import plans
from finalist.export.programs import Programs
from finalist.export.selection import LEVEL_NAMES, Selection
from finalist.machines.native.run import NativeProgram
from finalist.schedule import FORMERLY, Schedule, parse_schedule, parsed
from finalist.tuning import choose
from tests.catalogue import USUAL

SPECK = str(Path(__file__).parents[2] / "examples" / "speck.py")


#: What is planned soonest.
LITTLE = Selection(operations=("encrypt",), modes=("ecb",), levels=("avx512",))


def planned(
    name: str,
    lengths: tuple[int, ...] = (128,),
    choices: Schedule | None = None,
    selection: Selection | None = None,
) -> Plan:
    return plans(cipher(name), lengths, choices or Schedule(), selection)[0]


def test_levels_come_the_best_first_and_end_portable() -> None:
    ways = planned(SPECK).ways
    assert [way.level.name for way in ways] == ["avx512", "avx2", "portable"]
    assert [way.parts[-1].first.schedule.width for way in ways] == [512, 256, 1]
    for way in ways:
        one, many = way.steps
        assert one.part.first.schedule.blocks == 1
        assert one.part.level is (AVX2 if way.level.has(AVX2) else PORTABLE)
        assert one.serving == Serving()
        assert 2 <= many.serving.least <= min(many.part.smallest, many.serving.pays)


def test_key_lengths_of_one_kernel_share_a_part() -> None:
    plan = planned("rc6", (128, 256), selection=LITTLE)
    assert [program.key_bits for part in plan.parts for program in part.programs] == [128, 256] * len(
        plan.parts
    )
    assert len({part.name for part in plan.parts}) == len(plan.parts)
    assert len(plan.ways) == 2 * len({way.level for way in plan.ways})


def test_what_is_quickest_is_sought_with_the_longest_key_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a cipher that was never tuned for a level; with shorter keys it is taken."""
    asked: Counter[int] = Counter()
    compiled = Programs.compiled

    def counted(self: Programs, bits: int, schedule: Schedule) -> NativeProgram:
        asked[bits] += 1
        return compiled(self, bits, schedule)

    monkeypatch.setattr(Programs, "compiled", counted)
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=("simd128",))
    ways = planned("rc5", (64, 128), selection=selection).ways[::2]
    assert [way.level.name for way in ways] == ["simd128"] * 2
    assert len({way.parts[-1].first.schedule for way in ways}) == 1
    assert asked[64] < asked[128]


def test_expanded_keys_that_are_the_same_are_kept_once() -> None:
    way = planned("rc6", selection=LITTLE).ways[-1]
    one, many = way.steps
    assert many.setup == "" and many.place == one.place == 0
    assert many.serving.pays == many.serving.least and many.serving.rest == 0
    assert way.first_until is None, "its key is all there is to set"
    assert way.by_first(way.same(one)) == many.serving.least - 1, "longer messages are not done by it alone"


def test_messages_that_the_last_key_alone_is_set_for() -> None:
    """As the library has it that asks every step, for whatever a step is worth."""
    way = next(way for way in planned("blowfish", selection=LITTLE).ways if way.level.name == "avx512")
    last, size = way.steps[-1], 8
    call = last.part.smallest
    for pays, rest in ((2, 0), (5, 0), (1, 1), (3, 2), (call, call), (call + 1, 3), (9, call + 1)):
        step = replace(last, serving=Serving(2, pays, rest))
        numbers = replace(way, steps=(*way.steps[:-1], step)).last_alone(size)
        assert numbers is not None
        least, within, more = numbers
        for message in range(1, 4 * call * size):
            blocks = -(-message // size)
            left = blocks % call
            alone = blocks >= pays and (not rest or not left or left >= rest)
            quick = message >= least and ((message & within) - 1) % (1 << 64) >= more
            assert quick == alone or (alone and left == 0 and rest > call), (pays, rest, message)


def test_none_where_its_key_is_another_s_or_its_calls_are_of_no_power_of_two() -> None:
    assert planned("rc6", selection=LITTLE).ways[-1].last_alone(16) is None
    way = next(way for way in planned("blowfish", selection=LITTLE).ways if way.level.name == "avx512")
    last = replace(way.steps[-1], serving=Serving(2, 3, 2))
    own = replace(way, steps=(*way.steps[:-1], last))
    assert own.last_alone(8) and own.last_alone(24) is None
    assert replace(own, steps=(*own.steps[:-1], replace(last, serving=Serving(2, 3)))).last_alone(24)


def test_expanded_keys_that_differ_lie_one_after_the_other_in_lines() -> None:
    """Permutes of 16-bit lanes have a key's tables put apart, one block's loads do not."""
    ways = {way.level.name: way for way in planned("blowfish", selection=LITTLE).ways}
    one, few, many = ways["avx512"].steps
    assert few.part.first.schedule.word == many.part.first.schedule.word == 32
    assert few.setup and not many.setup and few.serving.pays > few.serving.least
    assert one.place == 0 and many.place == few.place >= one.part.key_bytes and many.place % 64 == 0
    # A context begins anywhere that a number of 64 bits may.
    assert ways["avx512"].key_bytes >= many.place + many.part.key_bytes + 56
    assert ways["avx512"].first_until == few.serving.pays - 1
    way = ways["avx512"]
    assert [way.same(step) for step in way.steps] == [1, 6, 6]
    assert way.by_first(1) is None, "with its key alone it does any message"
    assert way.by_first(6) == 0 and way.by_first(7) == few.serving.least - 1


def test_key_set_ups_in_instructions_for_whole_blocks_are_each_levels_own() -> None:
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=("vaes512", "aes"))
    plan = planned("rijndael", selection=selection)
    assert {part.name: bool(part.key_set_ups) for part in plan.parts if "aes" in part.name} == {
        "encrypt_vaes512_one": True,
        "encrypt_vaes512_many": False,
        "encrypt_aes_one": True,
        "encrypt_aes_many": False,
    }


def test_a_level_compiles_what_it_runs() -> None:
    """Other flags make other code of one program."""
    levels = ("avx512", "avx2", "simd128", "portable")
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=levels)
    for way in planned("rc6", selection=selection).ways:
        one = AVX2 if way.level.has(AVX2) else PORTABLE
        assert [step.part.level for step in way.steps[1:]] == [way.level] * (len(way.steps) - 1)
        assert way.parts[0].level is one


def test_single_blocks_of_a_vendors_level_are_what_has_won_there() -> None:
    """With those of other CPUs LOKI97's took 1.42 times as long on Intel's as what is measured."""
    selection = Selection(operations=("encrypt",), modes=("ecb",))
    ways = {way.level.name: way for way in planned("loki97", selection=selection).ways}
    own = choices.alone(cipher("loki97"), "encrypt", 128, ways["avx512_intel"].level.kinds)
    one = ways["avx512_intel"].steps[0].part
    assert one.level is AVX2, "where code is not tuned it is that of all CPUs with such instructions"
    assert one.first.schedule == api.compile(cipher("loki97"), "native", "encrypt", 128, own).schedule
    assert one.first.schedule != ways["avx512_gfni"].steps[0].part.first.schedule


def test_what_other_levels_call_is_built_where_its_own_is_left_out() -> None:
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=("avx512",))
    parts = {part.name: part for part in planned("mars", selection=selection).parts}
    assert parts["encrypt_avx2_one"].lent and parts["encrypt_portable_one"].lent
    assert not parts["encrypt_avx512_many"].lent


def test_steps_serve_ever_longer_messages() -> None:
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=("avx512",))
    ways = planned("mars", selection=selection).ways
    assert [step.part.role for step in ways[0].steps] == ["one", "few", "many"]
    for way in ways:
        for numbers in ([s.serving.least for s in way.steps], [s.serving.pays for s in way.steps]):
            assert numbers == sorted(numbers)


def test_with_avx2_winners_serve_that_have_no_form_for_other_instructions() -> None:
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=("avx2",))
    first = planned("rc6", selection=selection).ways[0]
    assert [step.part.first.schedule.width for step in first.steps[1:]] == [256, 256]
    won = choices.entry(cipher("rc6"), "encrypt", 128, AVX2)
    for step, own in zip(first.steps[1:], (won["few"]["schedule"], won["schedule"]), strict=True):
        made = api.compile("rc6", "native", "encrypt", 128, parsed(own))
        assert step.part.first.schedule == made.schedule


def test_winners_that_name_no_vectors_have_those_of_their_level() -> None:
    """XTEA's is ``default``: of the widest vectors of CPUs of the level, whatever this computer has."""
    ways = planned("xtea", selection=Selection(modes=("ecb",))).ways
    widths = {way.level.name: way.steps[-1].part.first.schedule.width for way in ways}
    assert {"avx512": 512, "avx2": 256, "simd128": 128, "portable": 1}.items() <= widths.items()
    assert all(width == level(name).width for name, width in widths.items())


@pytest.mark.check
def test_a_winner_with_such_a_form_is_left_to_the_levels_that_have_it() -> None:
    """Twofish's tables of bytes, of few blocks; bit slices of many have none."""
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=("avx2",))
    _, few, many = planned("twofish", selection=selection).ways[0].steps
    assert (few.part.first.schedule.lookup, many.part.first.schedule.lookup) == ("permute", "bitslice")
    assert few.part.first.schedule.rounds == "loop"  # as the level has it, not as it won
    (_, only) = planned("e2", selection=selection).ways[0].steps
    assert only.part.first.schedule.lookup == "permute" and only.serving.least == 7


def test_a_stream_cipher_whose_blocks_wait_has_one_program() -> None:
    (way,) = planned("rc4", (40,)).ways
    assert way.level is PORTABLE and len(way.steps) == 1
    assert way.steps[0].part.first.schedule.blocks == 8 and way.steps[0].part.smallest == 1


def test_where_size_comes_first_it_takes_one_at_a_time() -> None:
    (way,) = planned("rc4", (40,), selection=Selection(size="small")).ways
    assert way.steps[0].part.first.schedule.blocks == 1


def test_one_that_counts_has_vectors_and_the_state_in_one_key() -> None:
    ways = planned("chacha20", (384,), selection=Selection(operations=("encrypt",))).ways
    assert [way.level.name for way in ways] == ["avx512", "avx2", "simd128", "portable"]
    for way in ways[:-1]:
        one, many = way.steps
        assert one.place == many.place and one.setup and not many.setup
        assert many.part.first.schedule.width == way.level.width and many.serving.least > 1


def test_one_that_counts_has_what_won_in_its_vectors() -> None:
    ways = planned("salsa20", (384,), selection=Selection(operations=("encrypt",))).ways
    for way in ways:
        if won := choices.entry(cipher("salsa20"), "encrypt", 384, way.level):
            made = api.compile("salsa20", "native", "encrypt", 384, parsed(won["schedule"]))
            assert way.steps[-1].part.first.schedule == made.schedule


def test_small_streams_have_no_vectors() -> None:
    selection = Selection(operations=("encrypt",), size="small")
    assert [way.level for way in planned("chacha20", (384,), selection=selection).ways] == [PORTABLE]


@pytest.mark.check
def test_programs_with_a_form_for_instructions_have_their_level_without_winners_as_well() -> None:
    """They read tables in the same way, but S-boxes by inversion as affine maps."""
    selection = Selection(operations=("encrypt",), modes=("ecb",))
    first, second, *_ = planned("sm4", choices=Schedule(fuse=0), selection=selection).ways
    assert [way.level.name for way in (first, second)] == ["avx512_gfni", "avx512"]
    assert first.parts[-1] is not second.parts[-1]
    assert [way.parts[-1].first.schedule.lookup for way in (first, second)] == ["permute", "permute"]


@pytest.mark.check
@pytest.mark.parametrize("name", ["sm4", "rc2"])
def test_winners_with_such_a_form_are_of_levels_that_have_it_and_the_rest_is_reckoned(name: str) -> None:
    selection = Selection(operations=("encrypt",), modes=("ecb",))
    ways = {way.level.name: way.parts[-1] for way in planned(name, selection=selection).ways}
    assert {"avx512_zen5", "avx512_gfni", "avx512", "avx2", "portable"} <= set(ways)
    for own in ("avx512_zen5", "avx512_gfni"):
        assert any(form in ways[own].first.text for form in FORMS)
    assert ways["avx512_gfni"] is not ways["avx512"]


def test_built_in_ciphers_have_the_same_programs_whatever_was_tuned_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With all words of a schedule open, and with some chosen."""

    def blocks(name: str, choices: Schedule | None = None) -> int | None:
        wanted = Selection(operations=("encrypt",), modes=("ecb",), levels=("avx512",))
        return planned(name, choices=choices, selection=wanted).ways[0].parts[-1].first.schedule.blocks

    chosen = (Schedule(), Schedule(rounds="loop"))
    before = [blocks("speck", one) for one in chosen]
    monkeypatch.setattr(choose, "best", lambda *task: parsed("blocks=32 width=512 planes=1 skew=0"))
    assert blocks(SPECK) == 32
    assert [blocks("speck", one) for one in chosen] == before and 32 not in before


@pytest.mark.check
def test_vaes_beside_avx2_is_for_inversions_alone() -> None:
    """Such a cipher's program has a form of its own for it; the others have the level below."""
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=("avx2_vaes", "avx2"))
    first, second, *_ = planned("e2", selection=selection).ways
    assert (first.level.name, second.level.name) == ("avx2_vaes", "avx2")
    assert "__VAES__" in first.parts[-1].programs[0].text
    assert first.parts[-1].level.name == "avx2_vaes" and "-mvaes" in first.parts[-1].level.flags
    assert [way.level.name for way in planned("rc6", selection=selection).ways] == ["avx2", "portable"]


def test_cpus_of_a_vendor_have_a_level_where_other_programs_have_won_on_them() -> None:
    """DES's, some of whose kernels only have other numbers of blocks; what is the same is compiled once."""
    ways = planned("des", (64,), selection=Selection(operations=("encrypt",), modes=("ecb",))).ways
    own = {way.level.name: way.parts for way in ways}
    assert list(own)[:4] == ["avx512_intel", "avx512_zen5", "avx512_gfni", "avx512"]
    assert own["avx512_zen5"][-1].level.name == "avx512_zen5"
    assert own["avx512_intel"][-1] is own["avx512_gfni"][-1] is own["avx512"][-1]
    assert own["avx512"][-1].lent and own["avx512_intel"][1] is not own["avx512_gfni"][1]


def test_choices_hold_for_all_programs() -> None:
    plan = planned(SPECK, choices=parse_schedule(["rounds=loop"]))
    assert {program.schedule.rounds for part in plan.parts for program in part.programs} == {"loop"}


def test_what_has_no_portable_form_is_refused() -> None:
    with pytest.raises(ScheduleError, match="lookup=permute reads with vectors"):
        planned("rc4", (40,), parse_schedule(["lookup=permute"]))


def test_key_lengths() -> None:
    assert lengths_of(cipher("rijndael"), None) == (128, 192, 256)
    assert lengths_of(cipher("blowfish"), 32) == (32,)
    with pytest.raises(KeyLengthError, match="rijndael has no 64-bit keys; accepted: 128, 192, 256"):
        lengths_of(cipher("rijndael"), 64)


@pytest.mark.parametrize(
    ("names", "key_bits", "why"),
    [
        (("rijndael", "des"), 128, "des has no 128-bit keys"),
        (("rc6", "rijndael"), 64, "rijndael has no 64-bit"),
    ],
)
def test_a_key_length_that_one_cipher_has_not_is_refused_before_anything_takes_time(
    names: tuple[str, ...], key_bits: int, why: str, tmp_path: Path
) -> None:
    told: list[str] = []
    for write in (write_library, write_supercop):
        with pytest.raises(KeyLengthError, match=why):
            write(Order(names, key_bits, Schedule(), "a test"), tmp_path / "library", told.append)
    assert not told and not (tmp_path / "library").exists()


def test_what_was_found_quickest_is_of_ciphers_and_levels_that_there_are() -> None:
    """A schedule that is not legal would be passed over without a word; those of short kernels are tried."""
    assert set(schedules()) == set(USUAL)
    for entries in schedules().values():
        levels = {name: entry for name, entry in entries.items() if name != "fill"}
        assert set(levels) <= {*LEVEL_NAMES, "one"}
        assert entries.get("fill") in (None, "zeros", "one", "repeated")
        assert all(parse_schedule([entry["schedule"]]).width is None for entry in levels.values())


@pytest.mark.check
def test_processes_make_the_same_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    own = plans(cipher(SPECK), (128,), Schedule())
    monkeypatch.setattr(plan, "_MUCH_WORK", 0)
    others = plans(cipher(SPECK), (128,), Schedule())
    assert [one.operation for one in others] == [one.operation for one in own]
    for here, there in zip(own, others, strict=True):
        assert [part.first.text for part in there.parts] == [part.first.text for part in here.parts]
        told = [[[step.setup for step in way.steps] for way in plan.ways] for plan in (here, there)]
        assert told[0] == told[1]


def test_what_a_process_refuses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "_MUCH_WORK", 0)
    with pytest.raises(ScheduleError, match="lookup=match"):
        plans(cipher("serpent"), (128,), Schedule(lookup="match"))


class TestSelections:
    def test_levels(self) -> None:
        ways = planned(SPECK, selection=Selection(levels=("avx2",))).ways
        assert [way.level.name for way in ways] == ["avx2", "portable"]  # which is always there

    def test_small_is_one_portable_program_with_loops(self) -> None:
        plan = planned(SPECK, selection=Selection(size="small"))
        (part,) = plan.parts
        assert part.level is PORTABLE and part.first.schedule.rounds == "loop" and part.role == "one"
        assert part.shared == part.modes == ("ecb", "ctr", "cbc") and not part.inlined

    def test_modes(self) -> None:
        found = plans(cipher(SPECK), (128,), Schedule(), Selection(modes=("ctr",)))
        assert [plan.operation for plan in found] == ["encrypt"]  # counter mode decrypts by encryption
        assert {part.modes for part in found[0].parts} == {("ctr",)}

    def test_one_block_chains_where_many_can_not(self) -> None:
        plan = planned(SPECK, selection=Selection(operations=("encrypt",), modes=("cbc",)))
        assert [part.name for part in plan.parts] == ["encrypt_portable_one"]

    def test_what_is_refused(self) -> None:
        with pytest.raises(ScheduleError, match=r"--mode ctr: rc4 is a stream cipher.* accepted: ecb"):
            planned("rc4", (40,), selection=Selection(modes=("ecb", "ctr")))
        with pytest.raises(
            ScheduleError, match=r"--mode ctr: it decrypts by encryption.* --operation encrypt"
        ):
            planned(SPECK, selection=Selection(operations=("decrypt",), modes=("ctr",)))


class TestKeySetUps:
    @pytest.mark.check
    def test_files_of_other_levels_have_none_of_their_own(self) -> None:
        plan = planned("mars", (128, 256))
        homes = ["encrypt_avx512_zen5_one", "encrypt_portable_one"]  # one is tuned
        assert [part.name for part in plan.parts if part.setups] == homes
        names = {step.setup for way in plan.ways for step in way.steps if step.setup}
        assert names == {f"{home}_key_{bits}" for home in homes for bits in (128, 256)}

    @pytest.mark.check
    def test_those_of_masks_are_there_once_for_vectors_of_a_width(self) -> None:
        """Bits of the key as masks, which bitsliced code of any width reads, are made by vectors."""
        homes = {part.level.name: part for part in planned("des", (64,)).parts if part.setups}
        assert {"portable", "simd128", "avx2", "avx512", "avx512_zen5"} <= set(homes)
        called = {way.level.name: {step.setup for step in way.steps} for way in planned("des", (64,)).ways}
        assert "encrypt_avx512_many_key_64" in called["avx512"] & called["avx512_gfni"]
        assert "encrypt_avx2_many_key_64" in called["avx2"]

    @pytest.mark.check
    def test_those_of_programs_with_a_form_for_gfni_are_there_with_it(self) -> None:
        """DES's permutations have one; RC6, which has none, has one set-up for all levels of no vendor."""
        levels = Selection(levels=("avx512_gfni", "avx2"))
        for name, bits, expected in (("des", 64, "avx512_gfni"), ("rc6", 128, "portable")):
            way = planned(name, (bits,), selection=levels).ways[0]
            assert way.steps[0].setup == f"encrypt_{expected}_one_key_{bits}"

    @pytest.mark.check
    def test_those_whose_sums_the_compiler_is_to_leave_alone_are_apart(self) -> None:
        """Serpent's takes 0.77 of the cycles so, on Intel's CPUs, for which that has won."""
        ways = planned("serpent", (128,), selection=Selection(levels=("avx512_intel", "avx2"))).ways
        ordered = {way.level.name: way.steps[0].part.first.schedule.sums for way in ways}
        assert ordered == {"avx512_intel": "ready", "avx2": None, "portable": None}
        called = {way.level.name: way.steps[0].setup for way in ways}
        assert called["avx2"] == called["portable"] != called["avx512_intel"]

    @pytest.mark.check
    def test_those_of_planes_are_there_once_for_vectors_of_a_width(self) -> None:
        """A variable shift is one instruction only with BMI2, which comes with AVX2's level."""
        ways = planned("noekeon", (128,)).ways
        called = {way.level.name: {step.setup for step in way.steps} for way in ways}
        for at in ("simd128", "avx2", "avx512"):
            assert f"encrypt_{at}_many_key_128" in called[at]

    def test_keys_that_are_filled_up(self) -> None:
        (part,) = planned("cast-256", (128, 256), selection=Selection(size="small")).parts
        assert [program.key_bits for program in part.setups] == [256] and list(part.padded) == [128]
        assert part.key_set_ups == [128, 256]

    def test_keys_whose_own_set_up_is_quicker_are_not_filled_up(self) -> None:
        parts = planned("cast-256", (128, 256)).parts
        assert any(part.setups for part in parts) and not any(part.padded for part in parts)


def test_schedules_have_no_earlier_names() -> None:
    """Users would be told of words that they have not written."""
    known = [entry for levels in schedules().values() for entry in levels.values() if isinstance(entry, dict)]
    texts = [entry.get(which, "") for entry in known for which in ("schedule", "decrypt")]
    words = {choice.partition("=")[0] for text in texts for choice in text.split()}
    assert "key-schedule" in words
    assert not words & FORMERLY.keys()


def test_what_has_no_key_is_refused() -> None:
    with pytest.raises(ScheduleError, match=r"xoodoo has no key, .* accepted: --layout file"):
        plans(cipher("xoodoo"), (0,), Schedule())
