"""A RISC with a parallel table lookup instruction (Fiskiran, Lee 2005), simulated."""
