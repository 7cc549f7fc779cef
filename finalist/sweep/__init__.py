"""Sweeps: the figures of many programs, each a point of ciphers x machines x schedules."""
