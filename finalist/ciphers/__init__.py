"""The ciphers: one file each, nothing but its definition."""
