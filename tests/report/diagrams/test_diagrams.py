"""Rounds as boxes and arrows: what is one box, that nothing runs in a circle, and how it is written."""

from __future__ import annotations

import itertools
import random
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.passes import simplify
from finalist.report.diagrams.boxes import (
    KEY,
    MOST,
    STATE,
    WORK,
    Box,
    Diagram,
    by_line,
    grouped,
    in_order,
    of_round,
)
from finalist.report.diagrams.mermaid import mermaid, parsed
from finalist.report.diagrams.svg import placed, svg
from finalist.schedule import Schedule
from tests.catalogue import ALL


@cache
def diagram(name: str, operation: str = "encrypt") -> Diagram:
    found = cipher(name)
    made = of_round(simplify.run(traced(found, operation, found.usual_key_bits())).kernel)
    assert made is not None
    return made


def texts(found: Diagram) -> list[tuple[str, str, str]]:
    return [(box.kind, box.text, box.does) for box in found.boxes]


def test_a_round_by_the_lines_of_the_definition() -> None:
    found = diagram("rijndael")
    assert found.title == "Round 2 of 9, all of which are alike"
    (first, sub, mix, key, add, last) = texts(found)
    assert first == (STATE, "before", "16 words") and last == (STATE, "after", "16 words")
    assert sub == (WORK, "return [S[a] for a in state]", "16 lookup S")
    assert (
        mix[1].startswith("return [byte for c in range") and mix[1].endswith(" ...") and mix[2] == "4 linear"
    )
    assert key == (KEY, "key", "16 words") and add[2] == "16 xor"
    assert found.arrows == ((0, 1, 16), (1, 2, 16), (2, 4, 4), (3, 4, 16), (4, 5, 16))


def test_what_passes_by_a_round_and_several_tables() -> None:
    found = diagram("des")
    assert (0, len(found.boxes) - 1, 1) in found.arrows
    assert "8 lookup in 8 tables" in {box.does for box in found.boxes}


def test_a_cipher_without_rounds() -> None:
    assert diagram("rc4").title == "All of it"


def test_rounds_that_have_become_a_loop() -> None:
    made = machine("native").compile(
        cipher("rc6"), operation="encrypt", key_bits=128, schedule=Schedule(width=1, blocks=1, rounds="loop")
    )
    found = of_round(made.program.kernel)
    assert found is not None and found.title == "An iteration of the loop"
    assert any(box.text.startswith("t = rol(b * (2 * b + 1)") for box in found.boxes)


def test_nothing_to_draw() -> None:
    word = Builder().param("memory", WordType(8), "p")
    assert of_round(Graph("same", [word], [word])) is None


@pytest.mark.check
def test_a_round_that_is_large_is_drawn_by_its_functions_or_files() -> None:
    assert any("more)" in box.text for box in diagram("deal").boxes)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.every(25)
def test_every_cipher_can_be_drawn(name: str) -> None:
    for operation in ("encrypt", "decrypt"):
        found = diagram(name, operation)
        assert 3 <= len(found.boxes) <= MOST
        assert all(start < end and words > 0 for start, end, words in found.arrows)
        used = {end for arrow in found.arrows for end in arrow[:2]}
        assert used == set(range(len(found.boxes)))
        ElementTree.fromstring(svg(found))


# -- groups ------------------------------------------------------------------------------------------


def chain(*lines: tuple[str, tuple[int, ...]]) -> dict[Node, tuple[Node, ...]]:
    """Operations of these lines, each of which takes values of those of the numbers given."""
    nodes = [Node(Op.NOT, (), WordType(8), line=line) for line, _ in lines]
    return {node: tuple(nodes[k] for k in taken) for node, (_, taken) in zip(nodes, lines, strict=True)}


def names(sources: dict[Node, tuple[Node, ...]]) -> list[str]:
    """What is together, in order: ``aa b``."""
    groups = grouped(sources, by_line)
    return ["".join(node.line for node in nodes) for nodes in in_order(sources, groups).values()]


@pytest.mark.parametrize(
    ("lines", "together"),
    [
        ([("a", ()), ("a", (0,)), ("b", (1,))], ["aa", "b"]),
        (
            [("a", ()), ("b", (0,)), ("a", (1,)), ("b", (2,))],
            ["a", "b", "a", "b"],
        ),  # a helper, twice in a row
        ([("a", ()), ("b", (0,)), ("a", ()), ("b", (2,))], ["aa", "bb"]),  # twice, side by side
        ([("a", ()), ("b", (0,)), ("a", (0, 1))], ["a", "b", "a"]),
        ([("a", ()), ("b", (0,)), ("b", ()), ("a", (2,))], ["a", "b", "b", "a"]),  # each before the other
        (
            [("a", ()), ("b", (0,)), ("b", ()), ("a", (2,)), ("c", (3, 1)), ("c", ())],
            ["a", "b", "b", "a", "cc"],
        ),
    ],
)
def test_groups(lines: list[tuple[str, tuple[int, ...]]], together: list[str]) -> None:
    assert sorted(names(chain(*lines))) == sorted(together)


