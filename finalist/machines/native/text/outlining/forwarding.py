"""Reads of arrays put where their values are used (`const uint32_t t = a[1]; b(t);` becomes `b(a[1]);`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from finalist.machines.native.text.outlining.statements import Block, Statement, Text, tokens_of

_READ = re.compile(
    r"const (?P<type>uint\d+_t|vec) (?P<name>\w+) = (?P<read>(?:\((?P=type)\))?(?P<array>\w+)\[\d+\]);$"
)


def forward_reads(text: Text) -> None:
    """Change functions so that entries of local arrays are read where they are used, where that is shorter.

    Only of arrays that nothing writes from the read on, so that the value is the same.
    """
    for function in text.functions:
        for block in _blocks(function.body):
            _forward(block)


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for statement in block.statements:
        if statement.inner is not None:
            yield from _blocks(statement.inner)


def _forward(block: Block) -> None:
    last = {name: place for place, s in enumerate(block.statements) for name in s.stored}
    uses = Counter(token for statement in block.statements for token in statement.tokens())
    found: dict[str, str] = {}
    dropped = set()
    for place, statement in enumerate(block.statements):
        line = "".join(statement.lines[0][1])
        match = _READ.match(line)
        if not match or match["array"] not in block.storage or last.get(match["array"], -1) >= place:
            continue
        longer = (uses[match["name"]] - 1) * (len(match["read"]) - len(match["name"]))
        if longer < statement.length:
            found[match["name"]] = match["read"]
            dropped.add(statement)
    if found:
        block.statements = [s for s in block.statements if s not in dropped]
        for statement in block.statements:
            _replace(statement, found)


def _replace(statement: Statement, found: dict[str, str]) -> None:
    statement.lines = [
        (depth, tokens_of("".join(found.get(token, token) for token in line)))
        for depth, line in statement.lines
    ]
    if statement.inner is not None:
        for inner in statement.inner.statements:
            _replace(inner, found)
