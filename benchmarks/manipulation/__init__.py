"""``python -m benchmarks.manipulation [--graph]``: cubes and the charger, many times each.

Robot, emulator and pictures are real; treads, gyro and camera err. What became of a task is read
from the emulated world. Without ``--graph`` all of it is one program in virtual time; with it the
driver and the nodes of vision and manipulation are programs on a ROS domain of their own, in real
time, and goals go through actions.
"""
