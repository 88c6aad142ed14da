"""A page to see, drive and play with a robot in a browser; it knows the robot as ``RobotPort``."""

import os

# Where NiceGUI, as it is imported, looks for a storage that is not used here: not in this folder.
os.environ.setdefault("NICEGUI_STORAGE_PATH", os.devnull)

NICEGUI_INSTALL = "python3 -m pip install nicegui==3.18.0"
