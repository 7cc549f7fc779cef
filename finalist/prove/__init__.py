"""Proofs that a program computes what its definition says, for all keys and all blocks."""
