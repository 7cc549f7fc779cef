"""The machine `c62x`: a TMS320C62x signal processor, simulated."""
