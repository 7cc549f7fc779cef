"""The published tables, as data, and what they are laid beside."""
