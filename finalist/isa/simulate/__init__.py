"""What executes instruction words; it knows the processor and nothing of what they were made from."""
