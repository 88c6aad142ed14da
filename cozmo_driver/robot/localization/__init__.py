"""Where the robot is in the odometry frame (spec 07)."""
