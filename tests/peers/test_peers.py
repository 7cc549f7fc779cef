"""Other libraries as they are here: they agree with ours and are measured beside it; figures are kept."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import CompilerError, VectorError
from finalist.measure.clock import Measurement
from finalist.peers import field, figures, interface, library, opinion, python
from finalist.peers.check import many_blocks
from finalist.peers.field import Field
from finalist.peers.figures import Figure
from finalist.peers.grid import (
    BY_SIZE,
    CHAINED,
    LEVELS,
    NEW,
    NEW_SIZES,
    SETUP,
    SIZES,
    Cell,
    Entry,
    Grid,
    all_cells,
    cells,
)
from finalist.peers.interface import Peer, PeersError, Source
from finalist.peers.library import LIBRARIES, PeerLibrary
from finalist.report import peers as report
from finalist.report.sheets import MARK

DES = cipher("des")


@pytest.fixture(scope="module")
def there() -> PeerLibrary:
    try:
        found = library.library()
    except CompilerError as error:
        pytest.skip(f"the programs that call other libraries can't be built: {error}")
    if found is None:
        pytest.skip(f"no other library is here: {library.how_to_install()}")
    return found


class TestSecondOpinion:
    @pytest.mark.parametrize("name", ["rijndael", "serpent", "safer-plus", "cast-256"])
    @pytest.mark.every(2)
    def test_all_agree_on_random_blocks(self, there: PeerLibrary, name: str) -> None:
        definition = cipher(name)
        bits = definition.usual_key_bits()
        asked = [
            opinion.ask(definition, "encrypt", bits, other, crypt, blocks=200)
            for other, crypt in opinion.others(definition, "encrypt", there)
            if opinion.has_key(crypt, bits)
        ]
        if not asked:
            pytest.skip(f"no library here has {name}")
        assert [(one.difference, one.wrong) for one in asked] == [("", "")] * len(asked)
        assert all(one.blocks >= 200 for one in asked)

    def test_a_fault_in_one_block_is_found(self) -> None:
        key_bits, size = 64, 8
        right = ours_in_ecb()

        def faulty(key: bytes, data: bytes) -> bytes:
            answer = right(key, data)
            return answer if len(data) != 30 * size else answer[:-1] + bytes([answer[-1] ^ 0x80])

        one = opinion.ask(DES, "encrypt", key_bits, "faulty", faulty, blocks=64 * 30)
        assert one.difference.startswith("key ") and not one.wrong
        wrong = opinion.ask(DES, "encrypt", key_bits, "wrong", lambda key, data: data, blocks=64)
        assert "vectors" in wrong.wrong and wrong.blocks == 0


def ours_in_ecb() -> python.Opened:
    """DES as `finalist.new` has it."""
    return python.Opened(python.ours(), "des", "ecb")


class TestField:
    def test_the_libraries_that_are_here_pass_their_checks(self, there: PeerLibrary) -> None:
        one = Field(DES, 64, there)
        assert not one.notes
        for wanted, peers in one.peers.items():
            assert all(peer.mode == wanted[1] for peer in peers)
        known = {peer.library for peer in there.peers if peer.cipher == "des"}
        assert {peer.library for peer in one.peers["encrypt", "ecb"]} == known

    def test_the_key_length_is_one_that_most_have(self, there: PeerLibrary) -> None:
        assert field.usual_key_bits(cipher("rijndael"), there) == 128
        assert field.usual_key_bits(cipher("rijndael"), None) == 128

    def test_a_library_that_fails_the_vectors_is_named_and_left_out(
        self, there: PeerLibrary, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        keyed = Peer.open
        monkeypatch.setattr(Peer, "open", lambda peer, key, **how: keyed(peer, bytes(len(key)), **how))
        one = Field(DES, 64, there)
        assert not any(one.peers.values())
        assert {"disagrees" in note.text for note in one.notes if note.name.startswith("nettle")} <= {True}


class TestPackages:
    @pytest.mark.parametrize("package", python.packages(), ids=lambda package: package.library)
    def test_they_answer_as_ours(self, package: python.Package) -> None:
        data = many_blocks(16)
        for name in package.ciphers:
            key = bytes(range(1, 25)) if name == "triple-des" else bytes(range(1, 17))
            key = key[:8] if name == "des" else key
            for mode in ("ecb", "ctr", "cbc"):
                theirs = python.Opened(package, name, mode)
                if theirs.open(key) is not None:
                    answer = python.Opened(python.ours(), name, mode)(key, data)
                    assert theirs(key, data) == package.once(name, mode)(key, data) == answer, mode
                    assert python.ours().once(name, mode)(key, data) == answer

    def test_what_they_have_not_is_none(self) -> None:
        for package in python.packages():
            assert package.open("serpent", "ecb", bytes(16), False) is None
            assert package.open("rijndael", "ecb", bytes(3), False) is None


# -- the grid and what is kept ---------------------------------------------------------------------------


def test_the_grid_has_all_sizes_and_single_blocks() -> None:
    every = list(all_cells(DES, 64))
    new = len(NEW) * len(NEW_SIZES)
    assert len(every) == len(LEVELS) * len(BY_SIZE) * len(SIZES) + new + 2 == len(set(every))
    assert {cell.level for cell in every if cell.quantity in NEW} == {"Python"}
    assert Cell("des", 64, "C", CHAINED, 8) in every and Cell("des", 64, "C", SETUP, 8) in every


def test_permutations_have_messages_of_whole_blocks_and_no_key_to_set_up() -> None:
    every = list(all_cells(cipher("keccak-f1600"), 0))
    assert {cell.data_bytes for cell in every if cell.quantity == "ECB"} == {n for n in SIZES if n >= 200}
    assert [cell.quantity for cell in every if cell.quantity not in BY_SIZE | NEW.keys()] == [CHAINED]
    ours, *_ = Grid(Field(cipher("keccak-f1600"), 0, None)).entries(Cell("keccak-f1600", 0, "C", "ECB", 1024))
    assert ours.measurer(seconds=1e-3).runs > 0


def test_cells_that_nobody_else_has_are_left_out() -> None:
    alone = Field(DES, 64, None)
    assert {cell.level for cell in cells(alone)} <= {"Python"}
    alone.packages = {wanted: [] for wanted in alone.packages}
    assert not list(cells(alone))


def test_entries_of_a_cell_begin_with_ours(there: PeerLibrary) -> None:
    grid = Grid(Field(DES, 64, there))
    for quantity, size in (("ECB", 64), ("CTR", 64), ("CBC", 64), (CHAINED, 8), (SETUP, 8)):
        ours, *others = grid.entries(Cell("des", 64, "C", quantity, size))
        if not others:
            pytest.skip("needs a library that has DES")
        assert ours.name == "Finalist" and ours.schedule
        assert all(entry.measurer(seconds=1e-3).runs > 0 for entry in (ours, others[0]))


@pytest.mark.parametrize("quantity", NEW)
def test_new_objects_are_made_under_many_keys(monkeypatch: pytest.MonkeyPatch, quantity: str) -> None:
    keys: set[bytes] = set()
    real = python.ours()

    def counted(name: str, mode: str) -> python.Once:
        once = real.once(name, mode)

        def crypt(key: bytes, data: bytes) -> bytes:
            keys.add(key)
            return once(key, data)

        return crypt

    monkeypatch.setattr(python, "ours", lambda: replace(real, once=counted))
    ours, *others = Grid(Field(DES, 64, None)).entries(Cell("des", 64, "Python", quantity, 16))
    assert (ours.name, ours.includes) == ("Finalist", "finalist.new(...).encrypt")
    assert len(others) == len([one for one in python.packages() if "des" in one.ciphers])
    assert all(one.measurer(seconds=0.05).ticks > 0 for one in (ours, *others))
    assert len(keys) > 10 and {len(key) for key in keys} == {8}


def test_new_objects_that_differ_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(python.ours(), once=lambda name, mode: lambda key, data: data)
    monkeypatch.setattr(python, "ours", lambda: wrong)
    with pytest.raises(VectorError, match="new object, ECB of 16 bytes differs"):
        Grid(Field(DES, 64, None)).entries(Cell("des", 64, "Python", "new object, ECB", 16))


def entry(name: str, ticks: float) -> Entry:
    def measured(*, seconds: float) -> Measurement:
        return Measurement(ticks, "per byte", "rdtsc", 1.0, 1, ticks)

    return Entry(name, "a call", "", measured)


CELL = Cell("des", 64, "C", "ECB", 64)


def comparison(ours: float, other: float, cell: Cell = CELL, process: int = 0) -> list[Figure]:
    return figures.taken(cell, [entry("Finalist", ours), entry("toy 1.0", other)], "here", process)


class TestFigures:
    @pytest.fixture(autouse=True)
    def file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("FINALIST_PEERS", str(tmp_path / "peers.jsonl"))
        return tmp_path / "peers.jsonl"

    def test_what_was_measured_is_known_here_and_of_this_state_only(self) -> None:
        taken = comparison(2.0, 3.0)
        old = [replace(one, commit="another") for one in comparison(9.0, 9.0)]
        figures.append([*taken, *old])
        assert figures.known("here") == {CELL: {0: taken}}
        assert figures.known("elsewhere") == {}

    def test_a_later_comparison_replaces_an_earlier_one_whole(self) -> None:
        first, second = comparison(2.0, 3.0), comparison(1.0, 4.0)
        later = [replace(one, date="2999-01-01T00:00:00.000+00:00") for one in second[:1]]
        figures.append([*first, *later])
        assert figures.known("here") == {CELL: {0: later}}

    def test_comparisons_of_several_processes_are_kept_side_by_side(self) -> None:
        first, second = comparison(2.0, 3.0), comparison(1.0, 4.0, process=1)
        figures.append([*first, *second])
        assert figures.known("here") == {CELL: {0: first, 1: second}}

    def test_a_file_that_can_not_be_used_is_named(self, file: Path) -> None:
        file.mkdir()
        with pytest.raises(PeersError, match="FINALIST_PEERS"):
            figures.append(comparison(1.0, 2.0))
        with pytest.raises(PeersError, match="FINALIST_PEERS"):
            figures.known("here")


class TestLeast:
    """One comparison of several processes'."""

    def test_each_has_its_least(self) -> None:
        ours, other = figures.least([comparison(2.0, 3.0), comparison(4.0, 2.5), comparison(5.0, 9.0)])
        assert (ours.ticks, other.ticks) == (2.0, 2.5)
        assert (ours.spread, other.spread) == (1.0, pytest.approx(0.2))

    def test_ratios_are_the_median_of_those_beside_each_other(self) -> None:
        """A process at another frequency has another time, and the same ratio."""
        found = figures.least([comparison(2.0, 3.0), comparison(4.0, 6.0), comparison(5.0, 5.0)])
        assert figures.ratio(found) == 1.5

    def test_the_best_other_is_the_one_of_the_least_ratio(self) -> None:
        quick, slow = (
            replace(comparison(1.0, 1.0)[1], name=name, ticks=ticks, times_ours=times)
            for name, ticks, times in (("a 1", 9.0, 1.1), ("b 1", 8.0, 1.2))
        )
        assert figures.best_of_others([comparison(1.0, 1.0)[0], slow, quick]).name == "a 1"

    def test_what_takes_no_time_that_the_clock_can_tell_is_the_quickest(self) -> None:
        assert figures.ratio([*comparison(1.0, 0.5), comparison(1.0, 0.0)[1]]) == 0.0

    def test_where_the_clock_can_not_tell_ours_there_is_no_ratio(self) -> None:
        assert figures.ratio(figures.least([comparison(0.0, 1.0), comparison(0.0, 2.0)])) is None

    def test_a_difference_of_minima_is_the_median(self) -> None:
        taken = [
            [replace(one, unit="per call") for one in comparison(ticks, 9.0)] for ticks in (1.0, 7.0, 6.0)
        ]
        ours, _ = figures.least(taken)
        assert (ours.ticks, ours.spread) == (6.0, 0.0)

    def test_what_is_too_short_for_the_clock_has_no_spread(self) -> None:
        assert figures.least([comparison(0.0, 1.0), comparison(0.0, 2.0)])[0].spread == 0.0

    def test_a_library_that_came_between_has_the_figures_that_there_are(self) -> None:
        alone = comparison(2.0, 3.0)[:1]
        assert [one.name for one in figures.least([alone, comparison(1.0, 4.0)])] == ["Finalist", "toy 1.0"]

    def test_cells_that_were_not_taken_are_passed_over(self) -> None:
        other = replace(CELL, data_bytes=256)
        taken = comparison(2.0, 3.0, other)
        assert [one[0].cell for one in figures.in_order({CELL: {}, other: {0: taken}}, [CELL, other])] == [
            other
        ]


