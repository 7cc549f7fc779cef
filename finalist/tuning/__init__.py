"""Finding the schedules that are quickest on this computer, keeping them, and saying why they won."""
