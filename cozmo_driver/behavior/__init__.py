"""A robot with a personality: what it feels, what it does next and how (spec 12). No ROS."""
