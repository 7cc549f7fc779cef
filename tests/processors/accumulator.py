"""A toy of the 6805's kind: one accumulator, one index register, opcodes of one to three bytes.

Thirty-two bytes of memory have short addresses, the words of programs live there; all else is reached by
addresses of sixteen bits, with or without the index register added. Cycles are those of a 68HC05.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature, signature
from itertools import count

from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.isa.build import Plan, build
from finalist.isa.prepare import moves, operations, stores
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import (
    Flow,
    Term,
    branch,
    constant,
    equal,
    less,
    load,
    mul_high,
    operand,
    store,
)
from finalist.isa.target.operand import Operand
from finalist.isa.target.processor import Processor, WorkingMemory
from finalist.isa.target.registers import RegisterFile
from finalist.passes import legalise
from finalist.passes.key_schedules.key_loops import with_key_loops
from finalist.passes.pipeline import lower
from finalist.passes.rounds.roll import rolled
from finalist.schedule import Schedule

FILES = {
    "a": RegisterFile("A", 1, 8),
    "x": RegisterFile("X", 1, 8),
    "c": RegisterFile("C", 1, 1, status=True),
    "z": RegisterFile("Z", 1, 1, status=True),
}

#: What an instruction does, of registers by name and of ``m``, a number, an operand in memory or its address.
Meaning = Callable[..., Mapping[str, Term] | Term]


def adc(a: Term, m: Term, c: Term) -> Mapping[str, Term]:
    part = a + m
    whole = part + c
    return {"a": whole, "c": less(part, m) | less(whole, c), "z": equal(whole, constant(0))}


def sbc(a: Term, m: Term, c: Term) -> Mapping[str, Term]:
    part = a - m
    whole = part - c
    return {"a": whole, "c": less(a, m) | less(part, c), "z": equal(whole, constant(0))}


def bitwise(op: Op) -> Meaning:
    return lambda a, m: {"a": Term(op, (a, m)), "z": equal(Term(op, (a, m)), constant(0))}


#: With an operand that is a number or in memory.
OPERATIONS: dict[str, Meaning] = {
    "lda": lambda m: {"a": m, "z": equal(m, constant(0))},
    "ldx": lambda m: {"x": m, "z": equal(m, constant(0))},
    "add": lambda a, m: {"a": a + m, "c": less(a + m, m), "z": equal(a + m, constant(0))},
    "adc": adc,
    "sub": lambda a, m: {"a": a - m, "c": less(a, m), "z": equal(a, m)},
    "sbc": sbc,
    "and": bitwise(Op.AND),
    "ora": bitwise(Op.OR),
    "eor": bitwise(Op.XOR),
    "cmp": lambda a, m: {"c": less(a, m), "z": equal(a, m)},
}
#: On registers alone, and their cycles.
INHERENT: dict[str, tuple[Meaning, int]] = {
    "tax": (lambda a: {"x": a}, 2),
    "txa": (lambda x: {"a": x}, 2),
    "incx": (lambda x: {"x": x + 1, "z": equal(x + 1, constant(0))}, 3),
    "decx": (lambda x: {"x": x - 1, "z": equal(x - 1, constant(0))}, 3),
    "asla": (lambda a: {"a": a << 1, "c": a >> 7}, 3),
    "lsra": (lambda a: {"a": a >> 1, "c": a & 1}, 3),
    "rola": (lambda a, c: {"a": a << 1 | c, "c": a >> 7}, 3),
    "rora": (lambda a, c: {"a": a >> 1 | c << 7, "c": a & 1}, 3),
    "mul": (lambda a, x: {"a": a * x, "x": mul_high(a, x)}, 11),
}
BRANCHES: dict[str, Meaning] = {
    "beq": lambda z: branch(z),
    "bne": lambda z: branch(z ^ 1),
    "bcs": lambda c: branch(c),
    "bcc": lambda c: branch(c ^ 1),
}
#: How an operand is written, its bits, cycles of a read; its value from what stands there.
MODES: tuple[tuple[str, int, int, Meaning], ...] = (
    ("#{m}", 8, 2, lambda m: m),
    ("*{m}", 8, 3, lambda m: load(1, m)),
    ("{m}", 16, 4, lambda m: load(1, m)),
    ("{m},x", 16, 5, lambda m, x: load(1, x.extend(16) + m)),
)


def names(meaning: Callable[..., object]) -> tuple[str, ...]:
    return tuple(signature(meaning).parameters)


def with_operand(operation: Meaning, mode: Meaning) -> Meaning:
    """The operation on what a mode finds."""
    every = dict.fromkeys((*names(operation), *names(mode)))

    def meaning(**given: Term) -> Mapping[str, Term] | Term:
        found = mode(**{name: given[name] for name in names(mode)})
        return operation(**{name: found if name == "m" else given[name] for name in names(operation)})

    meaning.__signature__ = Signature([Parameter(n, Parameter.KEYWORD_ONLY) for n in every])  # type: ignore[attr-defined]
    return meaning


CODES = count()


def instruction(syntax: str, meaning: Meaning, cycles: int, bits: int = 0, kind: str = "imm") -> Instruction:
    """An instruction with the next opcode; ``bits`` of an operand ``m`` or a label ``to`` follow it."""
    read = names(meaning)
    made = meaning(**{name: operand(name) for name in read})
    written = set(made) if isinstance(made, Mapping) else set()
    operands = []
    for name in FILES:
        if name in written or name in read:
            what = "use" if name not in written else "both" if name in read else "def"
            operands.append(Operand(name, what, file=name))
    if bits:
        operands.append(Operand("to" if kind == "target" else "m", kind, bits - 1))
    return Instruction(syntax, tuple(operands), next(CODES) << bits, meaning, bits=8 + bits, cycles=cycles)


def instructions() -> Iterator[Instruction]:
    for name, operation in OPERATIONS.items():
        for text, bits, cycles, mode in MODES[:3] if name == "ldx" else MODES:
            yield instruction(f"{name} {text}", with_operand(operation, mode), cycles, bits)
    for text, bits, cycles in (("*{m}", 8, 4), ("{m}", 16, 5)):
        yield instruction(f"sta {text}", lambda a, m: store(1, m, a), cycles, bits)
        yield instruction(f"stx {text}", lambda x, m: store(1, m, x), cycles, bits)
    yield instruction("sta {m},x", lambda a, x, m: store(1, x.extend(16) + m, a), 6, 16)
    yield instruction(
        "inc *{m}", lambda m: {"": store(1, m, load(1, m) + 1), "z": equal(load(1, m) + 1, constant(0))}, 5, 8
    )
    for name, (meaning, cycles) in INHERENT.items():
        yield instruction(name, meaning, cycles)
    for name, meaning in BRANCHES.items():
        yield instruction(f"{name} {{to}}", meaning, 3, 8, "target")
    yield instruction("jmp {to}", lambda: branch(constant(1)), 3, 16, "target")
    yield instruction("halt", lambda: Term(Flow.HALT), 2)


PROCESSOR = Processor(
    name="toy",
    files=FILES,
    instructions=tuple(instructions()),
    word=8,
    data=1,
    working=WorkingMemory(first=0, direct=32, rest=256, beyond=512),
    single=True,
)


#: Operations of a key schedule, in which steps that are alike are looked for.
FEW = 4096


def narrowed(traced: Program, width: int) -> Program:
    """In words of so many bits, and in operations that the processor has."""
    narrow = stores.run(lower(legalise.run(traced, width), width, "full"))
    return moves.run(operations.run(narrow, width, frozenset()), width)


def compiled(traced: Program, processor: Processor = PROCESSOR, *, loops: bool = True) -> SimulatedProgram:
    """The program of a traced one as text, assembled and simulated.

    ``loops``: rounds and the steps of the key schedule are loops where they are alike; in a long key
    schedule they are looked for before words are cut.
    """
    program = narrowed(traced, processor.width)
    if loops and len(program.expand.body) > FEW:
        traced = traced.with_graphs(with_key_loops(traced.expand), traced.kernel)
        program = narrowed(traced, processor.width)
    elif loops:
        program = program.with_graphs(with_key_loops(program.expand), program.kernel)
        # Places in arrays are brought within them.
        program = moves.run(operations.run(program, processor.width, frozenset()), processor.width)
    if loops:
        program = program.with_graphs(program.expand, rolled(program.kernel))
    return SimulatedProgram(program, Schedule(), processor, build(program, processor, Plan()))
