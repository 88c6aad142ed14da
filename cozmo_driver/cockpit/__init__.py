"""A page to see, drive and play with a robot in a browser; it knows the robot as ``RobotPort``."""

WEB_PACKAGES = ("uvicorn", "starlette", "websockets", "psutil")
