"""What the vision node found, as JSON for the tab See."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from nav_msgs.msg import OccupancyGrid

from cozmo_interfaces.msg import FaceArray, MarkerArray, ObjectState, ObjectStates

from ..conversions.geometry import seconds

Value = Any

_KINDS = {ObjectState.CUBE: "cube", ObjectState.CHARGER: "charger"}
_LARGEST = 512
"""Cells of a map's side that a page is sent; of a larger map every other cell, and so on."""


def objects(message: ObjectStates) -> Value:
    """Return those whose place is known."""
    return [
        {
            "name": one.name,
            "kind": _KINDS.get(one.kind, "box"),
            "is_sure": one.state == ObjectState.KNOWN,
            "place": _rounded(one.pose.position, "xyz"),
            "turn": _rounded(one.pose.orientation, "xyzw"),
            "size": _rounded(one.size, "xyz"),
        }
        for one in message.objects
        if one.state != ObjectState.UNKNOWN
    ]


def markers(message: MarkerArray) -> Value:
    """Return corners in pixels of a picture 320 wide, and what carries each marker."""
    scale = 320.0 / max(message.width, 1)
    return _found(
        message,
        [
            {"name": one.name, "corners": [round(scale * float(at), 1) for at in one.corners]}
            for one in message.markers
        ],
    )


def faces(message: FaceArray) -> Value:
    return _found(
        message,
        [
            {
                "name": one.name or "face",
                "box": [round(float(at), 1) for at in (one.x, one.y, one.width, one.height)],
            }
            for one in message.faces
        ],
    )


def _found(message: MarkerArray | FaceArray, found: list[Value]) -> Value:
    """Return it with its time, so that a page knows that it is still so."""
    return {"stamp": round(seconds(message.header.stamp), 3), "found": found}


def ground(message: OccupancyGrid) -> Value:
    """Return what is known of the map: bytes 0 for unknown, 1 free, 2 occupied, in base64."""
    info = message.info
    cells = np.asarray(message.data, np.int8).reshape(info.height, info.width)
    rows, columns = (np.flatnonzero((cells >= 0).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return {"width": 0, "height": 0}
    cells = cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    step = -(-max(cells.shape) // _LARGEST)
    cells = cells[::step, ::step]
    kinds = np.where(cells < 0, 0, np.where(cells > 50, 2, 1)).astype(np.uint8)
    origin = info.origin.position
    return {
        "x": round(origin.x + columns[0] * info.resolution, 3),
        "y": round(origin.y + rows[0] * info.resolution, 3),
        "resolution": round(step * info.resolution, 4),
        "width": kinds.shape[1],
        "height": kinds.shape[0],
        "cells": base64.b64encode(kinds.tobytes()).decode(),
    }


def _rounded(vector: Any, names: str) -> list[float]:
    return [round(float(getattr(vector, name)), 4) for name in names]
