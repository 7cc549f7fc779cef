"""A design as text: Verilog and VHDL, written from one form."""
