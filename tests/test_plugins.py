"""Ciphers and machines of other packages: a small one that is as it should be, and others that are not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import finalist
from finalist import api, plugins, target
from finalist.ciphers import catalogue
from finalist.ciphers.catalogue import cipher, identity, is_built_in, reference
from finalist.cli import app, options
from finalist.errors import PackageError, UnknownNameError
from finalist.machines import registry
from finalist.machines.registry import is_own, machine, schedule_words
from finalist.vectors import matrix, resumed
from tests.marks import needs_compiler

CIPHER = '''
from finalist.language import Cipher, u32, words


class Rotor(Cipher):
    """Adds the key."""

    block, key_bits = words(1, u32), (32,)
    vectors = [("01000000", "02000000", "03000000")]

    def expand_key(self, key):
        return key

    def encrypt(self, block, keys):
        return [block[0] + keys[0]]

    def decrypt(self, block, keys):
        return [block[0] - keys[0]]


class Unfinished(Cipher):
    block, key_bits = words(1, u32), (32,)


NUMBER = 7
'''
MACHINE = """
from finalist.machines.interpreter.machine import Interpreter


class Slow(Interpreter):
    name = "slow"


class Broken(Slow):
    name = "broken"

    def describe(self):
        raise RuntimeError("no such device")


MACHINE, BROKEN = Slow(), Broken()
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts packages with these entry points where Python finds them, as pip would."""
    forget()

    def put(package: str = "theirs", ciphers: str = "", machines: str = "") -> None:
        module, info = tmp_path / package, tmp_path / f"{package}-1.0.dist-info"
        module.mkdir()
        info.mkdir()
        (module / "__init__.py").write_text(CIPHER + MACHINE, "utf-8")
        (module / "bad.py").write_text("import no_such_module", "utf-8")
        (module / "worse.py").write_text("1 / 0", "utf-8")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
        sections = f"[finalist.ciphers]\n{ciphers}\n[finalist.machines]\n{machines}\n"
        (info / "entry_points.txt").write_text(sections, "utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        forget()

    yield put
    forget()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("theirs", "others")]:
        del sys.modules[name]


def forget() -> None:
    """What this process knows of packages."""
    for known in (plugins.offers, catalogue._installed, registry._installed, api._compiled, target._of):
        known.cache_clear()
    target._KNOWN.clear()


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), prog_name="finalist")


def test_nothing_is_installed() -> None:
    """As tests of lists assume."""
    assert plugins.offers(plugins.CIPHERS) == plugins.offers(plugins.MACHINES) == ()


class TestGood:
    @pytest.fixture(autouse=True)
    def theirs(self, install: Install) -> None:
        install(ciphers="rotor = theirs:Rotor", machines="slow = theirs:MACHINE")

    def test_names_without_importing(self) -> None:
        assert finalist.ciphers()[-1] == "rotor"
        assert finalist.machines()[-1] == "slow"
        assert "rotor" in options.complete_cipher("rot") and options.complete_machine("sl") == ["slow"]
        assert "theirs" not in sys.modules

    def test_the_cipher(self) -> None:
        found = cipher("rotor")
        assert found is cipher("Rotor") and not is_built_in(found)
        assert identity(found) == "theirs:Rotor"
        assert reference(found).load() is found
        assert finalist.compile("rotor", "interpreter").run(bytes([1, 0, 0, 0]), bytes(4)).output[0] == 1

    @needs_compiler
    @pytest.mark.check
    def test_ready_to_use(self) -> None:
        object_ = finalist.new("rotor", bytes([1, 2, 3, 4]), finalist.MODE_ECB)
        assert object_.encrypt(bytes(8)) == bytes([1, 2, 3, 4] * 2)
        assert object_.decrypt(bytes([1, 2, 3, 4])) == bytes(4)

    def test_nothing_is_noted_of_it(self) -> None:
        """Another version of the package may have another block."""
        assert target.target("rotor").block_bytes == 4
        cipher("rotor").block = finalist.ciphers.catalogue.cipher("rc6").block  # type: ignore[attr-defined]
        forget()
        assert target.target("rotor").block_bytes == 16

    def test_the_machine(self) -> None:
        assert machine("slow").name == "slow" and schedule_words("slow") == () and not is_own("slow:a=1")
        assert finalist.compile("rc6", "slow").run(bytes(16), bytes(16)).output.hex().startswith("8fc3")
        with pytest.raises(UnknownNameError, match="slow has no parameters"):
            machine("slow:a=1")

    def test_commands_take_both(self) -> None:
        done = run("verify", "rotor", "--machine", "slow", "--machine", "interpreter")
        assert done.exit_code == 0 and "rotor" in done.stdout and "slow" in done.stdout
        done = run("run", "rotor", "--machine", "slow", "--key", "01000000", "--block", "02000000")
        assert done.stdout == "03000000\n"

    def test_it_is_verified_again_each_time(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FINALIST_VERDICTS", str(tmp_path / "verdicts.jsonl"))
        for name, on in (("rotor", "interpreter"), ("rc6", "slow")):
            cells = [next(matrix.cells(cipher(name), on, key_bits=[cipher(name).usual_key_bits()]))]
            found = resumed.verifying_rest(cells).run()
            assert [one.status for _, one in found] == ["ok"]  # type: ignore[union-attr]
        assert not resumed.KEPT.read().rows

    def test_it_is_suggested(self) -> None:
        with pytest.raises(UnknownNameError, match=r"did you mean rotor\?\); accepted: .*rotor, or the path"):
            cipher("roter")
        with pytest.raises(UnknownNameError, match=r"did you mean slow\?\); accepted: .*hc05, slow"):
            machine("slowe")


@pytest.mark.parametrize(
    ("entry", "name", "said"),
    [
        (
            "x = theirs.bad:X",
            "x",
            "can't be imported from theirs.bad:X: ModuleNotFoundError: No module named",
        ),
        ("x = theirs.worse:X", "x", "can't be imported from theirs.worse:X: ZeroDivisionError"),
        ("x = theirs:NoSuch", "x", "AttributeError: .*NoSuch.*; accepted: module:attribute"),
        ("x = theirs", "x", "is 'theirs'; accepted: module:attribute"),
        ("x = theirs:NUMBER", "x", "7 is no cipher; accepted: a class derived from finalist.language.Cipher"),
        ("x = theirs:Rotor", "x", "calls itself 'rotor'; accepted: called = 'x', or an entry point of that"),
        ("unfinished = theirs:Unfinished", "unfinished", "Unfinished must define expand_key"),
    ],
)
def test_ciphers_that_are_refused(install: Install, entry: str, name: str, said: str) -> None:
    install(ciphers=entry + "\nrotor = theirs:Rotor")
    with pytest.raises(PackageError, match=rf"^package theirs 1\.0: cipher '{name}' .*{said}"):
        cipher(name)
    assert cipher("rotor").own_name() == "rotor"
    assert cipher("rc6").own_name() == "rc6"
    assert run("emit", name).exit_code == 2


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("x = theirs.bad:X", "can't be imported from theirs.bad:X"),
        (
            "x = theirs:NUMBER",
            "7 lacks name, summary, words, compile, program, describe; accepted: an object",
        ),
        ("x = theirs:Slow", "is a class; accepted: an object with name, summary"),
        ("x = theirs:MACHINE", "calls itself 'slow'; accepted: name = 'x'"),
    ],
)
def test_machines_that_are_refused(install: Install, entry: str, said: str) -> None:
    install(machines=entry + "\nslow = theirs:MACHINE")
    with pytest.raises(PackageError, match=rf"^package theirs 1\.0: machine 'x' .*{said}"):
        machine("x")
    assert machine("slow").name == "slow"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rc6", "has the name of one of Finalist's own, which is meant by it; accepted: another name"),
        ("aes", "has the name of one of Finalist's own"),
        ("today", "has the name of one of Finalist's own"),
        ("Rotor", "has no name for a command line; accepted: small letters"),
        ("a/b", "has no name for a command line"),
        ("rotor.py", "has no name for a command line"),
    ],
)
def test_names_that_are_refused(install: Install, name: str, said: str) -> None:
    """Finalist's own are what they were, and the list says why another is not in it."""
    install(ciphers=f"{name} = theirs:Rotor")
    assert finalist.ciphers() == catalogue.cipher_names()
    assert next(str(one) for one in catalogue.installed()).startswith(
        f"package theirs 1.0: cipher {name!r} {said}"
    )
    if name == "aes":
        assert cipher(name).own_name() == "rijndael" and "theirs" not in sys.modules


