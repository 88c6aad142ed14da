"""What stands where: objects seen by the robot, the map of its surroundings; time is an argument.

Pure: no clock, no pixels, no ROS. m, rad, s; poses are 4x4 matrices.
"""
