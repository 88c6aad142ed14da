"""Broadcasters, listener and buffer for coordinate frames, named as in tf2_ros."""

from __future__ import annotations

from tf2_ros.buffer import Buffer
from tf2_ros.buffer_core import BufferCore
from tf2_ros.exceptions import (
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TimeoutException,
    TransformException,
)
from tf2_ros.static_transform_broadcaster import StaticTransformBroadcaster
from tf2_ros.transform_broadcaster import TransformBroadcaster
from tf2_ros.transform_listener import TransformListener

__all__ = [
    "Buffer",
    "BufferCore",
    "ConnectivityException",
    "ExtrapolationException",
    "InvalidArgumentException",
    "LookupException",
    "StaticTransformBroadcaster",
    "TimeoutException",
    "TransformBroadcaster",
    "TransformException",
    "TransformListener",
]
