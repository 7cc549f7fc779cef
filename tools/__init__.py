"""What made data of the package; not part of it."""
