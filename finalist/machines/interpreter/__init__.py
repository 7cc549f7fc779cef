"""The reference: the graph executed as it is defined."""
