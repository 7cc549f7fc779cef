"""Bare graphs as C: many in one file, one executable, values in by stdin and out by stdout.

An executable rather than a library, so that the undefined behaviour sanitizer can be linked into it and
abort it. Each graph is a function of its own, numbered by `#line`, so that what the compiler or the
sanitizer has to say names the graph.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_node, postorder
from finalist.ir.ops import Op
from finalist.ir.printer import format_graph
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.rewrite import Rewriter, rewrite, substitute
from finalist.ir.types import ArrayType, WordType, storage_bits
from finalist.ir.verify import verify
from finalist.machines.native import layouts
from finalist.machines.native import shape as shapes
from finalist.machines.native.secrets import at_secret_places
from finalist.machines.native.text import prelude, pruning
from finalist.machines.native.text import tables as table_texts
from finalist.machines.native.text.body import Body
from finalist.machines.native.text.dialect import Scalar
from finalist.machines.native.vectors import inversions, logic, transpositions
from finalist.machines.native.vectors.inversions import map_table
from finalist.passes import keying, linear
from finalist.passes.analysis import KeyOnly
from finalist.passes.circuits.lower import with_circuits
from finalist.passes.inversions import of_table
from finalist.passes.lanes import maps
from finalist.passes.simplify import simplified, simplify
from finalist.toolchain import compiler
from tests.graphs import LANE_OPS, LOWERED, Choices, Generator, Seeded, Shape, inputs_for

#: Random graphs compare what can't differ and carry what nobody takes; compilers warn of both.
_NATURAL = ("-Wno-type-limits", "-Wno-tautological-compare", "-Wno-unused-but-set-variable")
FLAGS = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", *_NATURAL)
SANITIZE = ("-fsanitize=undefined", "-fno-sanitize-recover=all")
Values = list[np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Form:
    """How the graphs of one file are written: ``copies`` side by side, each of ``lanes`` lanes.

    With ``scan`` tables and arrays are gone through where a place is secret.
    """

    copies: int = 1
    lanes: int = 1
    lane_bits: int = 32
    scan: bool = False

    @property
    def by_permute(self) -> bool:
        """Whether tables are read by permutes."""
        return self.lane_bits in (8, 64)

    @property
    def blocks(self) -> int:
        """Blocks that one call works on."""
        return self.copies * self.lanes

    @property
    def dialect(self) -> Scalar:
        """Scalar C or vectors."""
        if self.lanes == 1:
            return Scalar()
        shape = shapes.Shape(self.copies, self.lanes, self.lane_bits)
        return layouts.dialect(shape, "permute" if self.by_permute else None)


SCALAR = Form()


class Failure(AssertionError):
    """A graph whose C does not do what the interpreter does; ``case`` is its number."""

    def __init__(self, case: int, what: str) -> None:
        super().__init__(what)
        self.case = case


# -- graphs that a back end can take ----------------------------------------------------------------


def lowered(graph: Graph) -> Graph:
    """The graph through the passes that leave no `apply`, `linear` or `bool`."""
    layout = Layout(1, 8, ByteOrder.LITTLE)
    program = Program("g", "encrypt", 8, layout, layout, Graph("none", (), ()), graph)
    inlined = keying.before_fusing(program, "zero").kernel
    result = with_circuits(linear.lowered(inlined))
    verify(result)
    return result


def on_bytes(graph: Graph) -> Graph:
    """The graph as lanes of bytes have it: its linear maps shared, those of the key alone lowered."""
    key_only = KeyOnly()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.LINEAR or not all(map(key_only, inputs)):
            return None
        return linear.total(rewriter.builder, node.attr, inputs, node.width)

    return rewrite(maps.shared(simplified(graph)), Builder(simplify), visit)


def on_words(graph: Graph) -> Graph:
    """The graph as lanes of 16 bits have it."""
    return simplified(graph)


def side_by_side(graph: Graph) -> bool:
    """Whether several blocks can go through it together: no arrays of its own, and bounds they share."""
    shared = KeyOnly("key", "index")
    regions: list[Region] = [graph]
    while regions:
        for node in regions.pop().body:
            if node.op in (Op.ARRAY, Op.STORE, Op.WHEN):
                return False
            if node.op is Op.LOOP and not all(shared(bound) for bound in node.inputs[:2]):
                return False
            if isinstance(node.attr, Region):
                regions.append(node.attr)
    return True


# -- C --------------------------------------------------------------------------------------------


def source(graphs: Sequence[Graph], calls: Sequence[int], form: Form = SCALAR) -> str:
    """The whole file: every graph, and a main that feeds each of them so many times."""
    functions = [_function(number, graph, form) for number, graph in enumerate(graphs)]
    text = prelude.text(form.lanes, form.lane_bits, "".join(functions))
    text += logic.needed(form.lanes * form.lane_bits, "".join(functions))
    maps = {matrices[0]: name for graph in graphs for matrices, name in _transpositions(graph).items()}
    text += transpositions.text(maps, "".join(functions), form.lanes * form.lane_bits // 8)
    parts = [text, prelude.for_tables("".join(functions)), *functions]
    parts.append('#line 1 "main"\nint main(void)\n{\n    static uint64_t in[4096], out[4096];')
    for number, (graph, count) in enumerate(zip(graphs, calls, strict=True)):
        reads, writes = _entries(graph.params, form), _entries(graph.results, form, key_once=False)
        parts.append(
            f"    for (int k = 0; k < {count}; k++) {{\n"
            f"        if (fread(in, 8, {reads}, stdin) != {reads}) return 2;\n"
            f"        g{number}(in, out);\n"
            f"        fwrite(out, 8, {writes}, stdout);\n"
            "    }"
        )
    found = pruning.used("\n".join([*parts, "    return 0;\n}\n"]), ())
    return f"#include <stdio.h>\n{found.headers}{found.text}"


def _entries(nodes: Sequence[Node], form: Form, key_once: bool = True) -> int:
    """How many numbers of 64 bits the values take in a call."""
    return sum(_size(node, form, key_once) for node in nodes)


def _size(node: Node, form: Form, key_once: bool) -> int:
    if isinstance(node.type, ArrayType):
        return node.length
    return 1 if key_once and node.attr == "key" else form.blocks


def _function(number: int, graph: Graph, form: Form) -> str:
    tables: dict[object, str] = {}
    texts = []
    for place, table in enumerate(table_texts.tables_of(graph)):
        tables[table] = f"g{number}_T{place}"
        lookup = "permute" if form.by_permute else None
        texts.append(table_texts.table_as_read(tables[table], table, lookup, form.lane_bits))
        inversion = of_table(table) if lookup and form.lane_bits == 8 else None
        if inversion:
            name = tables[table] + inversions.SUFFIX
            texts.append(table_texts.table_text(name, inversions.inversion_table(inversion, name)))
    tables |= _transpositions(graph)
    for node in every_node(graph):
        if node.op is Op.LINEAR and node.attr not in tables:
            tables[node.attr] = f"g{number}_M{len(tables)}"
            texts.append(table_texts.table_text(tables[node.attr], map_table(node.attr[0], "M")))
    scanned = at_secret_places(graph) if form.scan else frozenset()
    body = Body(form.dialect, form.copies, KeyOnly("key", "index"), tables, scanned=scanned)
    lines = _inputs(body, graph, form)
    body.region(graph, graph.rounds)
    lines += body.lines + _outputs(body, graph, form)
    text = "\n".join(f"    {line.strip()}" if line.strip() else "" for line in lines)
    head = f'#line 1 "g{number}"\nstatic void g{number}(const uint64_t *in, uint64_t *out)'
    return f"{''.join(texts)}{head}\n{{\n    (void)in;\n{text}\n}}\n"


def _transpositions(graph: Graph) -> dict[Any, str]:
    """The linear maps that transpose bits, as functions of all graphs of a file."""
    found = dict.fromkeys(n.attr for n in every_node(graph) if transpositions.is_transposition(n))
    return {matrices: f"transposed_{hash(matrices) & (1 << 64) - 1:x}" for matrices in found}


def _inputs(body: Body, graph: Graph, form: Form) -> list[str]:
    lines, place = [], 0
    for param in graph.params:
        if isinstance(param.type, ArrayType):
            lines += _array_in(param, place)
            body.arrays[param, 0] = param.name
            body.constant_arrays.add(param)
        elif param.attr == "key":
            body.define(param, 0, param.name)
            kind = body.scalar.type(param.width)
            lines.append(f"const {kind} {param.name} = ({kind})in[{place}]; (void){param.name};")
        else:
            for copy in range(form.copies):
                name = f"{param.name}_{copy}" if form.copies > 1 else param.name
                body.define(param, copy, name)
                lines += _word_in(name, param.width, place + copy * form.lanes, form)
        place += _size(param, form, key_once=True)
    return lines


def _array_in(param: Node, place: int) -> list[str]:
    """An array that the function may read only, as a kernel may its key."""
    kind = f"uint{storage_bits(param.width)}_t"
    hidden = f"{param.name}_in"
    return [
        f"{kind} {hidden}[{param.length}];",
        f"for (int j = 0; j < {param.length}; j++) {hidden}[j] = ({kind})in[{place} + j];",
        f"const {kind} *const {param.name} = {hidden}; (void){param.name};",
    ]


def _word_in(name: str, width: int, place: int, form: Form) -> list[str]:
    kind = form.dialect.type(width)
    if form.lanes == 1:
        return [f"const {kind} {name} = ({kind})in[{place}]; (void){name};"]
    fill = f"for (int j = 0; j < {form.lanes}; j++) {name}[j] = (uint{form.lane_bits}_t)in[{place} + j];"
    return [f"vec {name}; {fill} (void){name};"]


def _outputs(body: Body, graph: Graph, form: Form) -> list[str]:
    lines, place = [], 0
    for number, result in enumerate(graph.results):
        if isinstance(result.type, ArrayType):
            name = body.array(result, 0)
            lines.append(f"for (int j = 0; j < {result.length}; j++) out[{place} + j] = {name}[j];")
        else:
            for copy in range(form.copies):
                value, target = body.text(result, copy), place + copy * form.lanes
                if form.lanes == 1:
                    lines.append(f"out[{target}] = {value.code};")
                    continue
                if body.shared(result) or result.op is Op.CONST:
                    value = body.dialect.spread(value)
                name = f"last{number}_{copy}"
                lines.append(f"const vec {name} = {value.code};")
                lines.append(f"for (int j = 0; j < {form.lanes}; j++) out[{target} + j] = {name}[j];")
        place += _size(result, form, key_once=False)
    return lines


# -- running it -----------------------------------------------------------------------------------


def compiled(text: str, folder: Path, flags: Sequence[str]) -> Path:
    """The executable. Raises Failure with what the compiler said."""
    file, program = folder / "graphs.c", folder / "graphs"
    file.write_text(text)
    command = [*compiler.command(), *flags, "-o", str(program), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(_named(done.stderr), done.stderr[:3000])
    return program


def _named(text: str) -> int:
    """The number of the first graph that a message names."""
    found = re.search(r"\bg(\d+):\d+", text) or re.search(r"\bg(\d+)\b", text)
    return int(found[1]) if found else -1


def packed(graph: Graph, values: Values, form: Form) -> np.ndarray[Any, Any]:
    """The inputs as the executable reads them: call by call, parameter by parameter, block by block."""
    rows = len(values[0])
    calls = []
    for first in range(0, rows, form.blocks):
        for param, value in zip(graph.params, values, strict=True):
            one = isinstance(param.type, ArrayType) or param.attr == "key"
            calls.append(value[first : first + (1 if one else form.blocks)].astype("u8").ravel())
    return np.concatenate(calls)


def unpacked(graph: Graph, flat: np.ndarray[Any, Any], form: Form) -> Values:
    """The outputs, for each result a row a block."""
    size = _entries(graph.results, form, key_once=False)
    calls = flat.reshape(-1, size)
    values, place = [], 0
    for result in graph.results:
        taken = _size(result, form, key_once=False)
        part = calls[:, place : place + taken]
        values.append(part if isinstance(result.type, ArrayType) else part.reshape(-1))
        place += taken
    return values


def compare(
    graphs: Sequence[Graph], data: Sequence[Values], folder: Path, form: Form = SCALAR, flags=FLAGS
) -> None:
    """Run the graphs as C under the sanitizer. Raises Failure for the first that differs."""
    calls = [len(values[0]) // form.blocks for values in data]
    text = source(graphs, calls, form)
    program = compiled(text, folder, [*flags, *SANITIZE])
    stdin = np.concatenate([packed(g, v, form) for g, v in zip(graphs, data, strict=True)]).tobytes()
    done = subprocess.run([program], input=stdin, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        raise Failure(_named(said), said[:3000] or f"exit code {done.returncode}")
    flat, place = np.frombuffer(done.stdout, "u8"), 0
    for number, (graph, values, count) in enumerate(zip(graphs, data, calls, strict=True)):
        size = _entries(graph.results, form, key_once=False) * count
        found = unpacked(graph, flat[place : place + size], form)
        place += size
        _same(number, graph, values, found)


def _same(number: int, graph: Graph, values: Values, found: Values) -> None:
    rows = len(values[0])
    for result, got, want in zip(graph.results, found, interpreter.run(graph, values), strict=True):
        axes = 1 if isinstance(result.type, ArrayType) else 0
        expected = np.broadcast_to(want, (rows, *want.shape[want.ndim - axes :])).astype("u8")
        if not np.array_equal(got, expected):
            raise Failure(number, f"{result!r}: C gives {got.tolist()}, the interpreter {expected.tolist()}")


# -- random graphs by the hundred -------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A kind of random graph, and how it is written as C."""

    name: str
    shape: Shape
    form: Form = SCALAR
    prepare: Callable[[Graph], Graph] = lambda graph: graph
    flags: tuple[str, ...] = FLAGS