def test_no_group_waits_for_itself() -> None:
    """Of random operations; the order would not come to an end."""
    chosen = random.Random(1)
    for _ in range(50):
        lines = [
            (chosen.choice("abcd"), tuple(chosen.sample(range(k), min(k, chosen.randrange(3)))))
            for k in range(40)
        ]
        sources = chain(*lines)
        groups, seen = grouped(sources, by_line), set[object]()
        for group, nodes in in_order(sources, groups).items():
            assert {groups[one] for node in nodes for one in sources[node]} <= seen | {group}
            seen.add(group)
        assert sum(len(nodes) for nodes in in_order(sources, groups).values()) == len(sources)


# -- how it is written -------------------------------------------------------------------------------

SMALL = Diagram(
    "A <round>",
    (
        Box(STATE, "before", "2 words"),
        Box(WORK, 'y = x["a"] << 1 & z', "1 shl"),
        Box(STATE, "after", "1 word"),
    ),
    ((0, 1, 2), (0, 2, 1), (1, 2, 1)),
)


def test_mermaid() -> None:
    assert mermaid(SMALL).splitlines()[1:] == [
        "flowchart TD",
        '    b0(["before<br/>2 words"])',
        '    b1["y = x[&quot;a&quot;] &lt;&lt; 1 &amp; z<br/>1 shl"]',
        '    b2(["after<br/>1 word"])',
        "    b0 -->|2| b1",
        "    b0 --> b2",
        "    b1 --> b2",
    ]


def test_svg() -> None:
    picture = ElementTree.fromstring(svg(SMALL))
    assert picture.attrib["aria-label"] == "A <round>"
    texts = [one.text for one in picture.iter() if one.tag.endswith("text")]
    assert texts == ["2", "before", "2 words", 'y = x["a"] << 1 & z', "1 shl", "after", "1 word"]
    assert sum(one.attrib.get("class") == "arrow" for one in picture.iter()) == 3


@pytest.mark.parametrize("name", ["serpent", "hpc", "rc6"])
def test_boxes_of_a_layer_do_not_overlap(name: str) -> None:
    found = diagram(name)
    widths = [50.0 + 10 * k for k in range(len(found.boxes))]
    places = placed(found, widths, 20)
    assert all(places.layer[start] < places.layer[end] for start, end, _ in found.arrows)
    assert min(places.x) >= 0
    for layer in set(places.layer):
        row = sorted((places.x[k], width) for k, width in enumerate(widths) if places.layer[k] == layer)
        for (left, a), (right, b) in itertools.pairwise(row):
            assert right - left >= (a + b) / 2 + 20 - 1e-6


def test_an_arrow_over_layers_has_a_place_in_each() -> None:
    places = placed(SMALL, [40, 40, 40], 10)
    assert places.ways == ((0, 1), (0, 3, 2), (1, 2)) and places.layer == (0, 1, 2, 1)
    assert abs(places.x[3] - places.x[1]) >= 30


@pytest.mark.parametrize("path", sorted(Path("docs/ciphers").glob("*.md")), ids=lambda path: path.stem)
def test_a_picture_of_the_text_of_each_page(path: Path) -> None:
    """The text says all that the picture has."""
    for text in re.findall(r"^```mermaid\n(.*?)^```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        found = parsed(text, "A round")
        assert mermaid(found) == text
        ElementTree.fromstring(svg(found))


@pytest.mark.parametrize("name", ["rijndael", "des"])
def test_a_picture_of_the_text_is_that_of_the_graph(name: str) -> None:
    found = diagram(name)
    assert svg(parsed(mermaid(found), found.title)) == svg(found)


@pytest.mark.parametrize(
    ("line", "said"),
    [("    b0 --- b1", "'b0 --- b1': accepted: a box or an arrow"), ("b0{{x}}", "'b0{{x}}'")],
)
def test_other_text_is_refused(line: str, said: str) -> None:
    text = mermaid(Diagram("A round", (Box(WORK, "x", ""),), ()))
    with pytest.raises(ValueError, match=said):
        parsed(text + line, "A round")
    with pytest.raises(ValueError, match="what finalist pages writes"):
        parsed("graph LR\na-->b\n", "A round")
