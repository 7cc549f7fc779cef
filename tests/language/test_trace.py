"""The trace under way."""

from __future__ import annotations

import pytest

from finalist.errors import DefinitionError
from finalist.language.trace import current, tracing


def test_there_is_a_trace_within_and_none_outside() -> None:
    with pytest.raises(DefinitionError, match="words exist only while a definition is traced"):
        current()
    with tracing() as outer:
        assert current() is outer
        with tracing() as inner:
            assert current() is inner is not outer
        assert current() is outer
    with pytest.raises(DefinitionError):
        current()


def test_the_line_is_noted() -> None:
    with tracing() as trace:
        current()
        assert "test_trace.py" in trace.builder.line


def test_a_misuse_that_could_not_be_reported_is_at_the_next_operation() -> None:
    with tracing() as trace:
        trace.fault = DefinitionError("a word is no condition", "here:1")
        with pytest.raises(DefinitionError, match="a word is no condition"):
            current()
