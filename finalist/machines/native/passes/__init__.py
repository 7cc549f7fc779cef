"""Passes that only CPUs have a use for: they know what its registers and instructions cost."""
