"""Why a program fails its vectors: the definition, the machine, or an order of bytes.

The interpreter is asked first. Where it gives what is expected the machine's program is wrong; where it does
not, the definition is, or its vectors are: then the orders are tried in which keys and blocks are most often
misread, and the values on the way are compared with those that the vectors bring.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product

from finalist import api
from finalist.ciphers.catalogue import identity
from finalist.errors import FinalistError, VectorError
from finalist.ir.program import ByteOrder, Layout
from finalist.language.cipher import Cipher
from finalist.machines.base import CompiledProgram
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.compare import compare, parse
from finalist.vectors.intermediate import way
from finalist.vectors.load import KnownAnswer
from finalist.vectors.make import REFERENCE
from finalist.vectors.reorder import Order, orders

#: Vectors that orders are tried on: what is right for these by chance is not what was meant.
_TRIED = 6
#: What the interpreter settles.
DEFINITION_WRONG = f"the {REFERENCE} fails, too: the definition is wrong, or its vectors are"
PROGRAM_WRONG = f"the {REFERENCE} reproduces these vectors: this program is wrong, not the definition"
#: Orders of key, input and output.
_Orders = tuple[Order, Order, Order]


def held(cipher: type[Cipher], program: CompiledProgram, rows: Sequence[KnownAnswer]) -> int:
    """As `check_known_answers`; the VectorError says more of what may be wrong, on lines of its own."""
    try:
        return check_known_answers(program, rows)
    except VectorError as error:
        raise explained(cipher, program, rows, error) from error


def explained(
    cipher: type[Cipher], program: CompiledProgram, rows: Iterable[KnownAnswer], error: VectorError
) -> VectorError:
    """The error of a program that fails these vectors, with what can be said of it."""
    told = explain(cipher, program.operation, program.key_bits, rows)
    return VectorError("\n  ".join([str(error), *told]))


def explain(
    cipher: type[Cipher], operation: str, key_bits: int, rows: Iterable[KnownAnswer]
) -> tuple[str, ...]:
    """What can be said of a program that fails these vectors, in four lines at most; nothing where none has
    keys of this length."""
    return _explained(cipher, operation, key_bits, tuple(rows))  # type: ignore[arg-type]  # can be hashed


@lru_cache(maxsize=64)
def _explained(
    cipher: type[Cipher], operation: str, key_bits: int, rows: tuple[KnownAnswer, ...]
) -> tuple[str, ...]:
    own = [row for row in rows if len(row.key) * 8 == key_bits]
    try:
        return tuple(_told(cipher, operation, key_bits, own)) if own else ()
    except FinalistError as error:
        return (f"the {REFERENCE} can't be asked: {error}",)


def _told(cipher: type[Cipher], operation: str, key_bits: int, rows: list[KnownAnswer]) -> Iterator[str]:
    program = api.compile(cipher, REFERENCE, operation, key_bits, Schedule())
    given, wanted = _pairs(operation, rows)
    found = program.run_many([row.key for row in rows], given)
    wrong = [k for k, row in enumerate(rows) if found[k][row.offset :] != wanted[k]]
    if not wrong:
        yield PROGRAM_WRONG
        return
    which = f"{len(wrong)} of {len(rows)}" if len(wrong) < len(rows) else "all"
    yield f"{DEFINITION_WRONG} ({which} vectors with keys of {key_bits} bits)"
    if not any(row.offset for row in rows):
        yield from _right_orders(cipher, program, rows, wrong)
    yield from _first_difference(cipher, operation, [rows[k] for k in wrong])


def _pairs(operation: str, rows: Sequence[KnownAnswer]) -> tuple[list[bytes], list[bytes]]:
    """What goes in, after what only uses a stream up, and what should come out."""
    encrypting = operation == "encrypt"
    given = [bytes(r.offset) + (r.plaintext if encrypting else r.ciphertext) for r in rows]
    return given, [r.ciphertext if encrypting else r.plaintext for r in rows]


# -- orders of bytes -----------------------------------------------------------------------------------


def _right_orders(
    cipher: type[Cipher], program: CompiledProgram, rows: list[KnownAnswer], wrong: list[int]
) -> Iterator[str]:
    """By which orders of key, input and output the vectors would be right, if there are any."""
    some = [rows[k] for k in wrong[:_TRIED]]
    given, wanted = _pairs(program.operation, some)
    key_orders = list(orders(len(some[0].key)))
    in_orders = list(orders(len(given[0]))) if not cipher.stateful else [next(orders(1))]
    tried = [(row, k, i) for row in range(len(some)) for k in key_orders for i in in_orders]
    keys = [k.apply(some[row].key) for row, k, _ in tried]
    done = program.run_many(keys, [i.apply(given[row]) for row, _, i in tried])
    outputs = {(row, k.name, i.name): out for (row, k, i), out in zip(tried, done, strict=True)}
    fitting = [
        one
        for one in product(key_orders, in_orders, in_orders)
        if all(one[2].apply(outputs[r, one[0].name, one[1].name]) == wanted[r] for r in range(len(some)))
    ]
    if fitting:
        best = min(fitting, key=lambda one: (*_simplicity(one), not _layout_hint(cipher, one)))
        yield f"right with {_in_words(best, program.operation)}{_layout_hint(cipher, best)}"


def _simplicity(one: _Orders) -> tuple[int, int]:
    """Few different orders, and few that change anything, come first; then what a declaration can say."""
    names = [order.name for order in one]
    return len(set(names) - {""}), sum(map(bool, names))


def _in_words(one: _Orders, operation: str) -> str:
    """``the bytes of key reversed``, ``the words of 32 bits of plaintext and ciphertext reversed``."""
    blocks = ("plaintext", "ciphertext")[:: 1 if operation == "encrypt" else -1]
    parts: dict[str, list[str]] = {}
    for what, order in zip(("key", *blocks), one, strict=True):
        if order.name:
            parts.setdefault(order.name, []).append(what)
    told = []
    for name, whats in parts.items():
        unit, _, within = name.partition(" reversed")
        of = whats[0] if len(whats) == 1 else f"{', '.join(whats[:-1])} and {whats[-1]}"
        told.append(f"the {unit} of {of} reversed{within}")
    return ", and ".join(told)


def _layout_hint(cipher: type[Cipher], one: _Orders) -> str:
    """What the definition would say instead, where it is the order of bytes in its words."""
    key, first, last = (order.within for order in one)
    block, keys = cipher.block, cipher.key_words or cipher.block
    if first != last:
        return ""
    wrong = [
        (name, layout)
        for name, layout, within in (("block", block, first), ("key_words", keys, key))
        if layout.width > 8 and within == layout.width // 8
    ]
    same_key = cipher.key_words is None and key == first
    if [name for name, _ in wrong] == ["block", "key_words"] and (same_key or cipher.key_words):
        wrong = wrong[: 1 if same_key else 2]
    elif (key > 1 and not wrong) or (first > 1 and all(name != "block" for name, _ in wrong)):
        return ""
    return f": {' and '.join(_declared(name, layout) for name, layout in wrong)}" if wrong else ""


def _declared(name: str, layout: Layout) -> str:
    other = "LITTLE" if layout.order is ByteOrder.BIG else "BIG"
    return f"{name} = words({layout.count}, u{layout.width}, {other})"


# -- values on the way ---------------------------------------------------------------------------------


def _first_difference(cipher: type[Cipher], operation: str, rows: Sequence[KnownAnswer]) -> Iterator[str]:
    """The first value that differs from known ones; else how to see them all."""
    for row in rows:
        known = parse(row.intermediate, cipher.intermediate) if row.intermediate else []
        if known and operation == "encrypt":
            (found,) = way(cipher, operation, row.key, row.plaintext)
            compared = compare(found, known)
            if compared.difference is not None:
                yield f"first of the known values that differs: {compared.difference.short()}"
                return
    first = rows[0]
    block = first.plaintext if operation == "encrypt" else first.ciphertext
    if not first.offset and len(block) <= 64:
        source = cipher.source or identity(cipher)
        back = "" if operation == "encrypt" else f" --operation {operation}"
        yield f"all values: finalist trace {source} --key {first.key.hex()} --block {block.hex()}{back}"
