"""Qualities of service of the driver's topics."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
"""Reliable, so that consumers may ask for either."""
LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""The last message is kept for those who come later."""
STREAM = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
"""Every piece counts, also when 10 s of sound come at once in pieces of 10 ms."""
COMMAND = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""Only the newest command counts."""
