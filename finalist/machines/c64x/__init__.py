"""The machine `c64x`: a TMS320C64x signal processor, simulated."""
