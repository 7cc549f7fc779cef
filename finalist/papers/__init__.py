"""The published tables as data, and ours laid beside them."""
