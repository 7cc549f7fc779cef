"""When a key schedule as a loop is slower."""
