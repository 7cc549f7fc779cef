"""The machines: one folder each; none imports another."""
