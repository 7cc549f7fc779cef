"""The host CPU."""