#: Graphs as they are may hold what a compiler warns of (comparing a word with itself, say).
QUIET = (*FLAGS[:2], "-w")
RAW = Kind("raw", LOWERED, flags=QUIET)
PREPARED = Kind("prepared", Shape(), prepare=lowered)
PAIRS = Kind("pairs", LOWERED.without(Op.ARRAY, Op.STORE, Op.WHEN), Form(copies=2), lowered)
SCANS = Kind("scans", LOWERED, Form(scan=True), flags=QUIET)
LANES_32 = Kind("lanes of 32", Shape(LANE_OPS, (32,), lanes=True), Form(1, 4, 32), lowered)
#: All that lanes of bytes have, but for tables of the key, on words that fill them and on others.
BYTES = Shape(
    LANE_OPS | {Op.EQ, Op.LT, Op.SELECT, Op.SLICE, Op.JOIN, Op.EXTEND, Op.LOOKUP, Op.LINEAR},
    (8, 1, 4, 5, 7, 2, 6, 3),
    fixed_amounts=True,
)
LANES_8 = Kind("lanes of 8", BYTES, Form(1, 16, 8), on_bytes)
LANES_16 = Kind(
    "lanes of 16",
    Shape(BYTES.ops - {Op.LOOKUP, Op.LINEAR}, (16, 9, 15, 1, 8, 2), fixed_amounts=True),
    Form(2, 8, 16),
    on_words,
)
LANES_64 = Kind("lanes of 64", Shape(LANE_OPS, (64,), lanes=True), Form(2, 4, 64), lowered)
#: Words that fill lanes of 64 bits and others; sums of comparisons, and products and joins of halves.
LONG_LANES = Kind(
    "long lanes",
    Shape(BYTES.ops - {Op.LOOKUP, Op.LINEAR}, (64, 32, 1, 63, 5, 40, 33), fixed_amounts=True),
    Form(1, 4, 64),
    on_words,
    (*FLAGS, "-march=native"),
)
KINDS = (RAW, PREPARED, PAIRS, SCANS, LANES_32, LANES_64, LONG_LANES, LANES_8, LANES_16)
ROWS = 8


