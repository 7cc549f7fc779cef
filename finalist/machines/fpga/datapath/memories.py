"""Tables in block RAM: the register before a table and the table become one, as block RAMs have them.

A block RAM is read at a clock edge: it takes an address, and shows the entry from then on. So a table can be
in one where its address comes from a row of registers through nothing but wires; the address is then what
those registers were about to take, and they themselves go where nothing else reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from finalist.errors import ScheduleError
from finalist.ir.ops import Op
from finalist.machines.fpga.signals import Design, Part, Register, Signal
from finalist.machines.fpga.walks import in_order


def into_memories(design: Design, cipher: str) -> None:
    """Change the design so that every table is in block RAM. Raises ScheduleError where one can't be."""
    rows = {r.output: place for place, stage in enumerate(design.stages) for r in stage.registers}
    made: dict[Signal, Signal] = {}
    reads: list[tuple[int, Signal, Signal]] = []
    for signal in in_order(design.ends()):
        if signal.op is Op.LOOKUP:
            place = _row(signal, rows, cipher)
            name = f"s{place}_{signal.name or signal.attr.name}"
            made[signal] = Signal(Part.INPUT, (), signal.width, signal.attr, name)
            reads.append((place, signal.inputs[0], made[signal]))
        else:
            made[signal] = rebuilt(signal, made)
    for stage in design.stages:
        for register in stage.registers:
            register.input = made[register.input]
    design.load = [made[signal] for signal in design.load]
    for register in design.finish:
        register.input = made[register.input]
    design.block_out = made[design.block_out]
    for place, address, output in reads:
        _add(design, place, made[address], output)
    _drop(design)


def rebuilt(signal: Signal, made: Mapping[Signal, Signal]) -> Signal:
    """The signal with other operands, where it has others."""
    inputs = tuple(made[child] for child in signal.inputs)
    if inputs == signal.inputs:
        return signal
    return Signal(signal.op, inputs, signal.width, signal.attr, signal.name, signal.line)


def _row(lookup: Signal, rows: Mapping[Signal, int], cipher: str) -> int:
    """The row of registers that an address comes from."""
    places = {rows.get(base, -1) for base in lookup.inputs[0].bases}
    if len(places) != 1 or -1 in places:
        raise ScheduleError(
            f"lookup=blockram is not legal for {cipher} here: no register stands right before a table"
            f" ({lookup.line}); accepted: an architecture SP-n-m with more registers inside of rounds"
        )
    return places.pop()


def _add(design: Design, place: int, address: Signal, output: Signal) -> None:
    """The block RAM's register into its row."""
    stage = design.stages[place]
    plain = [(k, r) for k, r in enumerate(stage.registers) if r.table is None]
    comes = place or design.turns > 1
    taken = _moved(address, {r.output: r.input for _, r in plain}) if comes else output
    stage.registers.append(Register(output, taken, output.attr))
    if place == 0:
        design.load.append(_moved(address, {r.output: design.load[k] for k, r in plain}))


def _moved(address: Signal, before: Mapping[Signal, Signal]) -> Signal:
    """An address by what its registers are about to take."""
    made: dict[Signal, Signal] = {}
    for signal in _wires(address):
        made[signal] = before.get(signal) or rebuilt(signal, made)
    return made[address]


def _wires(address: Signal) -> Iterator[Signal]:
    """An arrangement of wires, sources first."""
    if address.fixed:
        for child in address.inputs:
            yield from _wires(child)
    yield address


def _drop(design: Design) -> None:
    """Registers that nothing reads any more go."""
    first = design.stages[0].registers
    loads = {register.output: load for register, load in zip(first, design.load, strict=True)}
    inputs = {r.output: r.input for stage in design.stages for r in stage.registers}
    used: set[Signal] = set()
    waiting: list[Signal] = [register.input for register in design.finish]
    while waiting:
        found = {s for s in in_order(waiting) if s in inputs} - used
        used |= found
        waiting = [*(inputs[s] for s in found), *(loads[s] for s in found if s in loads)]
    for stage in design.stages:
        stage.registers = [register for register in stage.registers if register.output in used]
    design.load = [loads[register.output] for register in design.stages[0].registers]
