"""The order of instructions."""
