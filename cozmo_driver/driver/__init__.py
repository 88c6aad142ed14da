"""The driver on the ROS graph: a robot's state as topics, its abilities as topics and actions."""

from __future__ import annotations

from .parameters import AFTER_PICKUP, CONTINUE, HOLD, HOLD_UNTIL_LOCALIZED, check_after_pickup
