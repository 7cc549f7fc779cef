"""Designs mapped to a part's cells, executed as such, and what they take there."""
