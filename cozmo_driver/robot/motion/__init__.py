"""Who moves the robot, how fast, and when it must not (spec 07)."""
