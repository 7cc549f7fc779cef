"""What a design will take, without any tool: its cells, their delays, area and clock."""
