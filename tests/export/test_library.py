"""Exported libraries: they build without a warning and pass their own test, which catches what is wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import finalist
from finalist import licence
from finalist.ciphers.catalogue import cipher
from finalist.errors import UnknownNameError, VectorError
from finalist.export import folder, library, verify
from finalist.export.export import lengths_of
from finalist.export.identity import Identity
from finalist.export.levels import LEVELS, level
from finalist.export.library import Files, cipher_files, library_files
from finalist.export.plan import plans
from finalist.export.selection import Selection
from finalist.export.testing import rows_of
from finalist.machines.native.text.head import pragmas
from finalist.schedule import Schedule, parse_schedule
from finalist.toolchain import compiler
from tests.marks import needs_compiler

ROOT = Path(__file__).parents[2]
SPECK = str(ROOT / "examples" / "speck.py")
COMMAND = "finalist emit ... --layout library -o DIR"
OURS = Identity(COMMAND)


def files_of(name: str, key_bits: int | None = None, selection: Selection | None = None) -> Files:
    found = cipher(name)
    made = plans(found, lengths_of(found, key_bits), Schedule(), selection)
    return cipher_files(OURS, found, made)


def silent(_: str) -> None:
    pass


@dataclass
class Built:
    """A library in a folder, and the objects made of it."""

    files: Files
    source: Path
    build: Path

    def with_fault(self, path: str, right: str, wrong: str, target: Path) -> Path:
        """The test of the library with one text replaced in one file."""
        shutil.copytree(self.source, target / "source")
        shutil.copytree(self.build, target / "build")
        # In a program not in what each file begins with, but where its own text does.
        head, key_type, own = self.files.texts[path].rpartition("typedef struct {")
        assert right in own, f"{right!r} is not in {path}"
        (target / "source" / path).write_text(head + key_type + own.replace(right, wrong), "utf-8")
        for source in [path] if path.endswith(".c") else CALLERS:
            verify.object_of(source, target / "build").unlink()
        return verify.linked(self.files, target / "source", target / "build", silent)


#: What calls the functions of src/internal.h.
CALLERS = ("src/message.c", "src/speck/speck.c", "src/rc4/rc4.c")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A block cipher and a stream cipher, compiled."""
    if not compiler.available():
        pytest.skip("needs a C compiler")
    files = library_files(OURS, [files_of(SPECK, 128), files_of("rc4", 40)])
    source, build = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("build")
    folder.fill(source, files.texts)
    verify.linked(files, source, build, silent)
    return Built(files, source, build)


def test_it_passes_its_own_test(built: Built) -> None:
    executable = built.build / "library_test"
    verify.run(executable)
    said = subprocess.run([executable], capture_output=True, text=True, check=True).stdout
    assert "speck, portable: 1 vectors" in said and "rc4, portable:" in said
    for one in LEVELS:
        found = one.runs_here and one.name in built.files.levels
        assert (f"speck, {one.name}:" in said) == found


@needs_compiler
@pytest.mark.check
def test_a_stream_that_counts_on_all_levels(tmp_path: Path) -> None:
    """Messages in parts are done by programs of one block and of many in turn, on one state."""
    files = library_files(OURS, [files_of("chacha20", 384)])
    source, build = tmp_path / "source", tmp_path / "build"
    build.mkdir()
    folder.fill(source, files.texts)
    verify.linked(files, source, build, silent)
    said = subprocess.run([build / "library_test"], capture_output=True, text=True, check=True).stdout
    assert {one.name for one in LEVELS if f"chacha20, {one.name}:" in said} == {
        one.name for one in LEVELS if one.runs_here and one.name in files.levels
    }
    message = source / "src" / "message.c"
    text = message.read_text("utf-8")
    right = "in += now * size, out += now * size;\n    }\n    return 0;\n}\n\nint finalist_count("
    assert right in text
    message.write_text(text.replace(right, right.replace("in += now", "in += 0 * now")), "utf-8")
    verify.object_of("src/message.c", build).unlink()
    verify.linked(files, source, build, silent)
    failed = subprocess.run([build / "library_test"], capture_output=True, text=True, check=False)
    assert failed.returncode


