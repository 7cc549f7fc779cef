"""Tools outside of Finalist that it calls: found, asked what they are, run."""
