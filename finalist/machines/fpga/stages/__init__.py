"""Registers inside of rounds: where they go, what they keep, and how often they are there."""
