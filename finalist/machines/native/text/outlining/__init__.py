"""Sequences of statements that stand in a C text several times, written once as functions: an outliner."""
