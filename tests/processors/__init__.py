"""Processors that only tests know, to keep `finalist.isa` honest."""
