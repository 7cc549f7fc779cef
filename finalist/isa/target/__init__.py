"""A processor as data: registers, instructions, what each of them means, and memory."""
