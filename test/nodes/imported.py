"""What nodes need, imported once for all that are forked from here."""

import gc
import os
from importlib import import_module

from cozmo_driver.programs import MODULES

# Messages look at it when they are imported.
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"
for name in MODULES.values():
    if name.endswith(".node"):
        import_module(f"cozmo_driver.{name}")
gc.freeze()
