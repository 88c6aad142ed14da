"""All states of a checkup as an MCAP file with JSON, which Foxglove plots; without ROS."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..robot import RobotState

STATES_FILE = "states.mcap"
_TOPIC = "/robot_state"
_MOST = 60_000
"""States, half an hour."""


class StateRecorder:
    """``add`` is for ``Robot.on_state``."""

    def __init__(self) -> None:
        self._states: list[RobotState] = []

    def add(self, state: RobotState) -> None:
        """Keep a state, as long as there is room."""
        if len(self._states) < _MOST:
            self._states.append(state)

    def write(self, path: Path) -> bool:
        """Write them; False without the package mcap, or a state. Raises ``OSError``.

        Nothing in them names the robot, nor the time of the day.
        """
        try:
            from mcap.writer import CompressionType, Writer
        except ModuleNotFoundError:
            return False
        if not self._states:
            return False
        zero = self._states[0].time
        with path.open("wb") as file:
            # The report's archive compresses it.
            writer = Writer(file, compression=CompressionType.NONE)
            writer.start()
            shape = json.dumps(_shape(_content(self._states[0], zero))).encode()
            schema = writer.register_schema("RobotState", "jsonschema", shape)
            channel = writer.register_channel(_TOPIC, "json", schema)
            for number, state in enumerate(self._states):
                stamp = max(0, round(1e9 * (state.time - zero)))
                data = json.dumps(_content(state, zero)).encode()
                writer.add_message(channel, stamp, data, stamp, number)
            writer.finish()  # type: ignore[no-untyped-call]
        return True


def _shape(value: Any) -> dict[str, Any]:
    """Return the JSON schema of a value, by which Foxglove knows what can be plotted."""
    if isinstance(value, dict):
        return {"type": "object", "properties": {name: _shape(one) for name, one in value.items()}}
    if isinstance(value, tuple | list):
        return {"type": "array", "items": _shape(value[0])}
    return {"type": "string" if isinstance(value, str) else "number"}


def _content(state: RobotState, zero: float) -> dict[str, Any]:
    return asdict(state) | {
        "time": state.time - zero,
        "received_at": state.received_at - zero,
        "off_treads": state.off_treads.name,
    }
