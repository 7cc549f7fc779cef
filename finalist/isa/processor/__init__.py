"""A processor as data, and what executes its instruction words; it does not know what they were made from."""
