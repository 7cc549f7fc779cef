"""Small boolean circuits for S-boxes computed on bit slices."""
