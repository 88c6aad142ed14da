"""What the robot does with what stands around it: coroutines on a ``Body``, above ``robot/``.

m, rad, s; poses are those of the drive center in the odometry frame.
"""
