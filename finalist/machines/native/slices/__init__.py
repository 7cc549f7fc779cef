"""Vectors that hold a bit of many blocks."""
