"""Schedules of pipelined loops, searched for and kept."""
