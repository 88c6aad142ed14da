"""A page to see, drive and play with a robot in a browser; it knows the robot as ``RobotPort``."""

WEB_PACKAGES = ("uvicorn", "starlette", "websockets")
WEB_INSTALL = f"python3 -m pip install {' '.join(WEB_PACKAGES)}"
