"""A design behind eight wires in and eight wires out, for parts and boards that have no pins for a block.

The protocol, all at rising edges of clk: with write_key high a byte of a round-key word is taken from
data_in, four make a word, the first its highest; with write_block high a byte of a block. After a block's
last byte the block enters as soon as the design is ready; with decrypt high at that byte, where the design
has both directions, it is decrypted. When available is high, data_out is the first
byte of a result; with read high the next takes its place, until all are read and available is low.
"""

from __future__ import annotations

from collections.abc import Iterator

from finalist.machines.fpga.keys.registers import PORT

#: Ports beside the two of eight wires.
INPUTS = ("clk", "reset", "write_key", "write_block", "read")
OUTPUTS = ("ready", "available")
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
