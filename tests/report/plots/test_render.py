"""Plots as files, and the option that commands have for them."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from finalist.cli import app
from finalist.cli import cycles as cycles_command
from finalist.report.plots import cycles, render
from finalist.report.plots.style import DARK, INK, PAPER, SERIES, PlotError, Spec
from tests.report.plots.plots import row

try:
    import vl_convert  # noqa: F401

    DRAWS = True
except ImportError:
    DRAWS = False
needs_library = pytest.mark.skipif(not DRAWS, reason="needs vl-convert-python (extra plot)")


@pytest.fixture
def spec() -> Spec:
    return cycles.plot("Cycles & <more>", ["base", "other"], {"toy": [100.0, 300.0]})


@needs_library
def test_svg(spec: Spec) -> None:
    text = render.drawn(spec, "plot.svg").decode()
    root = ElementTree.fromstring(text)  # well-formed
    said = [one.attrib.get("aria-label", "") for one in root.iter()]
    assert sum("machine: base" in label or "machine: other" in label for label in said) == 2
    assert "Cycles &amp; &lt;more&gt;" in text
    assert text.count("prefers-color-scheme: dark") == 1
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', text))
    assert {PAPER, INK, SERIES[0]} <= used <= set(DARK)  # no colour is left as it is in the dark


@needs_library
def test_png_light_and_dark(spec: Spec) -> None:
    for name, paper in (("plot.png", PAPER), ("plot.DARK.png", DARK[PAPER])):
        picture = render.drawn(spec, name)
        assert picture.startswith(b"\x89PNG")
        assert first_pixel(picture) == bytes.fromhex(paper.removeprefix("#"))


def first_pixel(picture: bytes) -> bytes:
    """Red, green, blue of the pixel at the upper left, which no filter changes: nothing is before it."""
    at, data = 8, b""
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        data += picture[at + 8 : at + 8 + length] if picture[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    return zlib.decompress(data)[1:4]


@needs_library
@pytest.mark.check
def test_html_needs_no_network(spec: Spec) -> None:
    page = render.drawn(spec, "plot.html").decode()
    assert "<title>Cycles &amp; &lt;more&gt;</title>" in page
    assert not re.search(r'<(?:script|link)[^>]*(?:src|href)="http', page)
    assert "prefers-color-scheme: dark" in page and "vegaEmbed(" in page


def test_json_needs_no_library(spec: Spec, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(render, "_LIBRARY", "no_such_library")
    render.check(tmp_path / "plot.json")
    assert json.loads(render.drawn(spec, "plot.json")) == spec
    with pytest.raises(PlotError, match=r"plot\.svg .*pip install 'finalist\[plot\]'"):
        render.check(tmp_path / "plot.svg")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("plot.pdf", r"plot\.pdf ends in no format of plots; accepted: \.svg, \.png, \.html, \.json"),
        ("plot", "ends in no format"),
        ("missing/plot.json", "there is no folder .*missing"),
        ("folder.json", "is a folder"),
    ],
)
def test_bad_names(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(PlotError, match=said):
        render.check(tmp_path / name)


# -- commands ------------------------------------------------------------------------------------------


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="finalist")


@pytest.mark.parametrize(
    "command",
    [
        ("bench", "rc4"),
        ("cycles", "rc4"),
        ("tune", "rc4"),
        ("pareto", "rc6"),
        ("paper", "additions", "rc4"),
    ],
    ids=" ".join,
)
def test_a_name_that_is_wrong_is_said_before_any_work(command: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*command, "--plot", str(tmp_path / "plot.pdf"))
    assert done.exit_code == 2
    assert "accepted: .svg, .png, .html, .json" in done.stderr
    assert not done.stdout
    assert not list(tmp_path.iterdir())


def test_cycles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cycles_command, "measured", lambda *_: 123.0)
    done = run("cycles", "rc4", "rc6", "--plot", str(tmp_path / "plot.json"))
    assert done.exit_code == 0, done.stderr
    spec = json.loads((tmp_path / "plot.json").read_text("utf-8"))
    assert [(one["cipher"], one["cycles"]) for one in spec["data"]["values"]] == [("rc4", 123), ("rc6", 123)]
    assert "Cycles a block, encrypt" in spec["title"]["text"]


def test_bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from finalist.cli import bench as command

    monkeypatch.setenv("FINALIST_RESULTS", str(tmp_path / "results.jsonl"))
    monkeypatch.setattr(command.measure, "bench", lambda cipher, *_, **__: iter([row(cipher.name())]))
    done = run("bench", "rc4", "--operation", "encrypt", "--plot", str(tmp_path / "plot.json"), "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)[0]["cipher"] == "rc4"  # standard output is as without a plot
    spec = json.loads((tmp_path / "plot.json").read_text("utf-8"))
    assert spec["hconcat"][0]["data"]["values"][0]["cipher"] == "rc4, 128"


def test_bench_against_others_has_none(tmp_path: Path) -> None:
    done = run("bench", "--against", "peers", "--plot", str(tmp_path / "plot.json"))
    assert done.exit_code == 2
    assert "--plot can't be had with --against peers" in done.stderr


def test_tune_with_nothing_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FINALIST_TUNING", str(tmp_path / "tuning.jsonl"))
    done = run("tune", "rc4", "--seconds", "0", "--plot", str(tmp_path / "plot.json"))
    assert done.exit_code == 2
    assert "no trials to plot" in done.stderr
    assert not (tmp_path / "plot.json").exists()


def test_additions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gains: Callable[[object], dict[str, float]] = lambda row: _Gains(1.5)  # noqa: E731
    monkeypatch.setattr("finalist.papers.ptlu.gains", gains)
    done = run("paper", "additions", "rc4", "--plot", str(tmp_path / "plot.json"))
    assert done.exit_code == 0, done.stderr
    spec = json.loads((tmp_path / "plot.json").read_text("utf-8"))
    assert {one["mean"] for one in spec["hconcat"][1]["layer"][1]["data"]["values"]} == {1.5}


class _Gains(dict[str, float]):
    """The same gain by whatever is added."""

    def __init__(self, gain: float) -> None:
        super().__init__()
        self.gain = gain

    def __missing__(self, name: str) -> float:
        return self.gain
