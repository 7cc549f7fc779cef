"""A kernel as a data path: rounds on units of hardware, registers between them."""
