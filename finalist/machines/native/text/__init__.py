"""A program as C text."""
