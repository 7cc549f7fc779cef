"""From a traced program to operations on the words of a processor."""
