"""Code that takes fewer bytes: straight code as loops, and what stands there several times as subroutines."""