def values_for(kind: Kind, graph: Graph, seed: int | str) -> Values:
    """Inputs; what is of the key is the same for all blocks of a call."""
    rows = max(ROWS, kind.form.blocks)
    values = inputs_for(graph, rows, seed)
    if kind.form.blocks == 1:
        return values
    shared = [isinstance(p.type, ArrayType) or p.attr == "key" for p in graph.params]
    return [np.repeat(v[:1], rows, axis=0) if s else v for v, s in zip(values, shared, strict=True)]


def made(kind: Kind, choices: Choices) -> Graph | None:
    """The graph of these choices; None where it does not have this kind's form."""
    graph = kind.prepare(Generator(choices, kind.shape).graph())
    return graph if kind.form.blocks == 1 or side_by_side(graph) else None


def fuzz(kind: Kind, seeds: Sequence[str], folder: Path) -> int:
    """Compare the graphs of all seeds, batch by batch; how many. A failure is shrunk first."""
    done = 0
    for start in range(0, len(seeds), 40):
        batch = {seed: graph for seed in seeds[start : start + 40] if (graph := made(kind, Seeded(seed)))}
        names = list(batch)
        data = [values_for(kind, batch[seed], seed) for seed in names]
        try:
            compare(list(batch.values()), data, folder, kind.form, kind.flags)
        except Failure as failure:
            if failure.case < 0:
                raise
            seed = names[failure.case]
            what = shrunk(kind, batch[seed], data[failure.case], folder)
            raise Failure(failure.case, f"{kind.name}, seed {seed!r}: {what}") from failure
        done += len(batch)
    return done


