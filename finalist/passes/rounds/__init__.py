"""Rounds: loops of them, rounds within them, the order of what they do."""
