"""Tables on the chip, read by parallel lookup, and several words of a block in a register."""
