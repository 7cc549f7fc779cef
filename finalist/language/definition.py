"""From a definition to a program: the methods of a Cipher are run once on symbolic words."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from types import CodeType
from typing import Any

from finalist.errors import DefinitionError, FinalistError, GraphError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node, operands, postorder
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, WordType
from finalist.language.cipher import Cipher
from finalist.language.control import Array
from finalist.language.tables import KeyedFunction
from finalist.language.trace import Trace, builder, current, tracing
from finalist.language.watch import Watcher
from finalist.language.word import Word, join

OPERATIONS = ("encrypt", "decrypt")


def trace(
    cipher: type[Cipher],
    operation: str,
    key_bits: int,
    watch: tuple[Watcher | None, Watcher | None] = (None, None),
) -> Program:
    """The program of ``operation`` (encrypt or decrypt) for keys of ``key_bits`` bits.

    ``watch``: what notes the names in the key schedule, and those in the operation. Raises DefinitionError,
    with the definition's line, where the definition misuses the language.
    """
    definition = cipher(key_bits)
    key = _key_layout(cipher, key_bits)
    with tracing(watch[0]) as expanding:
        params = _params(expanding.builder, key.packed(), "memory", "k")
        keys = _call(definition.expand_key, *_key_and_public(cipher, _as_words(params, key)))
        _check_keys(keys, definition.expand_key)
        if operation == "decrypt":
            keys = _call(definition.expand_decryption_key, keys)
            _check_keys(keys, definition.expand_decryption_key)
        store = _KeyStore(keys)
        expand = _graph(f"{cipher.own_name()}_expand_key", params, store.arrays(expanding.builder), expanding)
    with tracing(watch[1]) as working:
        words = _params(working.builder, cipher.block.packed(), "memory", "p")
        kind = "state" if cipher.stateful else "key"
        arrays = [working.builder.param(kind, t, name) for name, t in store.types.items()]
        keys = store.load(arrays)
        if watch[1] is not None:
            watch[1].keys = keys
        # Of a stream cipher the definition says the key stream; what is wrong with that is on its lines.
        method = getattr(definition, "key_stream" if cipher.stateful else operation)
        result = _call(getattr(definition, operation), _as_words(words, cipher.block), keys, at=method)
        results = _from_words(result, cipher.block, method)
        if cipher.stateful:
            results += _next_state(keys, definition.expand_key)
        kernel = _graph(f"{cipher.own_name()}_{operation}", (*words, *arrays), results, working)
        _check_keyed(kernel)
    block = cipher.block.packed()
    return Program(
        cipher.name(),
        operation,
        key_bits,
        block,
        key.packed(),
        expand,
        kernel,
        source=cipher.source,
    )


def _next_state(keys: Any, method: Callable[..., Any]) -> list[Node]:
    """What a step leaves in the arrays of the state."""
    leaves = [leaf for _, leaf in _leaves(keys)]
    if not all(isinstance(leaf, Array) for leaf in leaves):
        raise DefinitionError(
            "the state of a stream cipher is arrays and nothing else", _line_of_method(method)
        )
    return [leaf.state.node for leaf in leaves]


def _key_and_public(cipher: type[Cipher], given: list[Word]) -> list[list[Word]]:
    """The words of the key and, where the definition has such, those of what is public."""
    if cipher.public is None:
        return [given]
    return [given[: -cipher.public.count], given[-cipher.public.count :]]


def _key_layout(cipher: type[Cipher], key_bits: int) -> Layout:
    layout = cipher.key_words or cipher.block
    if key_bits % layout.width:
        what = f"{key_bits}-bit keys are no whole number of words of {layout.width} bits; declare key_words"
        raise DefinitionError(what, _line_of_method(cipher.expand_key))
    return Layout(key_bits // layout.width, layout.width, layout.order)


def _call(method: Callable[..., Any], *arguments: Any, at: Callable[..., Any] | None = None) -> Any:
    """What the method makes; errors name its line, or the line of the method ``at`` which it calls."""
    at = at or method
    try:
        watcher = current().watcher
        with nullcontext() if watcher is None else watcher.running():
            result = method(*arguments)
        current()  # a misuse noticed at the very end
    except GraphError as error:
        raise DefinitionError(str(error), _line_of(error, at)) from error
    except FinalistError:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        if isinstance(
            error, IndexError | ValueError
        ):  # most often of words that are more or fewer than thought
            told += f"; {at.__name__} is given {' and '.join(map(_counted, arguments))}"
        raise DefinitionError(told, _line_of(error, at)) from error
    return result


def _counted(given: Any) -> str:
    """What a method was given, as a reader of an error needs it."""
    if isinstance(given, list | tuple) and given and all(isinstance(part, Word) for part in given):
        widths = ", ".join(str(width) for width in dict.fromkeys(part.width for part in given))
        return f"{len(given)} word{'s' * (len(given) > 1)} of {widths} bits"
    if isinstance(given, dict):
        return f"a dict of {', '.join(map(str, given))}"
    return f"a {type(given).__name__} of {len(given)}" if isinstance(given, list | tuple) else repr(given)


def _code(method: Callable[..., Any]) -> CodeType | None:
    code: CodeType | None = getattr(inspect.unwrap(method), "__code__", None)
    return code


def _line_of_method(method: Callable[..., Any]) -> str:
    code = _code(method)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else ""


def _line_of(error: Exception, method: Callable[..., Any]) -> str:
    """Where an error arose: the innermost line in the file of the method, if it has any there."""
    code, line, step = _code(method), _line_of_method(method), error.__traceback__
    while step is not None:
        if code and step.tb_frame.f_code.co_filename == code.co_filename:
            line = f"{code.co_filename}:{step.tb_lineno}"
        step = step.tb_next
    return line


def _graph(name: str, params: Any, results: list[Node], traced: Trace) -> Graph:
    nodes = postorder(results)
    for node in nodes:
        if node.op is Op.PARAM and node not in params:
            user = next((n for n in nodes if node in operands(n)), node)
            raise DefinitionError(_STRAYS[node.attr], node.line or user.line)
    try:
        return Graph(name, params, results, tuple(traced.rounds))
    except GraphError as error:
        raise DefinitionError(str(error), traced.builder.line) from error


_ENDED = "a value made inside a loop() or when() is used outside of it; what it hands on must be in an Array"
_KEPT = "a word of the key schedule is used here; only what expand_key returns is handed on"
#: Why a parameter does not belong to the graph that needs it, by its kind.
_STRAYS = {
    "index": _ENDED,
    "carried": _ENDED,
    "memory": _KEPT,
    "key": _KEPT,
    "state": _KEPT,
    "argument": "the argument of a keyed function is used outside of it",
}


def _check_keyed(kernel: Graph) -> None:
    """Keyed functions must depend on nothing but the key."""
    for node in every_node(kernel):
        if node.op is Op.APPLY:
            needed = {n.attr for n in postorder(node.inputs[1:]) if n.op is Op.PARAM}
            if needed & {"memory", "index", "carried", "state"}:
                what = "this keyed function depends on the block or on a turn; accepted: on words of the key"
                raise DefinitionError(what, node.line)


def _params(make: Builder, layout: Layout, kind: str, letter: str) -> list[Node]:
    return [make.param(kind, WordType(layout.width), f"{letter}{i}") for i in range(layout.count)]


def _as_words(params: list[Node], layout: Layout) -> list[Word]:
    """The parameters in the definition's own layout: bytes where it works on bytes."""
    whole = [Word(node) for node in params]
    if layout.packed() == layout:
        return whole
    each = layout.width // 8
    bytes_ = [byte for word in whole for byte in word.bytes()]
    if layout.width == 8:
        return bytes_
    parts = [bytes_[n : n + each] for n in range(0, len(bytes_), each)]
    return [join(*part[:: 1 if layout.order is ByteOrder.LITTLE else -1]) for part in parts]


