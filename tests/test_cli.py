"""Every command: what it shows, what it keeps on standard output, and how each kind of bad input ends."""

from __future__ import annotations

import dataclasses
import inspect
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from finalist import api, stored
from finalist.ciphers.catalogue import GROUPS, cipher, cipher_names
from finalist.cli import app, output, tables
from finalist.cli.commands import COMMANDS, PAPERS
from finalist.cli.options import complete_cipher
from finalist.machines.base import MODES
from finalist.machines.registry import machine_names
from finalist.measure import bench as measure
from finalist.measure import memcheck, results, store
from finalist.passes.timing import CONSTANT, Timing
from finalist.resumable import Resumable
from finalist.schedule import WORDS, Schedule
from finalist.tuning import choose
from finalist.vectors import drawn, matrix
from finalist.version import VERSION
from tests.catalogue import ALL, USUAL
from tests.machines.fpga.simulators import needs
from tests.marks import needs_compiler, needs_valgrind

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
ROOT = Path(__file__).parent.parent

TOY = '''
from finalist.language import LITTLE, Cipher, u32, words


class Toy(Cipher):
    """A toy [not /markup]."""

    block = words(2, u32, LITTLE)
    key_bits = (64, 128)
    vectors = [("0100000002000000", "0000000000000000", "RESULT")]

    def expand_key(self, key):
        return key

    def encrypt(self, block, keys):
        return [block[0] ^ keys[0], block[1] ^ keys[1]]

    decrypt = encrypt
'''


@pytest.fixture(autouse=True)
def own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "kept" / "results.jsonl"
    monkeypatch.setenv("FINALIST_RESULTS", str(path))
    monkeypatch.setattr(output, "EVERY", 600.0)  # where the computer is slow, nothing is said of that
    return path


@pytest.fixture
def toy(tmp_path: Path) -> str:
    return definition(tmp_path, TOY.replace("RESULT", "0100000002000000"))


def definition(folder: Path, text: str) -> str:
    path = folder / "toy.py"
    path.write_text(text, "utf-8")
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="finalist")


