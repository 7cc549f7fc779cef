"""What a run has seen pass, so that a run that follows it on the same files leaves it out.

The gate runs the first tier as on a fresh machine, then everything with every optional tool: a test that has
just passed without them would pass again. One that was skipped for want of a tool runs in the second; so does
one that exists only with a tool, for its name was not among those that passed.
"""

from __future__ import annotations

from pathlib import Path

import pytest


class Passed:
    """Keeps the names of tests of which no phase failed or was skipped, and writes them at the end."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.called: set[str] = set()
        self.not_passed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        (self.called if report.passed else self.not_passed).add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.file.write_text("".join(f"{name}\n" for name in sorted(self.called - self.not_passed)), "utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--passed", type=Path, metavar="FILE", help="write the names of the tests that pass")
    parser.addoption("--but-passed", type=Path, metavar="FILE", help="leave out the tests that it names")


def pytest_configure(config: pytest.Config) -> None:
    """Of several processes the one that hears of all tests writes."""
    if config.option.passed and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Passed(config.option.passed))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.but_passed is None:
        return
    known = set(config.option.but_passed.read_text("utf-8").splitlines())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in known])
    items[:] = [item for item in items if item.nodeid not in known]