def _from_words(result: Any, layout: Layout, method: Callable[..., Any]) -> list[Node]:
    parts = list(result) if isinstance(result, list | tuple) else [result]
    widths = [part.width if isinstance(part, Word) else None for part in parts]
    if widths != [layout.width] * layout.count:
        wanted = f"{layout.count} words of {layout.width} bits"
        what = f"{method.__name__} returned {result!r}; accepted: {wanted}"
        raise DefinitionError(what, _line_of_method(method))
    packed = layout.packed()
    if packed == layout:
        return [part.node for part in parts]
    step = 1 if layout.order is ByteOrder.LITTLE else -1
    bytes_ = parts if layout.width == 8 else [byte for part in parts for byte in part.bytes()[::step]]
    each = packed.width // 8
    return [join(*bytes_[n : n + each]).node for n in range(0, len(bytes_), each)]


class _KeyStore:
    """The expanded key as arrays: what the key schedule returned, flattened and put back together.

    Words go, by the outermost place that they stand in and by width, into one array each.
    """

    def __init__(self, keys: Any) -> None:
        self.keys = keys
        self.words: dict[str, list[Node]] = {}
        self.given: dict[str, Node] = {}
        for name, leaf in _leaves(keys):
            self._place(name, leaf)
        self.types = {n: ArrayType(len(w), w[0].width) for n, w in self.words.items()}
        self.types |= {n: a.type for n, a in self.given.items() if isinstance(a.type, ArrayType)}

    def _place(self, name: str, leaf: Any) -> None:
        if isinstance(leaf, Array):
            self.given[f"{name}_a{len(self.given)}"] = leaf.state.node
            return
        for node in leaf.captures if isinstance(leaf, KeyedFunction) else (leaf.node,):
            self.words.setdefault(f"{name}{_suffix(node)}", []).append(node)

    def arrays(self, make: Builder) -> list[Node]:
        """The nodes that fill the arrays, in the order of ``types``."""
        return [make.array_of(nodes) for nodes in self.words.values()] + list(self.given.values())

    def load(self, arrays: list[Node]) -> Any:
        """The key schedule's result with every leaf read from the arrays."""
        by_name = dict(zip(self.types, arrays, strict=True))
        taken = dict.fromkeys(self.types, 0)
        given = iter(by_name[name] for name in self.given)

        def read(name: str, node: Node) -> Node:
            full = f"{name}{_suffix(node)}"
            place, taken[full] = taken[full], taken[full] + 1
            return _loads.make(Op.LOAD, (by_name[full], _loads.const(place, 32)))

        def leaf(name: str, old: Any) -> Any:
            if isinstance(old, Array):
                return Array.of(next(given))
            if isinstance(old, KeyedFunction):
                return KeyedFunction(old.region, tuple(read(name, node) for node in old.captures))
            return Word(read(name, old.node))

        _loads = builder()
        return _rebuild(self.keys, leaf)


