"""Vectors with a block a lane."""