def good(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    assert said(result.stderr) == ""
    return json.loads(result.stdout)


def refused(*arguments: str) -> str:
    """The line that says why, of a command that ends with exit code 2."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    line = said(result.stderr)
    assert line.startswith("finalist: ") and line.count("\n") == 1, result.stderr
    return line


def said(stderr: str) -> str:
    """Standard error without the lines of progress, which come where the computer is slow."""
    lines = stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not re.match(r"finalist: \d+ of \d+: ", line))


class TestLists:
    def test_version(self) -> None:
        assert good("--version") == f"finalist {VERSION}\n"

    def test_an_option_given_again(self) -> None:
        """Of two values the first was not meant to be forgotten; a list may go on."""
        command = ("emit", "rc6", "--machine", "interpreter")
        assert "--machine is given 2 times" in refused(*command, "--machine", "native")
        good("verify", "rc4", "--machine", "interpreter", "--machine", "interpreter", "--key-bits", "128")

    def test_help(self) -> None:
        text = good("--help")
        commands = ("ciphers", "machines", "verify", "emit", "bench", "leaks", "pages")
        assert all(command in text for command in commands)

    @pytest.mark.parametrize(
        ("group", "name", "module"),
        [*(((), *one) for one in COMMANDS.items()), *((("paper",), *one) for one in PAPERS.items())],
    )
    def test_commands_are_listed_as_they_say_themselves(
        self, group: tuple[str, ...], name: str, module: str
    ) -> None:
        told = (inspect.getdoc(getattr(import_module(module), name)) or "").split("\n\n")[0]
        assert " ".join(told.split()) in " ".join(good(*group, "--help").split())

    @pytest.mark.parametrize(
        ("command", "unwanted"),
        [
            (
                "--help",
                ("numpy", *(f"finalist.{part}" for part in ("ciphers", "ir", "language", "machines"))),
            ),
            ("ciphers", ("numpy", "finalist.machines.native.machine", "finalist.measure", "finalist.export")),
        ],
    )
    def test_only_what_a_command_needs_is_imported(self, command: str, unwanted: tuple[str, ...]) -> None:
        script = "import sys; from finalist.cli import main\ntry: main()\nfinally: print(*sys.modules)"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        told = subprocess.run(
            [sys.executable, "-c", script, command],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        imported = set(told.stdout.splitlines()[-1].split())
        assert "finalist.cli.commands" in imported
        assert not imported.intersection(unwanted)

    def test_ciphers(self) -> None:
        text = good("ciphers")
        assert all(name in text for name in cipher_names())
        assert [one["name"] for one in as_json("ciphers")] == list(cipher_names())
        key_bits = {one["name"]: one["key_bits"] for one in as_json("ciphers")}
        assert key_bits["rijndael"] == [128, 192, 256]

    def test_facts_of_ciphers(self) -> None:
        text = good("ciphers", "rc6", "rc4")
        assert all(part in text for part in ("1998", "unbroken", "15 of 20 rounds", "Yiqun Lisa Yin"))
        assert "32 to 448" in good("ciphers", "blowfish")
        (found,) = as_json("ciphers", "rc6")
        assert (found["year"], found["state"], found["block_bits"]) == (1998, "unbroken", 128)
        assert {"title", "designers", "structure", "analysis"} <= found.keys()

    def test_parameters_of_ciphers(self) -> None:
        assert "parameters: w=32 (8, 16, 32, 64); r=20 (1 to 255)" in good("ciphers", "rc6")
        (found,) = as_json("ciphers", "rijndael")
        assert found["parameters"]["block-bits"] == {"default": 128, "accepted": "128, 160, 192, 224, 256"}
        assert "parameters" not in good("ciphers", "rc4")
        assert "(did you mean revision?)" in refused("emit", "hpc:revison=1999")

    @pytest.mark.parametrize("columns", [80, 120])
    def test_the_table_of_ciphers_fits(self, columns: int) -> None:
        """No word is broken, and no column cut."""
        console = Console(width=columns, record=True, file=io.StringIO())
        records = as_json("ciphers")
        console.print(tables.ciphers(records))
        text = console.export_text()
        assert max(map(len, text.splitlines())) <= columns
        assert "\N{HORIZONTAL ELLIPSIS}" not in text
        words = {
            word for one in records for name in ("name", "state", "analysis") for word in one[name].split()
        }
        assert words <= set(text.split())

    def test_a_definition_without_facts_has_blanks(self, toy: str) -> None:
        assert "A toy [not /markup]." in good("ciphers", toy)
        (found,) = as_json("ciphers", toy)
        assert (found["name"], found["year"], found["state"]) == ("toy", None, None)

    @needs_compiler
    def test_machines(self) -> None:
        assert "processor: " in good("machines")
        assert [one["name"] for one in as_json("machines")] == list(machine_names())

    def test_machines_without_a_compiler(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CC", "/nonexistent")
        assert "not to be had: CC='/nonexistent'" in good("machines")
        assert as_json("machines")[0]["missing"]


class TestPages:
    def test_to_the_screen(self) -> None:
        text = good("pages", "rc6")
        assert text.startswith("# RC6\n")
        assert "| operation | bits | encryption | decryption |" in text  # compiled as written
        assert "| multiplications | 32 | 40 | 40 |" in text

    @pytest.mark.check
    def test_to_a_folder(self, tmp_path: Path) -> None:
        folder = tmp_path / "new" / "pages"
        told = good("pages", "rc6", "rc4", "-o", str(folder))
        assert told.split() == [str(folder / "rc6.md"), str(folder / "rc4.md")]
        assert (folder / "rc6.md").read_text() == good("pages", "rc6")
        assert as_json("pages", "rc6", "-o", str(folder)) == {"files": [str(folder / "rc6.md")]}

    def test_json(self) -> None:
        assert as_json("pages", "rc4") == {"rc4.md": good("pages", "rc4")}

    def test_a_users_definition(self, toy: str) -> None:
        text = good("pages", toy)
        assert text.startswith("# toy\n")
        assert f"| definition | `{toy}` |" in text
        assert "| XOR | 32 | 2 |" in text

    def test_the_pages_of_all_have_an_index(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("finalist.cli.pages.GROUPS", ("rc4",))
        assert list(as_json("pages")) == ["rc4.md", "README.md", "operations.svg"]

    def test_errors(self, tmp_path: Path) -> None:
        assert "unknown cipher 'nine'" in refused("pages", "rc4", "nine")
        (tmp_path / "file").write_text("")
        assert "can't be made" in refused("pages", "rc4", "-o", str(tmp_path / "file" / "x"))


class TestEmit:
    @needs_compiler
    def test_to_the_screen(self) -> None:
        text = good("emit", "rc6", "-s", "blocks=2", "-s", "width=1", "--key-bits", "256")
        assert text == api.compile("rc6", key_bits=256, blocks=2, width=1).text

    def test_a_machine_without_code_shows_its_graph(self) -> None:
        text = good("emit", "rc6", "--machine", "interpreter", "--operation", "decrypt")
        assert text.rstrip() == api.compile("rc6", "interpreter", "decrypt").text.rstrip()

    def test_json(self) -> None:
        told = as_json("emit", "rc6", "--machine", "interpreter")
        assert told["text"] == api.compile("rc6", "interpreter").text
        assert told["timing"] == ""
        assert (told["cipher"], told["operation"], told["key_bits"]) == ("rc6", "encrypt", 128)

    @needs_compiler
    def test_to_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "out.c"
        path.write_text("what was there before")
        assert good("emit", "rc6", "-s", "width=1", "-o", str(path)).strip() == str(path)
        plain = api.compile("rc6", width=1).text
        assert path.read_text("utf-8") == plain.replace(" -c rc6.c\n", " -c out.c\n", 1) != plain
        assert [entry.name for entry in tmp_path.iterdir()] == ["out.c"]

    @needs_compiler
    @pytest.mark.parametrize("name", ["rc6.c", "my own rc6.c", "$(date)'.c"])
    def test_the_command_in_its_head_compiles_the_file(self, name: str, tmp_path: Path) -> None:
        good("emit", "rc6", "-s", "width=1", "-s", "blocks=1", "-o", str(tmp_path / name))
        text = (tmp_path / name).read_text("utf-8")
        (command,) = (line[4:] for line in text.splitlines() if line.startswith(" *   cc "))
        subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
        assert sorted(path.suffix for path in tmp_path.iterdir()) == [".c", ".o"]

    @needs_compiler
    def test_to_a_folder(self, tmp_path: Path) -> None:
        told = as_json("emit", "rc6", "-s", "width=1", "--operation", "decrypt", "-o", str(tmp_path))
        assert told["file"] == str(tmp_path / "rc6-decrypt-128.c")
        assert told["timing"] == "constant-time"
        assert Path(told["file"]).is_file()

    @needs_compiler
    def test_modes(self, tmp_path: Path) -> None:
        one: Any = api.compile("rc6", blocks=1, width=1)
        single = ("-s", "blocks=1", "-s", "width=1")
        assert good("emit", "rc6", "--mode", "ctr", *single) == one.in_modes("ctr").text
        assert good("emit", "rc6", "--mode", "all", *single) == one.in_modes(*MODES).text
        assert (
            good("emit", "rc6", "--mode", "cbc", "--mode", "ecb", *single) == one.in_modes("ecb", "cbc").text
        )
        told = as_json("emit", "rc6", "--mode", "ctr", *single, "-o", str(tmp_path))
        assert told["file"] == str(tmp_path / "rc6-encrypt-128-ctr.c") and told["modes"] == ["ctr"]

    def test_modes_that_are_not_to_be_had(self) -> None:
        assert "unknown mode 'gcm'; accepted: ecb, ctr, cbc, cfb, cfb8, ofb, all" in refused(
            "emit", "rc6", "--mode", "gcm"
        )
        said = refused("emit", "rc6", "--mode", "ctr", "--operation", "decrypt")
        assert "mode=ctr is not legal for rc6 decrypt" in said
        said = refused("emit", "rc6", "--mode", "ctr", "--machine", "interpreter")
        assert "mode=ctr: interpreter has code for blocks only; accepted: ecb" in said

    def test_a_definition_can_not_choose_another_folder(self, tmp_path: Path) -> None:
        inner = tmp_path / "inner"
        inner.mkdir()
        hostile = '    @classmethod\n    def name(cls):\n        return "../../escaped"\n'
        path = definition(tmp_path, TOY.replace("RESULT", "0100000002000000") + "\n" + hostile)
        good("emit", path, "--machine", "interpreter", "-o", str(inner))
        assert [entry.name for entry in inner.iterdir()] == ["_escaped-encrypt-128.txt"]

    def test_to_a_device(self) -> None:
        good("emit", "rc6", "--machine", "interpreter", "-o", os.devnull)
        assert not Path(os.devnull).is_file()

    def test_nothing_half_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(self: Path, target: Path) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "replace", fail)
        said = refused("emit", "rc6", "--machine", "interpreter", "-o", str(tmp_path / "x.txt"))
        assert "x.txt can't be written: No space left on device" in said
        assert list(tmp_path.iterdir()) == []

    def test_a_missing_folder(self, tmp_path: Path) -> None:
        said = refused("emit", "rc6", "--machine", "interpreter", "-o", str(tmp_path / "no" / "x.c"))
        assert "can't be written: No such file or directory" in said

    def test_a_file_for_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        said = refused("emit", "rc6", "--machine", "interpreter", "-o", str(tmp_path / "file" / "x.c"))
        assert "can't be written" in said

    @pytest.mark.skipif(AS_ROOT, reason="root may write anywhere")
    def test_a_folder_that_is_read_only(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        said = refused("emit", "rc6", "--machine", "interpreter", "-o", str(tmp_path / "x.c"))
        tmp_path.chmod(0o700)
        assert "Permission denied" in said


class TestLibraries:
    SPECK = str(ROOT / "examples" / "speck.py")

    @needs_compiler
    def test_a_library(self, tmp_path: Path) -> None:
        asked = ("emit", self.SPECK, "--key-bits", "128", "--layout", "library", "--unchecked")
        told = as_json(*asked, "-o", str(tmp_path / "made"))
        assert told["folder"] == str(tmp_path / "made") and told["ciphers"] == [self.SPECK]
        assert "--layout library --key-bits 128 -o DIR" in told["command"]
        assert set(told["checks"]) >= {"portable", "avx2"}
        assert (tmp_path / "made" / "include" / "finalist_speck.h").is_file()

    @needs_compiler
    def test_a_library_of_what_is_wanted(self, tmp_path: Path) -> None:
        """By the same command as its own files say."""
        wanted = ("--operations", "encrypt", "--mode", "ctr", "--levels", "portable", "--size", "small")
        named = ("--prefix", "acme", "--copyright", "Ada Lovelace")
        asked = ("emit", self.SPECK, "--key-bits", "128", "--layout", "library", *wanted, *named)
        told = as_json(*asked, "-o", str(tmp_path / "made"))
        assert told["checks"]["portable"].startswith("against all vectors")
        again = "--operation encrypt --mode ctr --levels portable --size small --prefix acme --copyright"
        assert f"{again} 'Ada Lovelace' -o DIR" in told["command"]
        header = (tmp_path / "made" / "include" / "acme_speck.h").read_text("utf-8")
        assert "acme_speck_ctr(" in header and "decrypt" not in header and "cbc" not in header

    @needs_compiler
    def test_for_supercop(self, tmp_path: Path) -> None:
        result = run(
            "emit", "rc4", self.SPECK, "--key-bits", "128", "--layout", "supercop", "-o", str(tmp_path)
        )
        assert result.exit_code == 0 and result.stdout.strip() == str(tmp_path)
        assert "left out: rc4: SUPERCOP's stream ciphers take a nonce" in result.stderr
        assert (tmp_path / "crypto_stream" / "speck128ctr" / "finalist-portable" / "stream.c").is_file()

    def test_what_is_refused(self, tmp_path: Path) -> None:
        library = ("--layout", "library", "-o", str(tmp_path / "made"))
        for words, reason in (
            (("rc4", "--layout", "zip"), "unknown layout 'zip'; accepted: file, library, supercop"),
            (("rc4", "--layout", "library"), "a library is a folder; accepted: -o DIR"),
            (("rc4", "width=256"), "unknown cipher 'width=256'; accepted: blowfish"),
            (("rc4", "rc6"), "2 ciphers; accepted: one, or with --layout library any number"),
            ((), "0 ciphers; accepted: one"),
            (("rc4", "--mode", "ctr", *library), "--mode ctr: rc4 is a stream cipher"),
            (("rc6", "--mode", "ecb,gcm", *library), "unknown mode 'gcm'; accepted: ecb, ctr, cbc, cfb"),
            (("rc6", "--mode", "", *library), "--mode: a name is missing; accepted: ecb, ctr, cbc, cfb"),
            (
                ("rc6", "--operation", "sign", *library),
                "unknown operation 'sign'; accepted: encrypt, decrypt",
            ),
            (("rc6", "--operation", "decrypt", "--mode", "ctr", *library), "--mode ctr: it decrypts by"),
            (("rc6", "--levels", "mmx", *library), "unknown level 'mmx'; accepted: vaes512, vaes, aes"),
            (("rc6", "--levels", ",", *library), "--levels: a name is missing; accepted: vaes512"),
            (("rc4", "--levels", "avx2", *library), "--levels avx2: of rc4 there are no programs for it"),
            (("rc6", "--size", "tiny", *library), "unknown size 'tiny'; accepted: fast, small"),
            (
                ("rc6", "--prefix", "while", *library),
                "--prefix 'while': a keyword of C or C++; accepted: a C",
            ),
            (("rc6", "--copyright", "", *library), "--copyright '': accepted: a name in one line"),
            (
                ("rc6", "--prefix", "acme"),
                "--prefix: --layout file has no such choice; accepted with --layout lib",
            ),
            (
                ("rc6", "--operation", "encrypt,decrypt"),
                "--operation: a file has one; accepted: encrypt, decrypt",
            ),
            (
                ("rc6", "--size", "small", "--layout", "supercop", "-o", str(tmp_path / "made")),
                "--size: --layout supercop has no such choice",
            ),
            (("rc4", "--machine", "interpreter", *library), "a library is for native"),
            (("rc4", "nine", *library), "unknown cipher 'nine'"),
            (("rc4", "-s", "blocks=2", *library), "a library has programs for one block and for many"),
            (("rc4", "--layout", "supercop", "-o", str(tmp_path / "made")), "take a nonce"),
        ):
            assert reason in refused("emit", *words)
        (tmp_path / "mine").write_text("")
        assert "did not write" in refused("emit", "rc4", "--layout", "library", "-o", str(tmp_path))
        result = run("emit", "rc4", "--key-bits", "2048", *library)
        assert result.exit_code == 1 and "rc4 has no vectors for 2048-bit keys" in result.stderr
        assert [entry.name for entry in tmp_path.iterdir()] == ["mine"]


class TestVerify:
    def test_one_cipher_on_one_machine(self) -> None:
        text = good("verify", "rc6", "--machine", "interpreter")
        assert "rc6" in text and "serpent" not in text
        cells = as_json("verify", "rc6", "--machine", "interpreter")
        assert {cell["status"] for cell in cells} == {"ok"}
        lengths = (64, 128, 192, 256, 544, 1024)
        assert {(cell["key_bits"], cell["operation"]) for cell in cells} == {
            (bits, operation) for bits in lengths for operation in ("encrypt", "decrypt")
        }

    def test_narrowed(self) -> None:
        options = ("--machine", "interpreter", "--key-bits", "192", "--operation", "decrypt")
        (cell,) = as_json("verify", "serpent", *options)
        assert (cell["key_bits"], cell["operation"], cell["known_answers"] > 0) == (192, "decrypt", True)

    def test_several_machines(self) -> None:
        options = [part for name in ("plx", "interpreter", "plx") for part in ("--machine", name)]
        cells = as_json("verify", "rc6", *options, "--operation", "encrypt", "--key-bits", "128")
        assert [(cell["machine"], cell["status"]) for cell in cells] == [("plx", "ok"), ("interpreter", "ok")]

    def test_the_program_under_way_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """From the first on, which may take minutes."""
        told, verify = threading.Event(), matrix.verify
        lines: list[str] = []

        def say(line: str) -> None:
            lines.append(line)
            told.set()

        def verify_late(cell: matrix.Cell) -> matrix.Verdict:
            assert told.wait(30)
            return verify(cell)

        monkeypatch.setattr(output, "EVERY", 0.01)
        monkeypatch.setattr(output, "say", say)
        monkeypatch.setattr(matrix, "verify", verify_late)
        good("verify", "rc6", "--machine", "interpreter", "--key-bits", "128", "--operation", "encrypt")
        assert lines[0] == "1 of 1: rc6 encrypt 128 interpreter default"

    def test_a_run_goes_on(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        kept = tmp_path / "verdicts.jsonl"
        monkeypatch.setenv("FINALIST_VERDICTS", str(kept))
        command = ("verify", "rc6", "--machine", "interpreter", "--key-bits", "128")
        good(*command)
        assert not kept.exists()
        first = as_json(*command, "--resume")
        lines = kept.read_text("utf-8")
        assert (len(lines.splitlines()), as_json(*command, "--resume")) == (2, first)
        assert kept.read_text("utf-8") == lines
        assert "--resume can't be had with --drawn" in refused("verify", "--drawn", "1", "--resume")

    @needs_compiler
    def test_one_schedule(self) -> None:
        (cell,) = as_json(
            "verify", "rc6", "-s", "blocks=3,width=1", "--key-bits", "128", "--operation", "encrypt"
        )
        assert (cell["machine"], cell["schedule"]) == (machine_names()[0], "blocks=3 width=1")
        assert cell["monte_carlo"] > 0

    @needs_compiler
    @needs("verilog")
    def test_all_machines_and_schedules_of_a_file(self, toy: str) -> None:
        arguments = ("verify", toy, "--key-bits", "64", "--operation", "encrypt")
        cells = as_json(*arguments, "--all-schedules")
        assert {cell["machine"] for cell in cells} == set(machine_names())
        assert len({cell["schedule"] for cell in cells}) > 3
        assert {cell["status"] for cell in cells} <= {"ok", "refused"}
        assert {cell["schedule"] for cell in as_json(*arguments)} == {"default"}

    def test_schedules_drawn_at_random(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A row for each cipher, a line for each program that is wrong, and then the exit status."""
        batch = drawn.Batch("rc6", "native", "0", 1, 0, 20, 0, 90, 1, "")
        wrong = dataclasses.replace(batch, number=1, agreed=19, failed=1, failures="encrypt 128 -s 'x': no\n")
        given: list[drawn.Job] = []

        def made(wanted: list[drawn.Job]) -> Resumable[drawn.Job, drawn.Batch]:
            given.extend(wanted)
            return Resumable(drawn.run, wanted, known=dict(zip(wanted, batches, strict=True)))

        batches = [batch, dataclasses.replace(batch, number=1)]
        monkeypatch.setattr(drawn, "drawing", made)
        shown = good("verify", "rc6", "--drawn", "40", "--seed", "3")
        assert [(job.cipher.text, job.seed, job.number) for job in given] == [("rc6", 3, 0), ("rc6", 3, 1)]
        assert re.search(r"rc6 +native +40 +0 +180 +2", shown)
        batches = [batch, wrong]
        result = run("verify", "rc6", "--drawn", "40", "--machine", "native")
        assert result.exit_code == 1
        shown = result.stdout
        assert "failed: rc6 encrypt 128 -s 'x': no" in shown

    def test_what_cannot_be_had_with_drawn_schedules(self) -> None:
        assert "-s can't be had with --drawn" in refused("verify", "rc6", "--drawn", "1", "-s", "blocks=2")
        assert "--seed goes with --drawn" in refused("verify", "rc6", "--seed", "2")
        assert "has no schedules" in refused("verify", "--drawn", "1", "--machine", "interpreter")

    def test_a_refusal_is_shown_and_no_failure(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refusing(cell: matrix.Cell) -> matrix.Verdict:
            schedule = str(cell.schedule)
            return matrix.Verdict(
                "rc6", 128, "encrypt", cell.machine, schedule, "refused", "not [legal] here"
            )

        monkeypatch.setattr(matrix, "verify", refusing)
        assert good("verify", "rc6", "--machine", "interpreter").count("refused: not [legal] here") == 1

    def test_a_failure(self, tmp_path: Path) -> None:
        wrong = definition(tmp_path, TOY.replace("RESULT", "ff00000002000000"))
        options = ("--machine", "interpreter", "--key-bits", "64")
        result = run("verify", wrong, *options)
        assert result.exit_code == 1
        assert "failed: toy encrypt, 64-bit key, interpreter" in result.stdout
        assert "expected ff00000002000000, got 0100000002000000" in result.stdout
        result = run("verify", wrong, *options, "--json")
        assert result.exit_code == 1
        assert {cell["status"] for cell in json.loads(result.stdout)} == {"failed"}

    def test_no_vectors_is_a_failure(self, toy: str) -> None:
        result = run("verify", toy, "--machine", "interpreter", "--key-bits", "128")
        assert result.exit_code == 1
        assert "toy has no vectors for 128-bit keys" in result.stdout

    def test_damaged_vectors_are_a_failure(self, tmp_path: Path) -> None:
        result = run("verify", definition(tmp_path, TOY), "--machine", "interpreter", "--key-bits", "64")
        assert result.exit_code == 1
        assert "toy.vectors[0]: ciphertext is 'RESULT'" in result.stdout


@needs_valgrind
class TestLeaks:
    OPTIONS = ("--operation", "encrypt", "--compiler", "gcc", "--level=-O2")

    def test_table(self) -> None:
        text = good("leaks", "rc4", "frog", *self.OPTIONS)
        assert re.search(r"rc4 +encrypt .*lookup=scan.* constant-time +128 +1 +0 +0 +clean", text)
        assert re.search(r"frog +encrypt +constant-time +128 +0 +0 +0 +refused", text)
        assert "refused: constant-time is not legal for frog" in text

    def test_json(self) -> None:
        (found,) = as_json("leaks", "rc4", "-s", "lookup=load", *self.OPTIONS)
        assert (found["status"], found["label"]) == ("as labelled", "table lookups")
        assert found["kernel"] > 0
        assert "line" in found["found"][0]["first"]
        assert found["found"][0]["build"]["command"] == ["gcc"]

    def test_a_program_that_is_not_what_its_label_says(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Timing, "label", property(lambda timing: CONSTANT))
        result = run("leaks", "rc4", "-s", "lookup=load", "--again", *self.OPTIONS)
        assert result.exit_code == 1
        assert re.search(
            r"^leaks: rc4 encrypt, 128-bit key, .*gcc -O2 .*: Use of", result.stdout, re.MULTILINE
        )

    def test_a_program_that_does_not_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is said of which, and the command fails."""

        def crash(command: Sequence[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
            return subprocess.CompletedProcess(command, -4, b"", b"Illegal opcode")

        monkeypatch.setattr(memcheck, "_run", crash)
        result = run("leaks", "rc4", "-s", "lookup=load", "--again", *self.OPTIONS)
        assert result.exit_code == 1
        said = r"^failed: rc4 encrypt, 128-bit key, .*lookup=load.*gcc -O2 .*valgrind left with -4: Illegal"
        assert re.search(said, result.stdout, re.MULTILINE)

    def test_no_such_compiler(self) -> None:
        assert "none of the compilers nocc" in refused("leaks", "rc4", "--compiler", "nocc")


@needs_compiler
class TestBench:
    OPTIONS = ("--seconds", "0.002", "--bytes", "1024")

    def test_table(self, own_results: Path) -> None:
        text = good("bench", "rc6", *self.OPTIONS)
        for part in ("cycles/byte", "ticks/byte", "Mbit/s", "rc6", "clock ", "width=", "constant-time"):
            assert part in text
        assert str(own_results) in text
        assert len(store.read(own_results).rows) == 9 * 3 - 2  # no Mbit/s of a key set-up

    def test_json(self, own_results: Path) -> None:
        rows = as_json("bench", "rc6", "--operation", "decrypt", "--key-bits", "192", *self.OPTIONS)
        made = [figure for row in rows for figure in results.Row(**row).figures()]
        assert made == list(store.read(own_results).rows)
        assert {(row["operation"], row["key_bits"]) for row in rows} == {("decrypt", 192)}

    def test_a_file_and_a_schedule(self, toy: str) -> None:
        rows = as_json("bench", toy, "--key-bits", "64", "-s", "blocks=3", *self.OPTIONS)
        assert {row["cipher"] for row in rows} == {"toy"}
        assert all("blocks=3" in row["schedule"] for row in rows if row["quantity"] == "bulk")

    @pytest.mark.parametrize(
        ("modes", "measured"),
        [((), {"bulk", "ctr"}), (("ctr",), {"ctr"}), (("all",), {"bulk", *MODES[1:]})],
    )
    def test_modes(self, own_results: Path, modes: tuple[str, ...], measured: set[str]) -> None:
        asked = [part for mode in modes for part in ("--mode", mode)]
        rows = as_json("bench", "rc6", "--operation", "encrypt", *asked, *self.OPTIONS)
        assert {row["quantity"] for row in rows} - {"key set-up", "single call", "latency"} == measured
        text = good("bench", "rc6", *asked, *self.OPTIONS)
        named = set(MODES) if "all" in modes else set(modes) or {"ecb", "ctr"}
        assert all((f" {mode} " in text) == (mode in named) for mode in MODES)

    @pytest.mark.check
    def test_no_arguments_are_all_ciphers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []

        def nothing(cipher: Any, machine: str, **options: Any) -> Any:
            asked.append((cipher.name(), options["key_bits"], options["operations"]))
            yield from figures

        figures = [results.Row(**row) for row in as_json("bench", "rc6", *self.OPTIONS)]
        monkeypatch.setattr(measure, "bench", nothing)
        # Whether a winner is legal is found by compiling it: not for all ciphers, where nothing is measured.
        monkeypatch.setattr(choose, "best", lambda *_: None)
        good("bench")
        assert asked == [
            (name, cipher(name).usual_key_bits(), [operation])
            for name in USUAL
            for operation in ("encrypt", "decrypt")
        ]

    def test_no_figure_without_a_match(self, tmp_path: Path, own_results: Path) -> None:
        wrong = definition(tmp_path, TOY.replace("RESULT", "ff00000002000000"))
        result = run("bench", wrong, "--key-bits", "64", *self.OPTIONS)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "expected ff00000002000000" in result.stderr
        assert not own_results.exists()

    def test_results_that_can_not_be_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("FINALIST_RESULTS", str(tmp_path / "file" / "x"))
        assert "set FINALIST_RESULTS" in refused("bench", "rc6", *self.OPTIONS)

    def test_what_nobody_tuned_is_said(self, toy: str) -> None:
        asked = ("bench", toy, "--key-bits", "64", "--operation", "encrypt", *self.OPTIONS)
        assert f"\nnot tuned: toy; `finalist tune {toy}`\n" in good(*asked)
        assert "not tuned" not in good(*asked, "-s", "blocks=3")
        assert "nobody has tuned toy encrypt, 64-bit keys" in refused(*asked, "-s", "tuned")

    def test_what_was_tuned(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = {65536: Schedule(blocks=2, width=1), 1024: Schedule(blocks=3, width=1)}
        monkeypatch.setattr(choose, "best", lambda *task: found[task[3]])
        monkeypatch.setattr(choose, "best_of_one", lambda *_: Schedule(blocks=1, width=1, rounds="loop"))
        asked = ("bench", "rc6", "--operation", "encrypt", "--mode", "ecb", *self.OPTIONS)
        for words, blocks in (((), 3), (("-s", "tuned"), 3), (("-s", "tuned=65536"), 2)):
            text = good(*asked, *words)
            assert f"blocks={blocks} width=1" in text and "not tuned" not in text

    @pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
    def test_seconds(self, seconds: str) -> None:
        assert "seconds" in refused("bench", "rc6", "--seconds", seconds)

    def test_a_machine_that_can_not_be_timed(self) -> None:
        assert "no compiled code" in refused("bench", "rc6", "--machine", "interpreter")


COMMANDS = [("verify",), ("emit",), ("bench",)]


@pytest.mark.parametrize("command", [pytest.param(words, id=words[0]) for words in COMMANDS])
class TestBadInput:
    def test_unknown_cipher(self, command: tuple[str]) -> None:
        assert "unknown cipher 'desx' (did you mean des?); accepted: " in refused(*command, "desx")

    def test_unknown_machine(self, command: tuple[str]) -> None:
        assert "unknown machine 'abacus'; accepted: " in refused(*command, "rc6", "--machine", "abacus")

    def test_unknown_operation(self, command: tuple[str]) -> None:
        said = refused(*command, "rc6", "--operation", "hash")
        assert "unknown operation 'hash'; accepted: encrypt, decrypt" in said

    @pytest.mark.parametrize(
        ("choice", "said"),
        [
            ("colour=red", f"unknown schedule word 'colour'; accepted: {', '.join(WORDS)}"),
            ("blocks", "accepted is name=value"),
            ("blocks=", "accepted is name=value"),
            ("blocks=many", "blocks=many"),
            ("blocks=0", "blocks=0"),
            ("blocks=-1", "blocks=-1"),
            ("width=100", "width=100"),
            ("keyed-tables=some", "keyed-tables=some: accepted: full"),
            ("constant-time=1", "constant-time=1: it stands by itself"),
        ],
    )
    @needs_compiler
    def test_schedules(self, command: tuple[str], choice: str, said: str) -> None:
        assert said in refused(*command, "rc6", "-s", choice)

    def test_wrong_key_bits(self, command: tuple[str]) -> None:
        said = refused(*command, "rc6", "--key-bits", "129")
        assert "rc6 has no 129-bit keys; accepted: 8 to 2040 in steps of 8" in said

    @pytest.mark.parametrize("bits", ["0", "-128", "x"])
    def test_key_bits_that_are_no_length(self, command: tuple[str], bits: str) -> None:
        assert run(*command, "rc6", "--key-bits", bits).exit_code == 2

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("class Toy(:\n", "toy.py:1: syntax error"),
            ("x = 1\n", "must define one Cipher; it defines none"),
            ("1 / 0\n", "toy.py:1: ZeroDivisionError"),
            (
                "import nonesuch_module\n",
                "toy.py:1: ModuleNotFoundError: No module named 'nonesuch_module'; accepted: modules ",
            ),
            ("from .toy import x\n", "no known parent package; accepted: modules that are installed for "),
            ("from finalist.languag import u32\n", "'finalist.languag' (did you mean finalist.language?)"),
            ("\0", "toy.py"),
            (TOY.replace("    decrypt = encrypt", ""), "must define decrypt"),
            (TOY.replace("key_bits = (64, 128)", "key_bits = 64"), "key_bits = 64"),
            (TOY.replace("return key", "return key[9]"), "IndexError"),
            (TOY.replace("return [block[0] ^ keys[0], ", "return ["), "encrypt returned"),
        ],
        ids=[
            "syntax",
            "empty",
            "raises",
            "import",
            "relative",
            "misspelt",
            "null",
            "part",
            "key bits",
            "traced",
            "returned",
        ],
    )
    def test_definitions(self, command: tuple[str], tmp_path: Path, text: str, said: str) -> None:
        path = definition(tmp_path, text.replace("RESULT", "0100000002000000"))
        result = run(*command, path, *(() if "key_bits = 64" in text else ("--key-bits", "64")))
        assert result.exit_code == 2, result.output
        assert said in result.stderr
        assert result.stderr.startswith("finalist: ")
        assert "Traceback" not in result.output

    def test_no_such_file(self, command: tuple[str], tmp_path: Path) -> None:
        assert "no definition file" in refused(*command, str(tmp_path / "none.py"))

    def test_a_folder_for_a_file(self, command: tuple[str], tmp_path: Path) -> None:
        assert "no definition file" in refused(*command, str(tmp_path) + "/")

    def test_unknown_option(self, command: tuple[str]) -> None:
        assert "No such option: --fast" in refused(*command, "rc6", "--fast")
        said = refused(*command, "rc6", "--operatoin", "encrypt")
        assert "--operation" in said and f"; see `finalist {command[0]} --help`" in said


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["emmit", "rc6"], "No such command 'emmit'. Did you mean 'emit'?; see `finalist --help`"),
        (["paper", "gladmann"], "Did you mean 'gladman'?; see `finalist paper --help`"),
        (["--versoin"], "No such option: --versoin"),
        (["pareto"], "Missing argument"),
        (["emit", "aess"], "unknown cipher 'aess' (did you mean aes?)"),
        (["emit", "rc6", "--machine", "natve"], "unknown machine 'natve' (did you mean native?)"),
        (["emit", "rc6", "--machine", "plx:wrd=64"], "unknown parameter 'wrd=64' (did you mean word?)"),
        (["emit", "rc6", "--mode", "crt"], "unknown mode 'crt' (did you mean ctr?)"),
        (["emit", "rc6", "--layout", "libary"], "unknown layout 'libary' (did you mean library?)"),
        (["emit", "rc6", "--operation", "encypt"], "unknown operation 'encypt' (did you mean encrypt?)"),
        (["emit", "rc6", "-s", "block=2"], "unknown schedule word 'block' (did you mean blocks?)"),
        (["emit", "rc6", "-s", "lookup=bitslic"], "lookup=bitslic (did you mean bitslice?): accepted: load"),
        (["pareto", "rc4", "--operation", "x"], "unknown operation 'x'; accepted: encrypt, decrypt"),
        (["pareto", "rc6", "--key-bits", "7"], "rc6 has no 7-bit keys"),
        (["leaks", "rc4", "--level", "0x10"], "--level '0x10' is no level of optimisation"),
    ],
)
def test_what_may_have_been_meant_is_said(command: list[str], expected: str) -> None:
    assert expected in refused(*command)


def test_a_cipher_by_another_name() -> None:
    for alias, name in (
        ("aes", "rijndael"),
        ("3DES", "triple-des"),
        ("DES3", "triple-des"),
        ("cast6", "cast-256"),
        ("safer+", "safer-plus"),
    ):
        assert [one["name"] for one in as_json("ciphers", alias, name)] == [name]
    assert "also called 3des, tdes" in good("ciphers", "triple_des")
    told = as_json("emit", "aes", "--machine", "interpreter")
    assert told["cipher"] == "rijndael"


class TestCompiler:
    """Without a compiler that works: an error where one is needed, the interpreter where it is not."""

    @pytest.fixture(params=["/nonexistent", "false", "'"], ids=["none", "fails", "malformed"])
    def broken(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
        monkeypatch.setenv("CC", request.param)
        api._compiled.cache_clear()
        return str(request.param)

    def test_bench(self, broken: str) -> None:
        refused("bench", "rc6")

    def test_verify_on_that_machine(self, broken: str) -> None:
        refused("verify", "rc6", "--machine", machine_names()[0])

    def test_verify_leaves_it_out(self, broken: str) -> None:
        result = run("verify", "rc6", "--key-bits", "128", "--json")
        assert result.exit_code == 0, result.output
        left = {cell["machine"] for cell in json.loads(result.stdout)}
        assert "interpreter" in left and machine_names()[0] not in left
        missing = [name for name in machine_names() if name not in left]
        for line, name in zip(result.stderr.splitlines(), missing, strict=True):
            assert line.startswith(f"finalist: {name} is left out: ")

    def test_what_is_left_out_is_in_order(self, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whichever program comes to an end first."""
        plain = Resumable.run
        monkeypatch.setattr(Resumable, "run", lambda self, *how: reversed(list(plain(self, *how))))
        self.test_verify_leaves_it_out(broken)

    def test_one_that_fails_on_code(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It answers questions, but compiles nothing."""
        script = tmp_path / "cc"
        script.write_text(
            '#!/bin/sh\ncase "$*" in *-dM*|--version) echo odd 1.0;; *) echo no >&2; exit 3;; esac\n'
        )
        script.chmod(0o755)
        monkeypatch.setenv("CC", str(script))
        monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))
        api._compiled.cache_clear()
        for command in ("bench", "verify"):
            result = run(command, "rc6", "--machine", machine_names()[0], "--key-bits", "128")
            assert result.exit_code == 2, result.output
            assert "failed with exit code 3" in result.stderr

    @needs_compiler
    @pytest.mark.parametrize("kind", ["a file", "read-only"])
    def test_a_cache_that_can_not_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
    ) -> None:
        if kind == "a file":
            (tmp_path / "cache").write_text("")
        elif AS_ROOT:
            pytest.skip("root may write anywhere")
        else:
            (tmp_path / "cache").mkdir(mode=0o500)
        monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache" / "inner"))
        api._compiled.cache_clear()
        stored._program.cache_clear()  # what this process has loaded needs no file
        for command in ("bench", "verify"):
            said = refused(command, "rc6", "--machine", machine_names()[0], "--key-bits", "128")
            assert "set FINALIST_CACHE" in said


class TestInterruption:
    def test_exit_code(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*arguments: Any, **options: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr(api, "compile", interrupt)
        result = run("emit", "rc6")
        assert (result.exit_code, result.stdout, result.stderr) == (130, "", "finalist: interrupted\n")

    @needs_compiler
    @pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
    @pytest.mark.every(2)
    def test_signals(self, sent: signal.Signals, tmp_path: Path) -> None:
        """A real one while figures are taken; those that were taken are kept."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        command = [
            sys.executable,
            "-m",
            "finalist",
            "bench",
            "rc6",
            "serpent",
            "--seconds",
            "1",
            "--key-bits",
            "128",
        ]
        process = subprocess.Popen(command, env=environment, stdout=-1, stderr=-1, text=True, cwd=tmp_path)
        kept = Path(os.environ["FINALIST_RESULTS"])
        wait_for(lambda: kept.exists() and kept.stat().st_size > 0)
        process.send_signal(sent)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, said(err)) == (130, "", "finalist: interrupted\n")
        found = store.read(kept)
        assert found.rows and not found.damaged


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class TestCompletion:
    def test_ciphers(self) -> None:
        assert complete_cipher("ser") == ["serpent"]
        assert set(cipher_names()) | set(GROUPS) <= set(complete_cipher(""))

    def test_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "folder").mkdir()
        for name in ("mine.py", "mine.txt", "folder/inner.py", ".hidden.py"):
            (tmp_path / name).write_text("")
        monkeypatch.chdir(tmp_path)
        assert complete_cipher("m") == [name for name in ALL if name[0] == "m"] + ["mine.py"]
        assert complete_cipher("fo") == ["folder/"]
        assert complete_cipher("folder/") == ["folder/inner.py"]
        assert complete_cipher("./mi") == ["./mine.py"]
        assert complete_cipher(f"{tmp_path}/mi") == [f"{tmp_path}/mine.py"]
        assert complete_cipher("nowhere/") == []

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("finalist verify ser", "serpent"),
            ("finalist verify --machine int", "interpreter"),
            ("finalist emit rc6 --operation d", "decrypt"),
            ("finalist bench -s blo", "blocks="),
            ("finalist b", "bench"),
        ],
    )
    @pytest.mark.every(3)
    def test_from_the_shell(self, words: str, expected: str) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
            "_FINALIST_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
        done = subprocess.run(
            [sys.executable, "-m", "finalist"], env=environment, capture_output=True, text=True, check=False
        )
        assert expected in done.stdout.split(), done.stderr
