"""All commands by name. The module of each is imported when it is asked for: to list them it is read alone.

Exit codes: 0 all is well; 1 a check failed; 2 bad usage, or an error that is the user's to mend (one line
on standard error); 130 interrupted, or told to end (SIGTERM).
"""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from typing import Annotated, Any, ClassVar, cast

import typer
from typer.core import TyperCommand, TyperGroup

from finalist.cli import output
from finalist.errors import FinalistError, UnknownNameError, VectorError
from finalist.version import VERSION

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130

#: The module of each command, where it is a function of that name.
COMMANDS = {
    "ciphers": "finalist.cli.lists",
    "examples": "finalist.cli.examples",
    "machines": "finalist.cli.lists",
    "schedules": "finalist.cli.schedules",
    "explain": "finalist.cli.explain",
    "verify": "finalist.cli.verify",
    "prove": "finalist.cli.prove",
    "run": "finalist.cli.run",
    "trace": "finalist.cli.trace",
    "vectors": "finalist.cli.vectors",
    "bench": "finalist.cli.bench",
    "results": "finalist.cli.results",
    "sweep": "finalist.cli.sweep",
    "advise": "finalist.cli.advise",
    "report": "finalist.cli.report",
    "cycles": "finalist.cli.cycles",
    "emit": "finalist.cli.emit",
    "pareto": "finalist.cli.pareto",
    "place": "finalist.cli.fpga",
    "board": "finalist.cli.fpga",
    "cache": "finalist.cli.cache",
    "leaks": "finalist.cli.leaks",
    "pages": "finalist.cli.pages",
    "byteorder": "finalist.cli.byteorder",
    "tune": "finalist.cli.tuning",
}
#: The same of the commands that lay ours beside published tables: ``finalist paper NAME``.
PAPERS = {
    "gladman": "finalist.cli.gladman",
    "ptlu": "finalist.cli.papers",
    "additions": "finalist.cli.papers",
    "dsp": "finalist.cli.papers",
    "smartcard": "finalist.cli.papers",
    "fpga": "finalist.cli.fpga",
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
    """Commands that are known by name until one of them is wanted."""

    known: ClassVar[Mapping[str, str]] = {}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name, with the first paragraph of its help."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and cmd_name in self.known:
            command.help = _summary(cmd_name, self.known[cmd_name])
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each with all of its paragraph: what is cut off says nothing."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            rows = [(name, command.help or "") for name, command in commands if command]
            formatter.write_dl([(name, text.replace("-", _UNBROKEN)) for name, text in rows])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in self.known:
            command = _imported(name, self.known[name])
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


def _summary(name: str, module: str) -> str:
    """The first paragraph of a command's help, from the text of its module, which is not imported for it."""
    text = files("finalist.cli").joinpath(f"{module.rpartition('.')[2]}.py").read_text("utf-8")
    found = re.search(rf'^def {name}\(.*?^    """(.*?)(?:\n\n|""")', text, re.DOTALL | re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


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
    for name in group.known:
        made.command(name)(not_yet_imported)
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
