"""What was made once and can be made again, kept on this computer: where, whole, undamaged, within bounds."""
