"""Vectors whose lanes hold a block each."""