class TestReport:
    def test_what_is_behind_is_marked_and_stays(self) -> None:
        ahead, behind = comparison(2.0, 3.0), comparison(2.0, 1.0, replace(CELL, data_bytes=256))
        ratios = next(report.sheets([ahead, behind], [], []))
        assert ratios.rows[0][2:5] == ("-", "1.50 (toy 1.0)", f"{MARK}0.50 (toy 1.0)")
        assert report.in_short([ahead, behind]).rows[0][-1] == "1 of 2"

    def test_new_objects_have_ticks_a_message(self) -> None:
        cells = [Cell("des", 64, "Python", "new object, CTR", size) for size in (16, 1024)]
        found = [comparison(2.0, 3.0, cells[0]), comparison(2.0, 1.0, cells[1])]
        sheet = next(one for one in report.sheets(found, [], []) if one.title.startswith("New object"))
        assert sheet.header[5:] == ("16", "1024", "64 KiB", "1 MiB")
        told = "des", "64", "CTR"
        assert sheet.rows == (
            (*told, "Finalist", "a call", "32 (1.50)", f"{MARK}2048 (0.50)", "-", "-"),
            (*told, "toy 1.0", "a call", "48", "1024", "-", "-"),
        )
        assert not any(sheet.title.startswith("One block") for sheet in report.sheets(found, [], []))

    def test_equality_ends_where_the_clock_does(self) -> None:
        assert not report.behind(comparison(1.0, report.EQUAL))
        assert report.behind(comparison(1.0, report.EQUAL - 0.01))

    def test_those_left_out_and_absent_are_named(self) -> None:
        notes = [field.Note("des", "toy 1.0", "is left out: it is wrong")]
        last = list(report.sheets([comparison(1.0, 2.0)], notes, ["nettle"]))[-1]
        assert last.rows == (
            ("des", "toy 1.0", "is left out: it is wrong"),
            ("all", "nettle", "is not installed here"),
        )


