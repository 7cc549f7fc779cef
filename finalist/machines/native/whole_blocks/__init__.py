"""Instructions that work on whole blocks in registers."""
