"""Several words of a block in one register of a processor."""
