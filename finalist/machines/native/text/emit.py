"""The C file of a program: header, prelude, tables, key schedule, kernel, driver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from finalist.ir.graph import Graph, Region, every_node, origin
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.base import MODES
from finalist.machines.native import layouts
from finalist.machines.native.secrets import scanned_in_kernel, scanned_in_key_schedule
from finalist.machines.native.shape import Shape
from finalist.machines.native.slices import bits, byteslice, masks
from finalist.machines.native.text import (
    block_arrays,
    drivers,
    feedback,
    key_structure,
    long_messages,
    modes,
    prelude,
    pruning,
)
from finalist.machines.native.text import head as heads
from finalist.machines.native.text.blocks import (
    LOW_BYTES,
    Chained,
    Direct,
    load_words,
)
from finalist.machines.native.text.body import Body
from finalist.machines.native.text.dialect import Scalar
from finalist.machines.native.text.head import pragmas
from finalist.machines.native.text.kernel_modes import (
    INLINED,
    LOADS,
    PARAMETERS,
    REST,
    STORES,
    STREAM,
    copied,
    with_helpers,
)
from finalist.machines.native.text.kernels import Kernels
from finalist.machines.native.text.key_structure import KeyStructure
from finalist.machines.native.text.modes import check_modes, functions_of, segment_bytes
from finalist.machines.native.text.names import c_name, field_names
from finalist.machines.native.text.tables import Tables, reach
from finalist.machines.native.vectors import word_permutes
from finalist.machines.native.vectors.narrow import NarrowVector
from finalist.machines.native.vectors.spread import spread_key
from finalist.machines.native.whole_blocks import grouped, registers
from finalist.names import unused
from finalist.passes.analysis import KeyOnly
from finalist.passes.timing import CONSTANT, Timing
from finalist.schedule import Schedule


def emit(
    program: Program, shape: Shape, schedule: Schedule, timing: Timing, modes: Sequence[str] = MODES[:1]
) -> str:
    """The C text; functions are named after the cipher: NAME_expand_key and one for each mode.

    ecb: NAME_encrypt or NAME_decrypt; ctr: NAME_ctr; cbc: NAME_cbc_encrypt or NAME_cbc_decrypt.
    Raises UnknownNameError or ScheduleError for a mode that there is not, or not for this program.
    """
    return _File(program, shape, schedule, timing, tuple(modes)).text()


def emit_part(
    program: Program,
    shape: Shape,
    schedule: Schedule,
    timing: Timing,
    modes: Sequence[str],
    keys: Sequence[Program],
    *,
    shared: Sequence[str] = (),
    inlined: bool = False,
) -> str:
    """The same code as part of a larger C file: all is static, and no comment is at its head.

    ``keys``: programs with the same kernel, each for a key length of its own; the key set-up of each is
    NAME_expand_key_BITS. ``shared``: modes that call the kernel of ECB, with counters and chains in memory;
    ``inlined``: which the compiler makes part of each. Raises as `emit`.
    """
    made = _File(program, shape, schedule, timing, tuple(modes), tuple(keys), shared=shared, inlined=inlined)
    return made.code()


def key_struct_bytes(program: Program, shape: Shape, schedule: Schedule) -> int:
    """Bytes of the expanded key, NAME_key in the text."""
    return _File(program, shape, schedule, Timing(CONSTANT, CONSTANT, ("", ""))).structure.bytes()


def key_fields(program: Program, shape: Shape, schedule: Schedule) -> list[tuple[int, str, int]]:
    """The arrays of the expanded key in the text: bits of an entry, name, length."""
    return _File(program, shape, schedule, Timing(CONSTANT, CONSTANT, ("", ""))).structure.fields()


class _File:
    """The text of one kernel. ``keys``: as `emit_part` has them; None for a file that stands by itself."""

    def __init__(
        self,
        program: Program,
        shape: Shape,
        schedule: Schedule,
        timing: Timing,
        modes: tuple[str, ...] = MODES[:1],
        keys: tuple[Program, ...] | None = None,
        *,
        shared: Sequence[str] = (),
        inlined: bool = False,
    ) -> None:
        self.program = program
        self.keys = keys
        self.shared = shared
        self.linkage = "" if keys is None else "static "
        self.kernel_linkage = INLINED if inlined else "static inline"
        self.shape = shape
        self.schedule = schedule
        self.timing = timing
        self.modes = modes
        check_modes(modes, program, shape)
        self.name = c_name(program.cipher)
        expansions = [p.expand for p in ((program,) if keys is None else keys)]
        self.tables = Tables(expansions, program.kernel, shape, schedule.lookup)
        self.functions: dict[Region, str] = {}
        self.fields = field_names(program.key_names)
        self.structure = KeyStructure(program, shape, schedule, tuple(self.fields))
        self.block_bytes = program.block.bytes // shape.planes

    def text(self) -> str:
        """A file that stands by itself: what callers have to know, then the code."""
        code = self._code()
        found, declared = pruning.used(code, ()), heads.prototypes(code)
        needed = layouts.needed_macros(self.program, self.shape)
        head = heads.head(
            self.program,
            self.shape,
            self.schedule,
            self.timing,
            self.modes,
            declared,
            heads.options(self.shape, needed, found.text),
            key_bytes=self.structure.bytes(),
            affine="__GFNI__" in found.text,
        )
        interface = "\n".join([self._key_type(), *declared, ""])
        pieces = [head, pragmas(self.shape, self.schedule), found.headers, interface, found.text]
        return "\n".join(pieces).rstrip() + "\n"

    def code(self) -> str:
        """What is part of a larger file: no comment at its head, all is static."""
        named = (functions_of(mode, self.program.operation, self.shape.blocks) for mode in self.modes)
        modes = (f"{self.name}_{function}" for functions in named for function in functions)
        keys = (f"{self.name}_expand_key_{p.key_bits}" for p in self.keys or ())
        found = pruning.used(f"{self._key_type()}\n{self._code()}", {f"{self.name}_key", *modes, *keys})
        pieces = [pragmas(self.shape, self.schedule), found.headers, found.text]
        return "\n".join(pieces).rstrip() + "\n"

    def _code(self) -> str:
        """Helpers, used or not, tables and functions."""
        shape, tables = self.shape, self.tables.text()
        expand, called = self._expansions(), self._called()
        functions = dict.fromkeys(part for mode in self.modes for part in self._of_mode(mode))
        code = "\n".join(part for part in (tables, expand, called, *functions) if part)
        begin = layouts.begin(self.program, shape, code) + prelude.for_tables(code)
        begin += block_arrays.for_scans(code, shape.lane_bits) + self.tables.functions(code)
        begin += long_messages.helper(self._kernels(MODES[0]))
        return with_helpers("\n".join([begin, code]))

    def _function(self, mode: str) -> str:
        """The name of the mode's function; where it has two, of that which decrypts."""
        if mode == REST:
            return f"{self._function('ctr')}_rest"
        return f"{self.name}_{functions_of(mode, self.program.operation, self.shape.blocks)[-1]}"

    def _key_type(self) -> str:
        fields = [f"    uint{entry}_t {name}[{length}];" for entry, name, length in self.structure.fields()]
        body = "\n".join(fields or ["    uint8_t unused;"])
        key_type = f"typedef struct {{\n{body}\n}} {self.name}_key;\n"
        if self.keys is not None:
            return key_type
        return (
            f"{key_type}\n/* Its size, for callers that do not see the type. */\n"
            f"extern const size_t {self.name}_key_bytes;\n"
            f"const size_t {self.name}_key_bytes = sizeof({self.name}_key);\n"
        )

    # -- functions ------------------------------------------------------------------------------

    def _expansions(self) -> str:
        """The key set-up; one for each key length of a part."""
        name = f"{self.name}_expand_key"
        if self.keys is None:
            return self._expand(self.program, name)
        return "\n".join(self._expand(p, f"{name}_{p.key_bits}") for p in self.keys)

    def _expand(self, p: Program, name: str) -> str:
        body = Body(Scalar(), tables=self.tables.names, scanned=scanned_in_key_schedule(p, self.schedule))
        expand = masks.with_words(p.expand) if self.shape.sliced else p.expand
        again = []  # an array that stands at several places of the key is filled once
        for field, result in zip(self.fields, p.expand.results, strict=True):
            if self.structure.is_mask(result.type):
                continue
            home = body.arrays.setdefault((origin(result), 0), f"k->{field}")
            if home != f"k->{field}":
                again.append(f"    memcpy(k->{field}, {home}, sizeof k->{field});")
        loads = load_words(body, expand, expand.params, p.key, "key")
        body.region(expand, expand.rounds)
        lines = loads + body.lines + again + self._masks(p.expand, expand, body) + self._spread_keys()
        lines += [line for field in self.structure.halved() for line in word_permutes.halves_of(*field)]
        lines += [
            key_structure.fill(name, p.length, self.shape.lane_bits)
            for p, (name, _) in self.structure.repeated().items()
        ]
        unused = "" if loads and p.key_types else "    (void)key; (void)k;\n"
        return (
            f"{self.linkage}void {name}(const uint8_t *key, {self.name}_key *k)\n{{\n"
            + unused
            + "\n".join([*reach(body.lines), *lines])
            + "\n}\n"
        )

    def _masks(self, expand: Graph, written: Graph, body: Body) -> list[str]:
        """Each bit of the key as a mask of ones or zeros; ``written``: the key schedule that is in C."""
        return [
            masks.masks_of(field, body.array(made, 0), result, made)
            if self.shape.sliced
            else byteslice.masks_of(field, body.array(result, 0), result.length)
            for field, result, made in zip(self.fields, expand.results, written.results, strict=True)
            if self.structure.is_mask(result.type)
        ]

    def _spread_keys(self) -> list[str]:
        """Each key word again, its byte q filling word q of four."""
        if not self.shape.spread:
            return []
        fields = zip(self.fields, self.program.key_types, strict=True)
        return [line for name, type_ in fields for line in spread_key(name, type_.length)]

    def _called(self) -> str:
        """Those that the kernel calls."""
        applied = [n.region for n in every_node(self.program.kernel) if n.op is Op.APPLY]
        for region in dict.fromkeys(applied):
            stem = f"{self.name}_{c_name(region.params[0].name)}"
            taken = self.functions.values()
            self.functions[region] = unused(stem, taken)
        texts = (bits.function(name, region, self.shape.lanes) for region, name in self.functions.items())
        return "\n".join(texts)

    def _of_mode(self, mode: str) -> list[str]:
        """Kernels of a mode, what they need, and the functions around them; modes share some of it."""
        return _FUNCTIONS[mode](self) if mode in _FUNCTIONS else self._cfb(mode)

    def _ecb(self) -> list[str]:
        counting = [modes.counting(self.name, self.program, self._field)] if self.program.counters else []
        driver = drivers.chain if self.shape.chain > 1 else drivers.ecb
        return [*self._shared_kernels(), *counting, driver(self._kernels("ecb"))]

    def _field(self, array: str) -> str:
        """What the structure of the expanded key calls an array of the kernel."""
        return self.fields[self.program.key_names.index(array)]

    def _ctr(self) -> list[str]:
        direct = self._blocks(self.shape)
        if isinstance(direct, Direct) and "ctr" not in self.shared:
            kernels = [self._kernel("ctr", shape) for shape in self.shape.kernels]
            counting = prelude.COUNTING + (
                registers.counting(self.shape.bits) if self.shape.registers else ""
            )
            if begun := grouped.grouped(direct, self.shape):
                kernels.append(grouped.functions(begun, self._function("ctr"), self._key()))
                kernels.append(self._kernel(REST, self.shape))
            driver = drivers.ctr(self._kernels("ctr"), direct.counter_bits, begun.kind if begun else "")
            return [counting, *kernels, driver]
        own, texts = self._in_memory("ctr")
        return [prelude.COUNTING, prelude.ADDING, *texts, drivers.ctr_in_memory(own)]

    def _cbc(self) -> list[str]:
        if self.program.operation == "encrypt":
            return self._chain()
        blocks = self._blocks(self.shape)
        if isinstance(blocks, Direct) and "cbc" not in self.shared:
            kernels = [self._kernel("cbc", shape) for shape in self.shape.kernels]
            return [*kernels, drivers.cbc_decrypt(self._kernels("cbc"), blocks.chain_bytes)]
        own, texts = self._in_memory("cbc")
        return [prelude.ADDING, *texts, drivers.cbc_decrypt_in_memory(own)]

    def _chain(self) -> list[str]:
        blocks = self._blocks(self.shape)
        if "cbc" in self.shared or not isinstance(blocks, Chained):
            made = drivers.cbc_encrypt_in_memory(self._kernels("cbc", "ecb"))
            return [prelude.ADDING, *self._shared_kernels(), made]
        begin, loads = blocks.chain_begins(), blocks.chain_loads()
        blocks.body.region(self.program.kernel, self.program.kernel.rounds)
        turn = [*loads, *blocks.body.lines, *blocks.chain_stores()]
        turn = [f"    {line}" if line else line for line in turn]
        return [drivers.cbc_encrypt(self._kernels("cbc"), begin, turn, blocks.chain_ends())]

    def _ofb(self) -> list[str]:
        return [prelude.ADDING, *self._shared_kernels(), feedback.ofb(self._kernels("ofb", "ecb"))]

    def _cfb(self, mode: str) -> list[str]:
        """Cipher feedback: decryption, and by kernels of one block encryption."""
        blocks = self._blocks(self.shape)
        direct = blocks if mode == "cfb" and isinstance(blocks, Direct) else None
        back = self._kernels(mode, mode if direct else "ecb")
        there = replace(back, public=f"{self.name}_{mode}_encrypt")
        if direct:
            parts = [self._kernel("cfb", shape) for shape in self.shape.kernels]
            texts = feedback.cfb_encrypt(there), feedback.cfb_decrypt(back, direct.chain_bytes)
        else:
            parts, segment = [prelude.ADDING, *self._shared_kernels()], segment_bytes(mode, self.block_bytes)
            texts = (
                feedback.cfb_encrypt_in_memory(there, segment),
                feedback.cfb_decrypt_in_memory(back, segment),
            )
        return [*parts, *texts[self.shape.blocks > 1 :]]

    def _in_memory(self, mode: str) -> tuple[Kernels, list[str]]:
        """The kernels of ECB for another mode; copies where they are vectors' and not to be shared."""
        kernels, texts = self._kernels(mode, "ecb"), self._shared_kernels()
        apart = self.shape.lanes > 1 and "ecb" in self.modes and mode not in self.shared
        return copied(kernels, texts) if apart else (kernels, texts)

    def _shared_kernels(self) -> list[str]:
        """The kernels of ECB, which other modes may be made of, too."""
        return [self._kernel("ecb", shape) for shape in self.shape.kernels]

    def _kernels(self, mode: str, kernel_mode: str = "") -> Kernels:
        sizes = tuple(shape.blocks for shape in self.shape.kernels)
        own = self._function(kernel_mode or mode)
        step = modes.counting_name(self.name) if self.program.counters else ""
        quick = self.shape.registers and self.shape.copies >= long_messages.VECTORS
        linkage = f"{self.linkage}{drivers.APART}" if self.linkage and self.shape.lanes > 1 else self.linkage
        name, key = self._function(mode), self._key()
        return Kernels(
            name, own, key, self.block_bytes, sizes, linkage, step, self.shape.bits if quick else 0
        )

    def _blocks(self, shape: Shape) -> layouts.AnyBlocks:
        """The blocks of a kernel in registers, and the kernel's body that they are the words of."""
        p = layouts.of_kernel(self.program, shape)
        dialect = layouts.dialect(shape, self.schedule.lookup)
        # A bit of the key is read into a vector, as what is made of it has to be.
        shared = KeyOnly("index") if shape.sliced or shape.slotted else KeyOnly("key", "counter", "index")
        hidden = scanned_in_kernel(p, self.schedule)
        lag = self.schedule.skew or 0
        skew, turns = (0, lag or 1) if shape.slotted else (lag, 1)
        body = Body(dialect, shape.copies, shared, self.tables.names, hidden, skew, turns)
        for param, name in zip(p.key_params, self.fields, strict=True):
            body.arrays[param, 0] = f"k->{name}"
            (body.own if param.attr == "state" else body.constant_arrays).add(param)
        body.functions = self.functions
        if isinstance(dialect, NarrowVector):
            dialect.repeated = {
                f"k->{name}": f"k->{again}" for name, again in self.structure.repeated().values()
            }
        return layouts.blocks_of(body, p, shape)

    def _kernel(self, mode: str, shape: Shape) -> str:
        p = layouts.of_kernel(self.program, shape)
        blocks, function = self._blocks(shape), self._function(mode)
        direct = blocks if isinstance(blocks, Direct) else None
        mode = STREAM if p.counters else mode
        if direct and mode in STORES:
            direct.prepare_xor()
        loads = LOADS[mode](direct) if direct and mode in LOADS else blocks.loads()
        blocks.body.region(p.kernel, p.kernel.rounds)
        stores = STORES[mode](direct) if direct and mode in STORES else blocks.stores()
        name, more = f"{function}_{shape.blocks}", PARAMETERS[mode].format(bits=shape.bits)
        return (
            f"{self.kernel_linkage} void {name}({self._key()}, {more})\n{{\n"
            + ("" if loads and p.key_types else "    (void)k; (void)in;\n")
            + ("    (void)counter;\n" if mode == "ctr" and self.block_bytes <= LOW_BYTES else "")
            + "\n".join(reach(blocks.body.lines) + loads + blocks.body.lines + stores)
            + "\n}\n"
        )

    def _key(self) -> str:
        """The parameter for the expanded key, which a stream cipher changes as it goes."""
        return f"{'' if self.program.stateful else 'const '}{self.name}_key *k"


#: What makes the text of a mode: its kernels, and the function around them.
_FUNCTIONS: dict[str, Callable[[_File], list[str]]] = {
    "ecb": _File._ecb,
    "ctr": _File._ctr,
    "cbc": _File._cbc,
    "ofb": _File._ofb,
}
