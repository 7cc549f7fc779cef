"""Boards: which pins a design behind eight wires takes, as a file for nextpnr.

On a board a design stands behind eight wires in and eight wires out. The protocol, all at rising edges of
clk: with write_key high a byte of a round-key word is taken from data_in, four make a word, the first its
highest; with write_block high a byte of a block. After a block's last byte the block enters as soon as the
design is ready; with decrypt high at that byte, where the design has both directions, it is decrypted. When
available is high, data_out is the first byte of a result; with read high the next takes its place, until all
are read and available is low.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from finalist.errors import ScheduleError, UnknownNameError
from finalist.machines.fpga.keys.unit import PORT
from finalist.machines.fpga.simulation.run import Hardware

#: Boards that there are files for.
BOARDS = ("icebreaker", "ulx3s")


@dataclass(frozen=True, slots=True)
class Board:
    """``pins``: by port, those of eight wires from the lowest; ``part``: as `place` knows it; ``commands``:
    what makes a bitstream of the files, and loads it."""

    title: str
    part: str
    mhz: float
    pins: dict[str, list[str]]
    commands: tuple[str, ...]


@cache
def board(name: str) -> Board:
    """A board by name. Raises UnknownNameError."""
    if name not in BOARDS:
        raise UnknownNameError(f"board {name!r}; accepted: {', '.join(BOARDS)}")
    text = (files("finalist.machines.fpga") / "parts" / f"{name}.json").read_text("utf-8")
    found = json.loads(text)
    pins = {port: [own] if isinstance(own, str) else own for port, own in found["pins"].items()}
    return Board(found["board"], found["part"], found["mhz"], pins, tuple(found["commands"]))


def texts(hardware: Hardware, name: str) -> dict[str, str]:
    """The files for a board, by name: Verilog, constraints, and how to make a bitstream.

    Raises UnknownNameError; ScheduleError for VHDL. Whether the clock is fast enough for the board, `place`
    says.
    """
    if hardware.language != "verilog":
        raise ScheduleError(f"language={hardware.language}: a board's top level is Verilog")
    goal, module = board(name), top_name(hardware.name)
    write = {"pcf": _pcf, "lpf": _lpf}[_constraints(goal)]
    lines = [line.format(name=hardware.name, top=module) for line in goal.commands]
    both, unused = hardware.design.both, () if hardware.design.both else ("decrypt",)
    around = verilog(hardware.name, hardware.block_bytes * 8, both=both)
    return {
        f"{hardware.name}.v": hardware.text + around,
        f"{hardware.name}.{_constraints(goal)}": "\n".join([f"# {goal.title}", *write(goal, unused), ""]),
        "make.sh": "\n".join(["#!/bin/sh", "set -e", *lines, ""]),
    }


def _constraints(goal: Board) -> str:
    return "pcf" if goal.part.startswith("ice40") else "lpf"


def _sites(goal: Board, unused: Sequence[str]) -> Iterator[tuple[str, str]]:
    for port, pins in goal.pins.items():
        for bit, pin in enumerate(pins if port not in unused else ()):
            yield (port if len(pins) == 1 else f"{port}[{bit}]"), pin


def _pcf(goal: Board, unused: Sequence[str]) -> Iterator[str]:
    for port, pin in _sites(goal, unused):
        yield f"set_io {port} {pin}"
    yield f"set_frequency clk {goal.mhz:g}"


def _lpf(goal: Board, unused: Sequence[str]) -> Iterator[str]:
    for port, pin in _sites(goal, unused):
        yield f'LOCATE COMP "{port}" SITE "{pin}";'
        pull = "DOWN" if port in (*INPUTS, "decrypt") and port != "clk" else "NONE"
        yield f'IOBUF PORT "{port}" PULLMODE={pull} IO_TYPE=LVCMOS33;'
    yield f'FREQUENCY PORT "clk" {goal.mhz:g} MHZ;'


#: Ports beside the two of eight wires.
INPUTS = ("clk", "reset", "write_key", "write_block", "read")
WIRES = 8


def top_name(name: str) -> str:
    """Of the module around the one of this name."""
    return f"{name}_bytes"


#: For both directions: the port, the block's register for it, what that takes, the core's port.
_WAY = (
    "\n    input  wire decrypt,",
    "\n    reg way = 1'b0;",
    "\n        if (write_block) way <= decrypt;",
    ", .decrypt(way)",
)


def verilog(name: str, block_bits: int, *, both: bool = False) -> str:
    """The module, to stand below the design's own text; ``both``: that has both directions."""
    size, top = block_bits // 8, block_bits - 1
    count = max(1, (size - 1).bit_length())
    last = f"{count}'d{size - 1}"
    port, way, takes, to_core = _WAY if both else ("", "", "", "")
    return f"""
// {name} behind eight wires in and eight out. write_key: a byte of a round-key word, the highest first;
// write_block: a byte of a block; available: data_out is a result's byte; read: take it, and show the next.
module {top_name(name)} (
    input  wire clk,
    input  wire reset,
    input  wire write_key,
    input  wire write_block,
    input  wire read,{port}
    input  wire [7:0] data_in,
    output wire ready,
    output reg  available,
    output wire [7:0] data_out
);
    reg [{PORT - 1}:0] key_word = {PORT}'h0;
    reg [1:0] key_bytes = 2'd0;
    reg key_load = 1'b0;
    reg [{top}:0] block = {block_bits}'h0;
    reg [{count - 1}:0] written = {count}'d0;
    reg start = 1'b0;{way}
    reg [{top}:0] result = {block_bits}'h0;
    reg [{count - 1}:0] left = {count}'d0;
    wire taken, valid;
    wire [{top}:0] block_out;

    {name} core (
        .clk(clk), .reset(reset), .key_load(key_load), .key_word(key_word), .start(start),
        .block_in(block){to_core}, .ready(taken), .valid(valid), .block_out(block_out));

    initial available = 1'b0;
    assign ready = !start;
    assign data_out = result[{top}:{top - 7}];

    always @(posedge clk) begin
        key_load <= write_key && key_bytes == 2'd3 && !reset;
        if (write_key) begin
            key_word <= {{key_word[{PORT - 9}:0], data_in}};
            key_bytes <= key_bytes + 2'd1;
        end
        if (write_block) block <= {_shifted("block", top, "data_in")};{takes}
        if (write_block) written <= written == {last} ? {count}'d0 : written + {count}'d1;
        start <= !reset && (write_block && written == {last} || start && !taken);
        if (valid) result <= block_out;
        else if (read) result <= {_shifted("result", top, "8'h0")};
        if (valid) left <= {last};
        else if (read) left <= left - {count}'d1;
        available <= !reset && (valid || available && !(read && left == {count}'d0));
        if (reset) begin
            key_bytes <= 2'd0;
            written <= {count}'d0;
        end
    end
endmodule
"""


def _shifted(word: str, top: int, byte: str) -> str:
    return f"{{{word}[{top - 8}:0], {byte}}}" if top > 7 else byte


def key_bytes(words: list[int]) -> Iterator[int]:
    """The bytes to write, in order, for the words of a key."""
    for word in words:
        yield from word.to_bytes(PORT // 8, "big")
