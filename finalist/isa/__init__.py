"""What all simulated processors share: instructions as data, selection, order, registers, simulator."""
