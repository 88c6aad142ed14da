"""What happens to the robot (spec 10)."""
