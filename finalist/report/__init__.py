"""What is told of a cipher: its operations counted, in text and pictures."""
