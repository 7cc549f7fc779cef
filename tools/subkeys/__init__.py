"""What `subkeys=computed` costs and saves on this computer: a key that serves for one block."""
