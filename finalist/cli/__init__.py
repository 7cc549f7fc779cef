"""The command line: thin. `commands` and `pages` have one function a command; `main` is the entry point."""

from finalist.cli import pages
from finalist.cli.commands import app, main

__all__ = ["app", "main", "pages"]
