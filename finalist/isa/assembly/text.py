"""Instructions as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.processor import Processor

#: Stands before an instruction that is issued in the same cycle as the one before.
PARALLEL = "||"


@dataclass(frozen=True, slots=True)
class Issue:
    """How an instruction is issued: its way, the condition by number (see `Predicates`), and whether it is in
    the same cycle as the one before."""

    way: Way
    condition: int = 0
    parallel: bool = False


def file_of(instruction: Instruction, way: Way, name: str) -> str:
    """The register file of an operand, by name."""
    return way.files.get(name) or instruction.by_name[name].file


def written(
    processor: Processor,
    instruction: Instruction,
    values: Mapping[str, int],
    target: str = "",
    issue: Issue | None = None,
) -> str:
    """One instruction; ``target``: the label of the operand that is one."""
    issue = issue or Issue(instruction.ways[0])
    texts = {"way": issue.way.name}
    for o in instruction.operands:
        if o.is_target:
            texts[o.name] = target
        elif o.is_register:
            file = processor.file(file_of(instruction, issue.way, o.name))
            texts[o.name] = file.written(values[o.name])
        else:
            texts[o.name] = str(values[o.name])
    condition = f"[{condition_text(processor, issue.condition)}] " if issue.condition else ""
    syntax = issue.way.syntax or instruction.syntax
    return (f"{PARALLEL} " if issue.parallel else "") + condition + syntax.format(**texts)


def condition_text(processor: Processor, condition: int) -> str:
    """A condition as it stands in brackets: a register, or a register after an exclamation mark."""
    assert processor.predicates is not None
    (file, number), sense = processor.predicates.tested(condition)
    return ("" if sense else "!") + processor.file(file).written(number)


def conditions(processor: Processor) -> dict[str, int]:
    """The number of each condition, by its text."""
    count = 0 if processor.predicates is None else len(processor.predicates.registers)
    return {condition_text(processor, number): number for number in range(1, 2 * count + 1)}
