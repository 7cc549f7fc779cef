"""Test benches: they feed a design at full rate from a file, and print what comes out and when.

Each line of the file is a digit and a word in hexadecimal. 0: a block, offered until it is taken. 1: a word
of the round keys. 2: a clock with nothing to do. 3: a clock of reset. 4: wait until all blocks are out.
5: a block to decrypt, for a design that does both.
A block that leaves at another clock than the header promises is an error, as is one that never entered.
Keys and reset discard the blocks that are under way, so that the bench forgets those too.
"""

from __future__ import annotations

import enum

from finalist.machines.fpga.keys.unit import PORT


class Do(enum.IntEnum):
    """What a line of the file asks for."""

    BLOCK = 0
    KEY = 1
    IDLE = 2
    RESET = 3
    DRAIN = 4
    DECRYPT = 5


def line(what: Do, word: int = 0, bits: int = PORT) -> str:
    """A line of the file; the word of a block has all its digits."""
    return f"{what.value} {word:0{bits // 4}x}"


#: The port of a design for both directions.
_PORT = {False: "", True: ".decrypt(decrypt), "}
_VHDL_PORT = {False: "", True: "decrypt => decrypt, "}


#: Blocks that may be under way at once in a bench.
DEPTH = 4096


def verilog(name: str, block_bits: int, latency: int, *, both: bool = False) -> str:
    """A bench for the Verilog module, given the file as +stimuli=FILE; ``both``: it has both directions."""
    return _filled(_VERILOG, name, block_bits, latency, _PORT[both])


def vhdl(name: str, block_bits: int, latency: int, *, both: bool = False) -> str:
    """A bench for the VHDL entity (VHDL-2008), given the file as the generic ``stimuli``."""
    return _filled(_VHDL, name, block_bits, latency, _VHDL_PORT[both])


def _filled(text: str, name: str, block_bits: int, latency: int, port: str) -> str:
    asked = {what.name.lower(): what.value for what in Do}
    sizes = {"top": block_bits - 1, "port_top": PORT - 1, "depth": DEPTH, "depth_top": DEPTH - 1}
    return text.format(name=name, cycles=latency + 1, port=port, **sizes, **asked)


_VERILOG = """`timescale 1ns / 1ps
module bench;
    reg clk = 0, reset = 1, key_load = 0, start = 0, decrypt = 0;
    reg [{port_top}:0] key_word = 0;
    reg [{top}:0] block_in = 0;
    wire ready, valid;
    wire [{top}:0] block_out;
    {name} unit_under_test (
        .clk(clk), .reset(reset), .key_load(key_load), .key_word(key_word), .start(start),
        .block_in(block_in), {port}.ready(ready), .valid(valid), .block_out(block_out));

    always #5 clk = !clk;

    integer cycle = 0, head = 0, tail = 0, stimuli, found, what;
    integer taken [0:{depth_top}];
    reg [8 * 512 - 1:0] path;
    reg [{top}:0] word;

    always @(posedge clk) cycle <= cycle + 1;

    always @(negedge clk) if (valid) begin
        if (head == tail) $display("error: a block that never entered");
        else if (cycle - taken[head % {depth}] != {cycles})
            $display("error: a block after %0d cycles", cycle - taken[head % {depth}] - 1);
        else $display("%h", block_out);
        head = head + 1;
    end

    initial begin
        found = $value$plusargs("stimuli=%s", path);
        stimuli = $fopen(path, "r");
        repeat (2) @(negedge clk);
        reset = 0;
        while ($fscanf(stimuli, "%d %h\\n", what, word) == 2) begin
            if (what == {block} || what == {decrypt}) begin
                start = 1; block_in = word; decrypt = what == {decrypt}; #1;
                while (!ready) begin @(negedge clk); #1; end
                taken[tail % {depth}] = cycle; tail = tail + 1;
                @(negedge clk); start = 0;
            end else if (what == {drain}) begin
                while (head != tail) @(negedge clk);
            end else begin
                key_load = what == {key}; key_word = word[{port_top}:0];
                reset = what == {reset};
                @(negedge clk); #1;
                if (what != {idle}) head = tail;
                key_load = 0; reset = 0;
            end
        end
        while (head != tail) @(negedge clk);
        $finish;
    end
endmodule
"""

_VHDL = """library ieee;
use ieee.std_logic_1164.all;
use std.textio.all;

entity bench is
    generic (stimuli : string);
end entity;

architecture test of bench is
    signal clk, key_load, start, decrypt, ready, valid : std_logic := '0';
    signal reset : std_logic := '1';
    signal key_word : std_logic_vector({port_top} downto 0) := (others => '0');
    signal block_in, block_out : std_logic_vector({top} downto 0) := (others => '0');
    signal done : boolean := false;
begin
    unit_under_test : entity work.{name} port map (
        clk => clk, reset => reset, key_load => key_load, key_word => key_word, start => start,
        block_in => block_in, {port}ready => ready, valid => valid, block_out => block_out);

    clk <= not clk after 5 ns when not done else '0';

    process
        type times is array (0 to {depth_top}) of integer;
        variable taken : times;
        variable cycle, head, tail : integer := 0;
        file stream : text;
        variable row, shown : line;
        variable what : integer;
        variable word : std_logic_vector({top} downto 0);

        procedure say(message : string) is
        begin
            write(shown, message);
            writeline(output, shown);
        end procedure;

        procedure tick is
        begin
            wait until falling_edge(clk);
            cycle := cycle + 1;
            if valid = '1' then
                if head = tail then
                    say("error: a block that never entered");
                elsif cycle - taken(head mod {depth}) /= {cycles} then
                    say("error: a block after "
                        & integer'image(cycle - taken(head mod {depth}) - 1) & " cycles");
                else
                    hwrite(shown, block_out);
                    writeline(output, shown);
                end if;
                head := head + 1;
            end if;
        end procedure;
    begin
        file_open(stream, stimuli, read_mode);
        tick;
        tick;
        reset <= '0';
        while not endfile(stream) loop
            readline(stream, row);
            read(row, what);
            if what = {block} or what = {decrypt} then
                hread(row, word);
                start <= '1';
                decrypt <= '0' when what = {block} else '1';
                block_in <= word;
                wait for 1 ns;
                while ready = '0' loop
                    tick;
                    wait for 1 ns;
                end loop;
                taken(tail mod {depth}) := cycle;
                tail := tail + 1;
                tick;
                start <= '0';
            elsif what = {drain} then
                while head /= tail loop
                    tick;
                end loop;
            else
                if what = {key} then
                    hread(row, word({port_top} downto 0));
                    key_load <= '1';
                    key_word <= word({port_top} downto 0);
                elsif what = {reset} then
                    reset <= '1';
                end if;
                tick;
                key_load <= '0';
                reset <= '0';
                if what /= {idle} then
                    head := tail;
                end if;
            end if;
        end loop;
        while head /= tail loop
            tick;
        end loop;
        done <= true;
        wait;
    end process;
end architecture;
"""
