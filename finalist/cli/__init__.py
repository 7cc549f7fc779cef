"""The command line: thin. Each module has the functions of some commands; `main` is the entry point."""

from finalist.cli.commands import app, main

__all__ = ["app", "main"]
