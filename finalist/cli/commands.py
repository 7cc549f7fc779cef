"""All commands by name. The module of each is imported when it is asked for: to list them needs none.

Exit codes: 0 all is well; 1 a check failed; 2 bad usage, or an error that is the user's to mend (one line
on standard error); 130 interrupted, or told to end (SIGTERM).
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, ClassVar, cast

import typer
from typer.core import TyperCommand, TyperGroup

from finalist.cli import output
from finalist.errors import FinalistError, UnknownNameError, VectorError
from finalist.version import VERSION

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130

#: The module of each command, where it is a function of that name, and the first paragraph of its help.
COMMANDS = {
    "ciphers": (
        "finalist.cli.lists",
        "List the ciphers: who made them and when, their key lengths, what is known of their security.",
    ),
    "examples": (
        "finalist.cli.examples",
        "List the definitions that come as examples, or copy them into a folder to begin from.",
    ),
    "machines": ("finalist.cli.lists", "List the machines, and what their figures depend on here."),
    "schedules": (
        "finalist.cli.schedules",
        "List what -s takes for a cipher on a machine: each word, what is legal, the default, what is"
        " refused.",
    ),
    "explain": (
        "finalist.cli.explain",
        "Show which passes a program goes through, what each did to it, and where each choice comes from.",
    ),
    "verify": (
        "finalist.cli.verify",
        "Run the test vectors: each cipher, key length and direction on each machine.",
    ),
    "prove": (
        "finalist.cli.prove",
        "Prove that a program does what its definition says for all keys and blocks, or find where it does"
        " not.",
    ),
    "run": (
        "finalist.cli.run",
        "Encrypt or decrypt blocks given in hex, on any machine, and print what comes in hex.",
    ),
    "trace": (
        "finalist.cli.trace",
        "Show the values on the way from a block to its ciphertext, by the definition's own names.",
    ),
    "vectors": (
        "finalist.cli.vectors",
        "Make known answers from a definition, to be put into it: its own, not published.",
    ),
    "bench": (
        "finalist.cli.bench",
        "Measure ciphers: key set-up, latency, bulk in modes of operation (by default ecb and ctr).",
    ),
    "results": (
        "finalist.cli.results",
        "Show the figures that are kept on this computer, or come along, write them to a file, compare two"
        " states.",
    ),
    "sweep": (
        "finalist.cli.sweep",
        "Take the figures of ciphers on machines under schedules, in parallel, and keep each as it comes.",
    ),
    "advise": (
        "finalist.cli.advise",
        "Say which ciphers do best on a machine, within limits, and how their code is had.",
    ),
    "report": (
        "finalist.cli.report",
        "Write one page on which all ciphers and machines are compared, and the papers' tables with ours"
        " beside.",
    ),
    "cycles": ("finalist.cli.cycles", "Count the cycles of a block on simulated machines, side by side."),
    "emit": ("finalist.cli.emit", "Take ciphers' code for a machine away."),
    "pareto": (
        "finalist.cli.pareto",
        "Area and throughput of a cipher's designs, or bytes and clocks of its programs, and the front.",
    ),
    "place": (
        "finalist.cli.fpga",
        "Place and route a design on a part that one can buy; the clock for each seed, median and spread.",
    ),
    "board": (
        "finalist.cli.fpga",
        "The files for a board: a design behind eight wires in and out, its pins, how to make a bitstream.",
    ),
    "cache": ("finalist.cli.cache", "Show, bound or clear what was compiled and is kept on this computer."),
    "leaks": (
        "finalist.cli.leaks",
        "Watch compiled programs under valgrind, key and block marked as undefined, for what depends on"
        " them.",
    ),
    "pages": (
        "finalist.cli.pages",
        "Write a page about each cipher: what is known of it, and its operations counted.",
    ),
    "byteorder": (
        "finalist.cli.byteorder",
        "Find which re-ordering of bytes test vectors, as printed, need on a little-endian machine.",
    ),
    "tune": (
        "finalist.cli.tuning",
        "Find the quickest schedules on this computer, keep them, and say why they won.",
    ),
}
#: The same of the commands that lay ours beside published tables: ``finalist paper NAME``.
PAPERS = {
    "gladman": (
        "finalist.cli.gladman",
        "Gladman's tables of 1999 taken on this computer, by his method, and his beside.",
    ),
    "ptlu": (
        "finalist.cli.ptlu",
        "Fiskiran and Lee's tables of 2005 from the simulated machine `plx`, and theirs beside.",
    ),
    "additions": (
        "finalist.cli.ptlu",
        "What ciphers gain by instructions, ports, wider words: which should an architect add to `plx`?",
    ),
    "dsp": (
        "finalist.cli.dsp",
        "The DSP study of the finalists, Tables 1 to 3, beside the simulated machines `c62x` and `c64x`.",
    ),
    "smartcard": (
        "finalist.cli.smartcard",
        "A smart card's table of 1999, Table 5.4 of a book, and ours from the simulated card `hc05`.",
    ),
    "fpga": (
        "finalist.cli.fpga",
        "The FPGA study of the finalists, Tables VI to IX, beside our designs of the same architectures.",
    ),
}


#: Bad usage, as typer and click have it under changing names.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


#: A hyphen that no line is broken after; help has hyphens in words to be typed as they stand.
_UNBROKEN = "\N{NON-BREAKING HYPHEN}"


class _Whole:
    """Help whose words are whole: wrapped with hyphens that no line ends with."""

    def get_help(self, ctx: Any) -> str:
        """The text, with plain hyphens."""
        command = cast(Any, self)
        for part in (command, *command.params):
            part.help = (getattr(part, "help", None) or "").replace("-", _UNBROKEN) or None
        told: str = super().get_help(ctx)  # type: ignore[misc]  # of the command that it is mixed into
        return told.replace(_UNBROKEN, "-")


class _Group(_Whole, TyperGroup):
    """Commands that are known by name and first paragraph until one of them is wanted."""

    known: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each with all of its paragraph: what is cut off says nothing."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            rows = [(name, command.help or "") for name, command in commands if command]
            formatter.write_dl([(name, text.replace("-", _UNBROKEN)) for name, text in rows])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in self.known:
            command = _imported(name, self.known[name][0])
        return name, command, rest


class _Papers(_Group):
    known = PAPERS


class _Commands(_Group):
    """What goes wrong in one becomes a line and an exit code."""

    known = COMMANDS

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except _UsageError as error:
            raise _refused(error, ctx.command_path) from error

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except _UsageError as error:
            raise _refused(error, f"{ctx.command_path} {ctx.invoked_subcommand or ''}") from error
        except FinalistError as error:
            output.say(str(error))
            raise typer.Exit(FAILED if isinstance(error, VectorError) else BAD_USAGE) from error
        except KeyboardInterrupt as error:
            output.say("interrupted")
            raise typer.Exit(INTERRUPTED) from error


def _refused(error: Any, command: str) -> Exception:
    """What ends the command after one line about bad usage; where nothing was given, that is the help."""
    if type(error).__name__.startswith("NoArgs"):
        return cast(Exception, error)
    path = error.ctx.command_path if error.ctx else command.strip()
    output.say(f"{' '.join(error.format_message().split()).rstrip('.')}; see `{path} --help`")
    return typer.Exit(BAD_USAGE)


class _Command(_Whole, TyperCommand):
    """Refuses an option that is given again, of which otherwise the last value alone would be taken."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option, count in Counter(given).items():
            if count > 1 and not (ctx.resilient_parsing or getattr(option, "multiple", False)):
                raise UnknownNameError(f"{option.opts[0]} is given {count} times; accepted is one")
        return super().parse_args(ctx, args)


def _imported(name: str, module: str) -> Any:
    """The command itself."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=_Command)(getattr(import_module(module), name))
    return typer.main.get_command(alone)


def _listed(group: type[_Group], what: str) -> typer.Typer:
    """A group as it can be listed."""

    def not_yet_imported() -> None:
        raise AssertionError("resolve_command puts the command itself in its place")

    made = typer.Typer(
        cls=group,
        no_args_is_help=True,
        pretty_exceptions_show_locals=False,
        rich_markup_mode=None,  # whose panels break words where a terminal is narrow
        help=what,
    )
    for name, (_, summary) in group.known.items():
        made.command(name, help=summary)(not_yet_imported)
    return made


def main() -> None:
    """The command ``finalist``."""
    # Or its processes would be left behind.
    signal.signal(signal.SIGTERM, _interrupt)
    app(prog_name="finalist")


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


app = _listed(
    _Commands, "Block ciphers written once, taken as verified, measured code to every kind of machine."
)
app.add_typer(_listed(_Papers, "A published study's tables, ours beside."), name="paper")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"finalist {VERSION}")
        raise typer.Exit


@app.callback()
def _global(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    pass
