"""The command line: thin. `commands` has one function a command; `main` is the entry point."""

from finalist.cli.commands import app, main

__all__ = ["app", "main"]
