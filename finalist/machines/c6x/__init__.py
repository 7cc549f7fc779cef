"""What the two signal processors of the C6000 family share: instructions as data, their meanings, the
model."""
