"""Key schedules as loops."""
