"""The states of a checkup's steps, and its images, as an MCAP file for Foxglove; without ROS."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from ..robot import RobotState
from ..whole_files import whole_file
from .step import Picture

STATES_FILE = "states.mcap"
_MODE = 0o644
_TOPIC = "/robot_state"
_MOST = 60_000
"""States, half an hour of steps, which take ten minutes."""
_FRAME = "camera"
_IMAGE: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "timestamp": {
            "type": "object",
            "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}},
        },
        "frame_id": {"type": "string"},
        "data": {"type": "string", "contentEncoding": "base64"},
        "format": {"type": "string"},
    },
}
"""``foxglove.CompressedImage`` as JSON, by which Foxglove shows it."""
_NANO = 1_000_000_000


class _Message(NamedTuple):
    topic: str
    schema: str
    shape: bytes
    stamp: int
    """ns since the first state."""
    data: bytes


class StateRecorder:
    """``add`` is for ``Checkup``'s ``on_state``."""

    def __init__(self) -> None:
        self._states: list[RobotState] = []

    def add(self, state: RobotState) -> None:
        """Keep a state, as long as there is room."""
        if len(self._states) < _MOST:
            self._states.append(state)

    def write(self, path: Path, pictures: Mapping[str, Picture]) -> bool:
        """Write them with pictures by their file's name; False without the package mcap or a state.

        Nothing but those names the robot, nor the time of the day. Raises ``OSError``.
        """
        if not self._states:
            return False
        zero = self._states[0].time
        shape = json.dumps(_shape(_content(self._states[0], zero))).encode()
        messages = [
            _Message(
                _TOPIC,
                "RobotState",
                shape,
                _stamp(state.time, zero),
                json.dumps(_content(state, zero)).encode(),
            )
            for state in self._states
        ]
        messages += [_image(name, picture, zero) for name, picture in pictures.items()]
        try:
            _write(path, sorted(messages, key=lambda message: message.stamp))
        except ModuleNotFoundError:
            return False
        return True


def drop_pictures(path: Path, names: Collection[str]) -> None:
    """Write the file anew without the pictures of these files. Raises ``OSError``."""
    topics = {_topic(name) for name in names}
    _write(path, [message for message in _read(path) if message.topic not in topics])


def _read(path: Path) -> Iterator[_Message]:
    from mcap.reader import make_reader

    with path.open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            assert schema is not None
            data = (schema.name, schema.data, message.log_time, message.data)
            yield _Message(channel.topic, *data)


def _write(path: Path, messages: Iterable[_Message]) -> None:
    """Write a file in one step. Raises ``OSError``, and ``ModuleNotFoundError`` without mcap."""
    from mcap.writer import CompressionType, Writer

    channels: dict[str, int] = {}
    with whole_file(path, _MODE) as file:
        # The report's archive compresses it.
        writer = Writer(file, compression=CompressionType.NONE)
        writer.start()
        for number, one in enumerate(messages):
            if one.topic not in channels:
                schema = writer.register_schema(one.schema, "jsonschema", one.shape)
                channels[one.topic] = writer.register_channel(one.topic, "json", schema)
            writer.add_message(channels[one.topic], one.stamp, one.data, one.stamp, number)
        writer.finish()  # type: ignore[no-untyped-call]


def _topic(name: str) -> str:
    """Return the topic of a picture by its file's name."""
    return f"/{Path(name).with_suffix('')}"


def _image(name: str, picture: Picture, zero: float) -> _Message:
    stamp = _stamp(picture.time, zero)
    content = {
        "timestamp": {"sec": stamp // _NANO, "nsec": stamp % _NANO},
        "frame_id": _FRAME,
        "data": base64.b64encode(picture.jpeg).decode("ascii"),
        "format": "jpeg",
    }
    shape = json.dumps(_IMAGE).encode()
    data = json.dumps(content).encode()
    return _Message(_topic(name), "foxglove.CompressedImage", shape, stamp, data)


def _stamp(time: float, zero: float) -> int:
    return max(0, round(_NANO * (time - zero)))


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