def test_one_level_or_cipher_is_tested_if_asked_for(built: Built) -> None:
    executable = str(built.build / "library_test")
    asked = [executable, "--level", "portable", "speck"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert said.startswith("speck, portable:") and said.count("\n") == 1
    for wrong, reason in ((["--level", "mmx"], "no level mmx on this CPU"), (["nine"], "no cipher nine")):
        done = subprocess.run([executable, *wrong], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and reason in done.stderr


FAULTS = {
    "one block": ("src/speck/encrypt_portable_one.c", "key_64[0]", "key_64[1]", "encryption of this vector"),
    "its decryption": (
        "src/speck/decrypt_portable_one.c",
        "key_64[0]",
        "key_64[1]",
        "decryption of this vector",
    ),
    "many blocks": (
        "src/speck/encrypt_portable_many.c",
        "key_64[r0]",
        "key_64[r0 ^ 1u]",
        "encryption of so many bytes",
    ),
    "a counter": ("src/speck/encrypt_portable_one.c", "!++block[i]", "++block[i]", "go on from"),
    "a chain": ("src/speck/decrypt_portable_many.c", "memcpy(next, in,", "memcpy(next, out,", "go on from"),
    "the counter of a part": ("src/message.c", "carry >>= 8", "carry >>= 9", "counter mode in parts"),
    "a part far away": (
        "src/message.c",
        "if (!counter)",
        "if (before &= 0xffffffff, !counter)",
        "a part far",
    ),
    "a part's own counter": (
        "src/speck/speck.c",
        "counter, own,",
        "counter, (uint8_t *)counter,",
        "has changed",
    ),
    "a part that is refused": (
        "src/message.c",
        "finalist_count(context, 0,",
        "finalist_count(context, own,",
        "a part without",
    ),
    "the end of a message": (
        "src/message.c",
        "step), in, out, now);\n        blocks -= now, in += now * size, out += now * size",
        "step), in, out, now);\n        blocks -= now, in += now * size",
        "encryption of so many",
    ),
    "a key that is not ready": (
        "src/message.c",
        "if (is_ready(context, --end))",
        "if (--end)",
        "counter mode on so many",
    ),
    "a block's key that is not ready": (
        "src/internal.h",
        "{code, two, 2, 2}",
        "{code, ~two, 2, 2}",
        "encryption of so many",
    ),
    "the last step's key alone": (
        "src/internal.h",
        "way->set + last->same",
        "way->set + 7",
        "encryption of so many",
    ),
    "where that lies": (
        "src/internal.h",
        "finalist_aligned(context) + last->at",
        "finalist_aligned(context) + last->at + FINALIST_LINE",
        "encryption of so many",
    ),
    "another way": ("src/internal.h", "(set - set->index)", "(set - (set->index & 1))", "with exit code -"),
    "wiping": ("src/message.c", "memset(memory, 0, bytes)", "memset(memory, 0, bytes - 1)", "wiped byte"),
    "a key length": ("src/speck/speck.c", "\n     0, 2, 16,", "\n     0, 2, 15,", "is refused"),
    "a refused key": ("src/message.c", "if (way && state", "if (state", "a call without"),
    "what a refused key leaves": (
        "src/message.c",
        "finalist_wipe(out, bytes);\n    return 0",
        "return 0",
        "without a key",
    ),
    "room for a key": (
        "src/internal.h",
        "& -(uintptr_t)FINALIST_LINE)",
        "& -(uintptr_t)FINALIST_LINE) + 64 * ((uintptr_t)context % 64 == 40)",
        "bytes around a context have changed",
    ),
    "a key beside the head of its context": (
        "src/internal.h",
        "FINALIST_ADJACENT ? finalist_adjacent(context)",
        "FINALIST_ADJACENT ? finalist_aligned(context)",
        "counter mode on so many",
    ),
    "which context was set": (
        "src/internal.h",
        "        context->own = context;\n        const",
        "        const",
        "with exit code -|counter mode on so many",
    ),
    "a copy of a context": ("src/internal.h", "key->own != key", "!key->own", "by a copy of a context"),
    "a level that was asked for": (
        "src/message.c",
        "__atomic_store_n(&here->ways->by_length[length], 0,",
        "(void)(0,",
        "not of the level that was asked for",
    ),
    "a level under longer keys": (
        "src/message.c",
        "length < here->ways->lengths",
        "length < 17",
        "not of the level that was asked for|with exit code -",
    ),
    "a key longer than any": (
        "src/internal.h",
        "key_bytes < ways->lengths ?",
        "key_bytes <= 64 ?",
        "with exit code -|so many bytes",
    ),
    "a vector": ("tests/speck.c", '     "18', '     "19', "encryption of this vector"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.every(2)
def test_its_test_catches(fault: str, built: Built, tmp_path: Path) -> None:
    path, right, wrong, said = FAULTS[fault]
    with pytest.raises(VectorError, match=said):
        verify.run(built.with_fault(path, right, wrong, tmp_path))


def test_the_portable_code_has_no_instructions_of_one_processor(built: Built) -> None:
    for source in built.files.sources:
        text = built.files.texts[source.path]
        if source.level == "portable" and source.path != "src/cpu.c":
            # What there is of them others have as C.
            portable = re.sub(r"#if defined\(__x86_64__\)\n.*?#else\n", "", text, flags=re.DOTALL)
            portable = portable.replace('__asm__("" :', "")  # without instructions: it hides a mask
            assert "immintrin" not in text and "_mm" not in text and '__asm__("' not in portable


@needs_compiler
@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_no_warnings(name: str, built: Built) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"no {name} here")
    sources = [(source.path, level(source.level).flags) for source in built.files.sources]
    for path, flags in [*sources, *((test, ()) for test in built.files.tests)]:
        assert not warnings([name], built.source, path, flags)


def warnings(own: Sequence[str], source: Path, path: str, flags: tuple[str, ...] = ()) -> str:
    """What a compiler says of a file of a library."""
    command = [*own, *compiler.STANDARD, "-Werror", "-Wno-psabi", "-fsyntax-only", *flags]
    command += [f"-I{source / 'include'}", str(source / path)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.check
def test_each_byte_of_a_key_that_is_filled_up_is_stored_once() -> None:
    """A word loaded from what two stores have written waits: Serpent's key set-up took 1.2 times as long."""
    selection = Selection(operations=("encrypt",), modes=("ecb",), size="small")
    text = "".join(files_of("serpent", None, selection).texts.values())
    filled = re.findall(r"A key of (\d+) bits is one of 256, filled up.*?\{\n(.*?)\n\}", text, re.DOTALL)
    assert {"128", "192"} <= {bits for bits, _ in filled}
    for bits, body in filled:
        size = int(bits) // 8
        assert body.splitlines()[:4] == [
            "    uint8_t longer[32];",
            f"    static const uint8_t rest[{32 - size}] = {{1}};",
            f"    memcpy(longer, key, {size});",
            f"    memcpy(longer + {size}, rest, sizeof rest);",
        ]


@needs_compiler
@pytest.mark.check
@pytest.mark.parametrize(
    ("name", "key_bits"), [("rijndael", None), ("serpent", 128), ("present", 128), ("safer-plus", 128)]
)
def test_no_warnings_where_functions_were_made_of_what_repeats(
    name: str, key_bits: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "_LONG_BLOCK", library._LONG_TEXT)
    files = library_files(OURS, [files_of(name, key_bits, Selection(levels=("portable",)))])
    folder.fill(tmp_path, files.texts)
    own = [source.path for source in files.sources if "_part_" in files.texts[source.path]]
    assert own
    for path in own:
        assert not warnings(compiler.command(), tmp_path, path)


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
def test_the_headers_are_good_cplusplus(built: Built) -> None:
    for header in ("finalist_speck.h", "finalist_rc4.h"):
        command = ["c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]
        command += ["-x", "c++", str(built.source / "include" / header)]
        subprocess.run(command, check=True)


@needs_compiler
@pytest.mark.check
def test_the_sanitizers_are_quiet(built: Built, tmp_path: Path) -> None:
    """On the portable programs of few key lengths; `make export` has all of them."""
    portable = tuple(source for source in built.files.sources if source.level == "portable")
    flags = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    flags += tuple(f"-DFINALIST_WITHOUT_{level.name}" for level in LEVELS)
    files = replace(built.files, sources=portable)
    verify.run(verify.linked(files, built.source, tmp_path, silent, flags))


class TestTexts:
    def test_each_program_says_where_it_comes_from(self, built: Built) -> None:
        programs = [text for path, text in built.files.texts.items() if path.endswith(("_one.c", "_many.c"))]
        assert len(programs) > 8
        for text in programs:
            head = text.partition("*/")[0]
            for part in (COMMAND, "finalist emit ", "Timing: ", "@CHECKED ", "same buffer", "SPDX"):
                assert part in head

    def test_what_was_checked_is_put_in(self, built: Built) -> None:
        texts = verify.unchecked(built.files).put_into(built.files)
        assert not any("@CHECKED" in text for text in texts.values())
        assert not any("@@" in text for text in texts.values())
        assert "Checked: not when it was written" in texts["src/rc4/encrypt_portable_one.c"]

    def test_the_licence(self, built: Built) -> None:
        assert built.files.texts["LICENSE"] == licence.text()
        unmarked = {"LICENSE", "README.md"}
        texts = {path: text for path, text in built.files.texts.items() if path not in unmarked}
        assert [path for path, text in texts.items() if licence.SPDX_LINE not in text] == []

    def test_the_build_knows_every_level(self, built: Built) -> None:
        cmake = built.files.texts["CMakeLists.txt"]
        every = " ".join(level("avx512").flags)
        for one in LEVELS:
            line = next(line for line in cmake.splitlines() if f"set(FINALIST_FLAGS_{one.name} " in line)
            told = " ".join(one.flags).replace(every, "${avx512}")
            assert line == f"set(FINALIST_FLAGS_{one.name} {told or chr(34) * 2})"

    def test_the_same_name_in_c_is_refused(self) -> None:
        files = Files(("a-b", "a_b"), {}, (), (), ())
        with pytest.raises(UnknownNameError, match="both would be finalist_a_b"):
            library_files(OURS, [files])

    def test_a_hostile_name_is_refused(self) -> None:
        class Hostile(cipher("rc4")):  # type: ignore[misc]
            called = '"); system("'

        with pytest.raises(UnknownNameError, match="accepted in a library: letters"):
            cipher_files(OURS, Hostile, ())

    def test_unchecked_key_lengths_are_refused(self) -> None:
        with pytest.raises(VectorError, match="no vectors for 392-bit keys, and unchecked code is not"):
            rows_of(cipher("blowfish"), (32, 392))


def test_a_key_set_up_is_what_other_files_call() -> None:
    """So that it has the instructions of one that stands alone."""
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=("portable",))
    texts = library_files(OURS, [files_of("rc6", 128, selection)]).texts
    found = [
        text for path, text in texts.items() if "_key_128(void *expanded, const uint8_t *key)\n{" in text
    ]
    assert found
    for text in found:
        assert "rc6_key *const k = expanded;" in text and "expand_key" not in text


@pytest.mark.parametrize(
    ("name", "levels", "adjacent"),
    [("rc6", ("portable",), True), ("rijndael", ("aes", "portable"), False), ("rc4", ("portable",), True)],
)
def test_first_keys_follow_the_head_of_a_context_where_no_vectors_are_loaded(
    name: str, levels: tuple[str, ...], adjacent: bool
) -> None:
    selection = Selection(operations=("encrypt",), modes=("ecb",), levels=levels)
    texts = library_files(OURS, [files_of(name, 128, selection)]).texts
    text = texts[f"src/{name}/{name}.c"]
    firsts = re.findall(r"\{\{0, 0, 0, (\w+),", text)
    assert firsts and set(firsts) == {"FINALIST_ADJACENT" if adjacent else "0"}
    assert f", {cipher(name).block.bytes}, {int(adjacent)}}};" in text


@needs_compiler
@pytest.mark.check
def test_a_mode_with_kernels_of_vectors_of_its_own_has_a_file(tmp_path: Path) -> None:
    """As `emit` writes the mode by itself; calls find both."""
    selection = Selection(modes=("ecb", "ctr", "cbc"), levels=("avx2",))
    files = library_files(OURS, [files_of("rc6", 128, selection)])
    both, counting = (files.texts[f"src/rc6/encrypt_avx2_many{mode}.c"] for mode in ("", "_ctr"))
    assert " rc6_encrypt(" in both and " rc6_ctr(" not in both
    assert " rc6_ctr(" in counting and " rc6_encrypt(" not in counting and "_expand_key" not in counting
    schedule = re.search(r"--mode ctr ((?:-s \S+ ?)+)", counting)
    assert schedule is not None
    choices = parse_schedule(schedule[1].replace("-s ", "").split())
    alone = finalist.compile("rc6", "native", "encrypt", 128, choices).in_modes("ctr")
    kernel = re.compile(r"inline void (rc6_ctr_\d+\(.*?\n\})", re.DOTALL)
    assert kernel.findall(counting) == kernel.findall(alone.text) != []
    source, build = tmp_path / "source", tmp_path / "build"
    build.mkdir()
    folder.fill(source, files.texts)
    verify.linked(files, source, build, silent)
    subprocess.run([build / "library_test"], check=True)


@pytest.mark.parametrize("large", [0, 1 << 30])
@pytest.mark.check
def test_kernels_for_key_lengths_share_a_file_where_all_is_long(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rijndael has three numbers of rounds: three kernels of an operation, each right wherever it stands."""
    monkeypatch.setattr(library, "_LARGE", large)
    made = files_of("rijndael", selection=Selection(modes=("ecb",), levels=("portable",)))
    stems = {Path(path).stem for path in made.texts if Path(path).stem.startswith("encrypt_portable_many")}
    assert stems == (
        {"encrypt_portable_many"} if not large else {f"encrypt_portable_many_{n}" for n in (1, 2, 3)}
    )


@pytest.mark.check
def test_what_is_outlined_in_processes_is_what_is_outlined_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_LONG_TEXT", 1)
    monkeypatch.setattr(library, "_LONG_BLOCK", 1)
    selection = Selection(modes=("ecb",), levels=("portable",))
    monkeypatch.setattr(library, "_SLOW", 1 << 30)
    alone = files_of("rc6", 128, selection).texts
    monkeypatch.setattr(library, "_SLOW", 0)
    assert files_of("rc6", 128, selection).texts == alone


def test_single_blocks_are_outlined_where_they_are_longer() -> None:
    """What gcc makes of RC2's, outlined, takes a fifth more; where size comes first, all are."""

    def limits(selection: Selection) -> set[tuple[str, int]]:
        (plan,) = plans(cipher("rc6"), (128,), Schedule(), selection)
        return {(part.role, library._outlined_from([part])) for part in plan.parts}

    usual = limits(Selection(operations=("encrypt",), levels=("avx512",)))
    assert usual >= {("one", library._LONG_BLOCK), ("many", library._LONG_TEXT)}
    assert limits(Selection(operations=("encrypt",), size="small")) == {("one", 0)}


@needs_compiler
@pytest.mark.check
def test_all_programs_of_a_level_in_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where all is very long: vectors of several widths beside scalar code, what repeats as functions."""
    monkeypatch.setattr(library, "_HUGE", 0)
    monkeypatch.setattr(library, "_LONG_TEXT", 1)
    monkeypatch.setattr(library, "_LONG_BLOCK", 1)
    selection = Selection(modes=("ecb", "ctr", "cbc"), levels=("avx512", "avx512_zen5", "avx2"))
    files = library_files(OURS, [files_of("safer-plus", 128, selection)])
    assert "src/safer_plus/all_avx512.c" in files.texts
    source, build = tmp_path / "source", tmp_path / "build"
    build.mkdir()
    folder.fill(source, files.texts)
    verify.linked(files, source, build, silent)
    said = subprocess.run([build / "library_test"], capture_output=True, text=True, check=True).stdout
    assert "safer-plus, portable:" in said


@pytest.mark.parametrize("size", [library._LARGE + 1, library._HUGE + 1])
def test_parts_that_share_a_file_are_compiled_alike(size: int) -> None:
    """What scalar code tells gcc, to leave AVX-512 alone, once held for kernels of vectors behind it, too:
    Blowfish's took thousands of times as long."""
    made = plans(cipher("des"), (64,), Schedule(), Selection(levels=("avx512_zen5", "portable")))
    by_file: dict[str, set[str]] = {}
    for part in (part for plan in made for part in plan.parts if part.level.name == "avx512_zen5"):
        by_file.setdefault(library._stem(part, size), set()).add(
            pragmas(part.first.shape, part.first.schedule)
        )
    assert len(set.union(*by_file.values())) > 1
    assert all(len(own) == 1 for own in by_file.values())
