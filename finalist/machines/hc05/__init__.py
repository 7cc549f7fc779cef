"""The 6805 smart card: a Motorola 68HC05 core with little memory, simulated."""