# -- what is missing ---------------------------------------------------------------------------------------


def test_no_library_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_flags", lambda modules, environment, static: None)
    library.library.cache_clear()
    try:
        assert library.library() is None
    finally:
        library.library.cache_clear()
    assert "install.sh" in library.how_to_install()


class Shelf:
    """An interface of one peer, and what each was made of."""

    made: tuple[tuple[Source, ...], ...] = ()

    def __init__(self, sources: tuple[Source, ...]) -> None:
        Shelf.made += (sources,)

    @property
    def peers(self) -> tuple[Peer, ...]:
        interface: Any = self
        return (Peer(interface, 0, "nettle", "9", "des", "ecb", 8, "a call"),)


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="needs pkg-config (apt install pkg-config)")
def test_what_was_built_is_beside_what_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And found in its own folder alone; a version that is in both is measured once."""
    described = tmp_path / "lib" / "pkgconfig" / "nettle.pc"
    described.parent.mkdir(parents=True)
    described.write_text("Name: nettle\nDescription: new\nVersion: 9\nLibs: -L/new -lnettle\n", "utf-8")
    monkeypatch.setenv("FINALIST_NEWEST", str(tmp_path))
    monkeypatch.setattr(library, "Interface", Shelf)
    library.library.cache_clear()
    try:
        found = library.library()
    finally:
        library.library.cache_clear()
    assert found is not None and len(found.peers) == 1
    assert Shelf.made[-1] == (Source("nettle.cpp", "PEER_NETTLE", ("-L/new", "-lnettle")),)


def test_each_library_has_its_program() -> None:
    assert all((interface.folder() / file).exists() for _, file, _ in LIBRARIES.values())


def test_programs_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(interface, "_PLACES", (tmp_path,))
    with pytest.raises(PeersError, match=str(tmp_path)):
        library.how_to_install()


def test_a_failing_compiler_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path))
    monkeypatch.setenv("CXX", "false")
    with pytest.raises(CompilerError, match="false failed"):
        interface._build([])
    assert not list(tmp_path.iterdir())
