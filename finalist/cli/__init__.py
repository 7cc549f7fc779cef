"""The command line: thin. Each module has one function a command; `main` is the entry point."""

from finalist.cli import cycles as cycles
from finalist.cli import emit as emit
from finalist.cli import fpga as fpga
from finalist.cli import gladman as gladman
from finalist.cli import leaks as leaks
from finalist.cli import pages as pages
from finalist.cli import papers as papers
from finalist.cli import ptlu as ptlu
from finalist.cli import tuning as tuning
from finalist.cli.commands import app, main

__all__ = ["app", "main"]