def test_two_packages_with_one_name(install: Install) -> None:
    install("theirs", ciphers="rotor = theirs:Rotor")
    install("others", ciphers="rotor = others:Rotor")
    with pytest.raises(
        PackageError, match=r"^package others 1\.0: .* offered by theirs 1\.0 as well; accepted"
    ):
        cipher("rotor")
    assert "rotor" not in finalist.ciphers()
    assert len(list(catalogue.installed())) == 2


@pytest.mark.check
def test_what_is_broken_is_said_in_lists_and_in_nobodys_way(install: Install) -> None:
    install(
        ciphers="x = theirs.bad:X\nrotor = theirs:Rotor",
        machines="x = theirs.worse:X\nslow = theirs:MACHINE\nbroken = theirs:BROKEN",
    )
    done = run("ciphers")
    assert done.exit_code == 0 and "rotor" in done.stdout and "rc6" in done.stdout
    assert done.stderr.count("\n") == 1 and "package theirs 1.0: cipher 'x'" in done.stderr
    done = run("machines")
    assert done.exit_code == 0 and "slow" in done.stdout
    first, second = done.stderr.splitlines()
    assert "package theirs 1.0: machine 'x'" in second or "package theirs 1.0: machine 'x'" in first
    assert "RuntimeError: no such device" in done.stderr
    assert run("verify", "rc6", "--machine", "interpreter", "--key-bits", "128").exit_code == 0


def test_own_names_need_no_look_at_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes longer than anything else that a command does before its work."""
    forget()
    monkeypatch.setattr(plugins, "offers", pytest.fail)
    assert [cipher(name).name() for name in ("rc6", "aes", "RC-6")] == ["rc6", "rijndael", "rc6"]
    assert machine("interpreter").name == "interpreter" and schedule_words("native")
    assert target.target("rc6").block_bytes == 16
    with pytest.raises(pytest.fail.Exception):
        cipher("rotor")
