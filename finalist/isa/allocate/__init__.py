"""Registers, and what lives in memory."""
