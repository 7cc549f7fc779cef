"""Digests of every emitted text: a change that means to change none is seen to change none."""
