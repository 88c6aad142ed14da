"""Plain data to ROS messages: pure functions, one file per family of topics.

Field types are not checked at run time, so every number passes ``float()`` or ``int()`` here.
"""
