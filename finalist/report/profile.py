"""A cipher's profile: its operations, tables, critical path and keys, as it is written and as compiled."""

from __future__ import annotations

from dataclasses import dataclass

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.tracing import traced
from finalist.passes import simplify
from finalist.passes.inversions import Inversion, of_table
from finalist.passes.pipeline import default_fuse, lower
from finalist.passes.timing import timing
from finalist.report.counts import Counts, Operations, Rounds, by_round, counted, number
from finalist.report.kinds import LOOKUPS, Kind
from finalist.report.path import critical_path

WRITTEN, COMPILED, NARROW = "as written", "compiled", "fuse=32"
#: Bits of the entries of tables that linear maps are fused into in `NARROW`.
_FUSE = 32
#: The key lengths that the AES contest asked for: of ciphers with a range of lengths these are listed.
CONTEST_KEY_BITS = (128, 192, 256)


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a program. ``path`` is the critical path; ``path_by_trees`` with chains as trees."""

    name: str
    kernel: Graph
    counts: Counts
    rounds: tuple[Rounds, ...]
    outside: Operations
    path: int
    path_by_trees: int
    timing: str
    #: The key schedule (not counted for `NARROW`), and the bytes of the expanded key.
    key_schedule: Counts | None
    key_bytes: int

    @property
    def round_numbers(self) -> str:
        """How many rounds there are, group by group."""
        marked = [group.count for group in self.rounds]
        if marked:
            marked[-1] += self._unmarked()
        return " + ".join(map(str, marked))

    def _unmarked(self) -> int:
        """Rounds outside of the marked ones: a last one that leaves something out is often written apart.

        They are known by their lookups, as many as those of a marked round.
        """
        each = {number(operations, LOOKUPS) for _, operations in self.rounds[-1].sorts}
        outside = number(self.outside, LOOKUPS)
        return outside // each.pop() if outside and len(each) == 1 and each != {0} else 0

    @property
    def table_bytes(self) -> int:
        """Bytes of the tables that no key makes."""
        return sum(table.bytes for table in self.counts.tables if table.kind is Kind.LOOKUP)

    @property
    def key_table_bytes(self) -> int:
        """Bytes of the tables that the key schedule makes; they are part of the expanded key."""
        return sum(table.bytes for table in self.counts.tables if table.kind is Kind.KEYED_LOOKUP)


@dataclass(frozen=True, slots=True)
class Profile:
    """Both operations of a cipher, for keys of ``key_bits`` bits, each in its forms."""

    cipher: type[Cipher]
    key_bits: int
    forms: dict[str, tuple[Form, ...]]
    #: Encryption as it is written, for each key length where these are listed one by one.
    by_length: dict[int, Form]
    #: Tables, by name, that are inversion in GF(2^8) between affine maps.
    inversions: dict[str, Inversion]

    def form(self, name: str, operation: str = OPERATIONS[0]) -> Form:
        """The form of this name."""
        return next(form for form in self.forms[operation] if form.name == name)

    @property
    def rounds(self) -> str:
        """How many rounds there are, group by group."""
        return self.form(WRITTEN).round_numbers


def profile(cipher: type[Cipher], key_bits: int) -> Profile:
    """The profile of a cipher. Raises DefinitionError where the definition misuses the language."""
    found = {operation: forms(cipher, operation, key_bits) for operation in OPERATIONS}
    known = {key_bits: found[OPERATIONS[0]][0]}
    several = isinstance(cipher.key_bits, tuple)
    lengths = [*cipher.key_bits] if several else [n for n in CONTEST_KEY_BITS if n in cipher.key_bits]
    by_length = {n: known.get(n) or written(cipher, OPERATIONS[0], n) for n in lengths}
    return Profile(cipher, key_bits, found, by_length, _inversions(cipher, key_bits))


def _inversions(cipher: type[Cipher], key_bits: int) -> dict[str, Inversion]:
    """The tables of a definition, of both directions, that are inversions."""
    programs = (traced(cipher, operation, key_bits) for operation in OPERATIONS)
    graphs = (graph for program in programs for graph in (program.expand, program.kernel))
    lookups = (node for graph in graphs for node in every_node(graph) if node.op is Op.LOOKUP)
    tables = dict.fromkeys(node.attr for node in lookups)
    hows = {table.name: of_table(table) for table in tables}
    return {name: how for name, how in hows.items() if how}


def forms(cipher: type[Cipher], operation: str, key_bits: int) -> tuple[Form, ...]:
    """One operation as it is written and as compiled; encryption with narrow tables too, if that differs."""
    program = traced(cipher, operation, key_bits)
    found = [_form(WRITTEN, simplify.run(program)), _form(COMPILED, lower(program, _fuse(program)))]
    if operation == OPERATIONS[0] and _fuse(program) != _FUSE:
        narrow = _form(NARROW, lower(_with_known_key(program), _FUSE), whole=False)
        found += [narrow] if narrow.counts.operations != found[-1].counts.operations else []
    return tuple(found)


def _fuse(program: Program) -> int:
    return default_fuse(program) or _FUSE


def written(cipher: type[Cipher], operation: str, key_bits: int) -> Form:
    """One operation as it is written."""
    return _form(WRITTEN, simplify.run(traced(cipher, operation, key_bits)))


def lowered(cipher: type[Cipher], operation: str, key_bits: int) -> Form:
    """One operation as compiled."""
    program = traced(cipher, operation, key_bits)
    return _form(COMPILED, lower(program, _fuse(program)))


def _form(name: str, program: Program, *, whole: bool = True) -> Form:
    """A program measured; without its key schedule where the program is not ``whole``."""
    groups, outside = by_round(program.kernel)
    return Form(
        name,
        program.kernel,
        counted(program.kernel),
        groups,
        outside,
        critical_path(program.kernel),
        critical_path(program.kernel, trees=True),
        timing(program).label,
        counted(program.expand) if whole else None,
        program.expanded_bytes,
    )


def _with_known_key(program: Program) -> Program:
    """The same kernel under a key schedule without work; passes take most of their time for that."""
    make = Builder()
    arrays = [make.array([0] * type_.length, type_.width) for type_ in program.key_types]
    return program.with_graphs(Graph(program.expand.name, program.expand.params, arrays), program.kernel)
