"""What all simulated processors share: instructions as data, selection, ordering, registers, assembler, simulator."""
