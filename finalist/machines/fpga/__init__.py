"""Field-programmable gate arrays: a cipher as a data path, in Verilog and VHDL."""
