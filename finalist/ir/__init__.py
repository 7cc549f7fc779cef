"""The graph that a definition becomes: operations, builder, printer, verifier, interpreter."""
