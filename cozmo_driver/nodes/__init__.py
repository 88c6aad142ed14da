"""The ROS graph: the only layer that imports rclpy and messages."""
