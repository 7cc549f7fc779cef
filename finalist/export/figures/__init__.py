"""What is taken away, files and libraries, measured beside the programs that Finalist runs."""
