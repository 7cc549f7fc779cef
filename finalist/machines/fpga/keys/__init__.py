"""Round keys: the registers that hold them, and the hardware that makes them on the chip."""
