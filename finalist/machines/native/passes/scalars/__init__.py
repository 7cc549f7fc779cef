"""Shorter code on single words."""
