"""The search for small boolean circuits, which filled `finalist/passes/circuits/data`."""