def shrunk(kind: Kind, graph: Graph, values: Values, folder: Path, attempts: int = 80) -> str:
    """The smallest graph found that still fails, with its C and what is wrong with it."""
    said = _failing(kind, graph, values, folder) or "fails among others, but not alone"
    found = True
    while found:
        found = False
        for smaller, data in _smaller(graph, values):
            attempts -= 1
            text = _failing(kind, smaller, data, folder) if attempts > 0 else ""
            if text:
                graph, values, said, found = smaller, data, text, True
                break
    return said


def _failing(kind: Kind, graph: Graph, values: Values, folder: Path) -> str:
    if kind.form.blocks > 1 and not side_by_side(graph):
        return ""
    try:
        compare([graph], [values], folder, kind.form, kind.flags)
    except Failure as failure:
        return f"{failure}\n{format_graph(graph)}\n{_function(0, graph, kind.form)}"
    return ""


def _smaller(graph: Graph, values: Values) -> Iterator[tuple[Graph, Values]]:
    """The graph with one of its results only, then with one of its words given instead of computed."""
    if len(graph.results) > 1:
        for result in graph.results:
            yield Graph(graph.name, graph.params, [result]), values
        return
    for node in reversed(graph.body):
        if isinstance(node.type, WordType) and node not in graph.results:
            yield _given(graph, values, node)


def _given(graph: Graph, values: Values, node: Node) -> tuple[Graph, Values]:
    make = Builder()
    param = make.param("memory", node.type, f"given{node.serial}")
    results = substitute(graph.results, {node: param}, make)
    (value,) = interpreter.run(Graph("value", graph.params, [node]), values)
    given = dict(zip(graph.params, values, strict=True)) | {param: np.broadcast_to(value, len(values[0]))}
    needed = set(postorder(results))
    params = [p for p in given if p in needed] or [param]
    return Graph(graph.name, params, results), [given[p] for p in params]
