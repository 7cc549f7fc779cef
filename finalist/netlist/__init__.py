"""Hardware as data: circuits of cells and registers, and what they do cycle by cycle."""
