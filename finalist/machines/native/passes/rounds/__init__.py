"""Rounds for the registers that a CPU has."""
