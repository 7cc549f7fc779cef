"""Command lines that went wrong in typing: good ones with tokens changed, lost, doubled, or out of range."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from typer.testing import CliRunner

from finalist.cli import app
from finalist.schedule import FORMERLY, WORDS

#: Good ones, of what is quick without a compiler. Ciphers stand right after the command: they stay, since
#: without any, all are meant, and that takes time.
GOOD = (
    "emit rc6 -s blocks=2 -s width=1 --operation decrypt --key-bits 256",
    "emit rc6 -s width=256,skew=4,rounds=loop --mode ctr --json",
    "emit rc4 -s lookup=scan,rounds=unroll --machine native",
    "emit blowfish -s lookup=gather -s width=256 --key-bits 64 --mode all",
    "emit rc6 -s key-schedule=loop -s constant-time -s planes=1",
    "emit rc6 --machine plx -s rounds=2,optimise=off",
    "emit rc6 --machine plx:word=64,with=extract+andn -s width=1",
    "emit rc6 --machine interpreter --operation encrypt",
    "emit rc6 --machine fpga -s architecture=LU-2,language=vhdl,key-schedule=load",
    "emit rc6 --tuned",
    "emit rc6 --layout library --key-bits 128 -s lookup=load --unchecked",
    "ciphers rc6 rc4 --json",
    "machines --json",
    "schedules rc4 --machine interpreter --key-bits 128",
    "explain rc6 --machine fpga -s language=vhdl --show simplify --graph key-schedule --json",
    "verify rc4 --machine interpreter --key-bits 128 --operation encrypt --json",
    "verify rc6 -s blocks=1 --key-bits 192 --operation encrypt",
    "bench rc6 --bytes 1024 --seconds 0.01 --mode ecb -s tuned=64 --key-bits 128",
    "cycles rc4 --machine plx:issue=2/1 --machine plx --operation encrypt --key-bits 128",
    "tune rc6 --seconds 0 --operation encrypt --json",
    "pages rc4 --json",
    "leaks rc4 -s lookup=scan --compiler gcc --level=-O2 --operation encrypt",
    "pareto rc4 --machine fpga --operation encrypt --json",
    "place rc4 --part nothing --seeds 1",
    "board rc4 --board nothing -o nowhere",
)
_VALUES = (
    *("", "0", "-1", "1", "3", "7", "65536", "99999999999999999999", "9" * 5000, "1e9", "nan", "inf", "0x10"),
    *("\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT THREE}", "\N{SNOWMAN}", "\ud800", "x" * 3000, " ", "\n"),
    *("=", ",", "==", "a=b=c", "-", "--", "---", "-s", "--json", "--schedule", "--help", "true", "None", "*"),
    *("..", "/", "/dev/null", "nothing.py", "[red]", "{}", "%s", "constant-time", "tuned", "optimise"),
    *(
        "encrypt",
        "both",
        "loop",
        "all",
        "rc6",
        "native",
        "plx",
        "plx:",
        "plx:word=",
        "plx:issue=0/0",
        "fpga:",
    ),
)
_LETTERS = "abcxyz019=,-_:+/. \t'\"\\\N{LATIN SMALL LETTER E WITH ACUTE}"


def mutated(source: Random) -> list[str]:
    """A command line, changed in one to three places."""
    words = source.choice(GOOD).split()
    if source.random() < 0.3:
        words += ["-s", _choice(source)]
    for _ in range(source.choice((1, 1, 2, 3))):
        words = _changed(words, source)
    return words


def schedules(source: Random) -> Iterator[str]:
    """Texts as -s takes them, or nearly."""
    while True:
        yield source.choice((" ", ",", ", ")).join(_choice(source) for _ in range(source.randrange(1, 4)))


def _choice(source: Random) -> str:
    name = source.choice((*WORDS, *FORMERLY))
    value = source.choice((*_VALUES, "loop", "load", "permute", "256", "2", "8", "full", "LU-1", "verilog"))
    text = f"{name}={value}" if source.random() < 0.9 else name
    return _misspelt(text, source) if source.random() < 0.2 else text


def _changed(words: list[str], source: Random) -> list[str]:
    """The command and the cipher after it stay, misspelt at most, so that nothing is done to all of them."""
    place = source.randrange(len(words))
    kind = source.choice(("misspell", "replace", "drop", "double", "insert", "swap"))
    if place < 2 or kind == "misspell":
        return [*words[:place], _misspelt(words[place], source) or "?", *words[place + 1 :]]
    made = list(words)
    if kind == "replace":
        name, equals, _ = words[place].partition("=")
        made[place] = (name + equals if source.random() < 0.7 else "") + source.choice(_VALUES)
    elif kind == "drop":
        del made[place]
    elif kind == "swap":
        other = source.randrange(2, len(words))
        made[place], made[other] = made[other], made[place]
    else:
        made.insert(place, words[place] if kind == "double" else source.choice(_VALUES))
    return made


def _misspelt(word: str, source: Random) -> str:
    """A letter lost, doubled, changed, added, or exchanged with the next one."""
    place = source.randrange(len(word) + 1)
    head, letter, rest = word[:place], word[place : place + 1], word[place + 1 :]
    other = source.choice(_LETTERS)
    return source.choice(
        (
            head + rest,
            head + letter * 2 + rest,
            head + other + rest,
            head + other + letter + rest,
            head + rest[:1] + letter + rest[1:],
        )
    )


#: What a line on standard error begins with.
_LINE = re.compile(r"finalist: \S")


def complaint(words: list[str]) -> str:
    """What is wrong with how a command line ends; empty if nothing is.

    Nothing but what is raised on purpose, an exit code that is documented, and one line that says why.
    """
    result = CliRunner().invoke(app, words, prog_name="finalist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return f"raised {result.exception!r}"
    lines = result.stderr.splitlines()
    if result.exit_code not in (0, 1, 2) or (result.exit_code == 2) > bool(lines):
        return f"exit code {result.exit_code}, said {result.stderr!r}"
    if "Traceback" in result.output or not all(map(_LINE.match, lines)):
        return f"said {result.stderr!r}"
    return ""
