"""What the robot plays: its frame clock and sound (spec 05, 06)."""
