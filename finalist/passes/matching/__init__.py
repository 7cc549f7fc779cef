"""Finding machine instructions in a program by their meaning."""