def _suffix(node: Node) -> str:
    return "" if node.width == 32 else f"_{node.width}"


def _top(keys: Any) -> list[tuple[str, Any]]:
    """The outermost places: dict entries by key, tuple entries by number, else the whole."""
    if isinstance(keys, dict):
        return [(str(name), part) for name, part in keys.items()]
    if isinstance(keys, tuple):
        return [(f"key{place}", part) for place, part in enumerate(keys)]
    return [("key", keys)]


def _leaves(keys: Any) -> Iterator[tuple[str, Any]]:
    for name, part in _top(keys):
        for leaf in _flat(part):
            yield name, leaf


def _flat(part: Any) -> Iterator[Any]:
    if isinstance(part, list | tuple):
        for item in part:
            yield from _flat(item)
    elif isinstance(part, dict):
        for item in part.values():
            yield from _flat(item)
    else:
        yield part


def _check_keys(keys: Any, method: Callable[..., Any]) -> None:
    for _, leaf in _leaves(keys):
        if not isinstance(leaf, Word | KeyedFunction | Array):
            accepted = "words, keyed functions and arrays in lists, tuples and dicts"
            what = f"the key schedule returned {leaf!r}; accepted: {accepted}"
            raise DefinitionError(what, _line_of_method(method))


def _rebuild(keys: Any, leaf: Callable[[str, Any], Any]) -> Any:
    parts = [_rebuild_part(part, partial(leaf, name)) for name, part in _top(keys)]
    if isinstance(keys, dict):
        return dict(zip(keys, parts, strict=True))
    return _like(keys, parts) if isinstance(keys, tuple) else parts[0]


def _rebuild_part(part: Any, leaf: Callable[[Any], Any]) -> Any:
    if isinstance(part, list | tuple):
        return _like(part, [_rebuild_part(item, leaf) for item in part])
    if isinstance(part, dict):
        return {name: _rebuild_part(item, leaf) for name, item in part.items()}
    return leaf(part)


def _like(old: list[Any] | tuple[Any, ...], parts: list[Any]) -> Any:
    """The parts as a sequence of the same kind; a named tuple stays one."""
    make = getattr(old, "_make", type(old))
    return make(parts)
