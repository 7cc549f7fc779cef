"""Graph to graph: every pass keeps the meaning that the interpreter gives a program."""
