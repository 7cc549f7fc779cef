"""What serves the objects of `finalist.modes`: compiled programs, or the interpreter where no compiler is."""

from __future__ import annotations

from finalist.engine.ladder import PATIENCE, Compiled
from finalist.engine.plans import schedule
from finalist.engine.work import Call, Work
from finalist.errors import CompilerError
from finalist.notice import notice_no_compiler
from finalist.target import Target

__all__ = ["PATIENCE", "Call", "Compiled", "Work", "schedule", "work"]


def work(target: Target, key: bytes, mode: str, operation: str) -> Work:
    """The work of a mode, compiled if there is a compiler.

    Without one the interpreter serves, after one line that says so.
    """
    try:
        return Compiled(target, key, mode, operation)
    except CompilerError as error:
        from finalist.engine.interpreted import Interpreted

        notice_no_compiler(error)
        return Interpreted(target, key, mode, operation)
