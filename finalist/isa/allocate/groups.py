"""Parts of a basic block that have no words in common: blocks of data that are worked on side by side.

Each can have a side of the processor for itself, and then hardly anything crosses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from finalist.isa.code import ZERO, Ins

#: A part is one of several if it has at least this share of the instructions of the largest.
_SHARE = 0.5


def groups(body: Sequence[Ins], common: set[int]) -> list[int | None]:
    """For each instruction the number of its part, the largest first; None of one that serves several.

    Words in ``common`` (constants, pointers), and what is loaded by those alone (keys), join nothing.
    """
    above: dict[int, int] = {}

    def root(word: int) -> int:
        while above.get(word, word) != word:
            word = above[word]
        return word

    shared = common | {ZERO}
    for ins in body:
        words = [word for word in ins.read if word not in shared]
        if not words and ins.instruction.effect == "load" and ins.access != "data":
            shared = shared | set(ins.written)
            continue
        for word in (*words, *(w for w in ins.written if w not in shared)):
            above.setdefault(word, word)
            above[root(word)] = root(words[0] if words else word)
    roots = [_root(ins, shared, root) for ins in body]
    sizes = Counter(r for r in roots if r is not None)
    largest = max(sizes.values(), default=0)
    order = {r: n for n, (r, size) in enumerate(sizes.most_common()) if size >= _SHARE * largest}
    return [order.get(r) if r is not None else None for r in roots]


def _root(ins: Ins, shared: set[int], root: object) -> int | None:
    assert callable(root)
    words = [word for word in (*ins.written, *ins.read) if word not in shared]
    return int(root(words[0])) if words else None
