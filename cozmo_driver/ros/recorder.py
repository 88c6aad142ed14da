"""Records topics of the graph into an MCAP file, which Foxglove and ``ros2 bag`` read.

``rosbag2`` does the same where it is installed; this works wherever the nodes do.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import Writer
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

DEFAULT_MAX_SIZE = 1 << 30
_PERIOD = 1.0
"""Between two looks for new topics, s."""
_QUEUE, _DEPTH = 1000, 100
"""Messages that may wait for the disk, and in a subscription."""
_CHUNK = 1 << 18
"""Bytes that are compressed and written at once, and lost when the program is killed."""


@dataclass(frozen=True, slots=True)
class Recording:
    """How far a recording is. ``error`` is why it ended by itself, empty for not at all."""

    path: Path
    topics: frozenset[str] = frozenset()
    size: int = 0
    messages: int = 0
    dropped: int = 0
    """Messages that came faster than the disk took them."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class _Channel:
    topic: str
    type: str
    definition: str


def is_recorded(topic: str) -> bool:
    """Leave out raw pictures: the compressed ones show the same at a tenth of the size."""
    return not topic.endswith("/image_raw")


class Recorder:
    """Records from now on until ``close``; latched messages from before too.

    Make and close it in the thread of the node's executor.
    """

    def __init__(
        self,
        node: Node,
        path: Path,
        wanted: Callable[[str], bool] = is_recorded,
        max_size: int = DEFAULT_MAX_SIZE,
    ) -> None:
        """Record every visible topic whose full name is ``wanted``, up to ``max_size`` bytes.

        Raises ``OSError``; a file that exists is not overwritten.
        """
        self._node, self._path, self._wanted, self._max_size = node, path, wanted, max_size
        self._topics: frozenset[str] = frozenset()
        self._subscriptions: list[Any] = []
        self._queue: queue.Queue[tuple[_Channel, int, bytes] | None] = queue.Queue(_QUEUE)
        self._size = self._messages = self._dropped = 0
        self._error = ""
        self._is_closed = False
        file = path.open("xb")
        self._thread = threading.Thread(target=self._run, args=(file,), name="recorder")
        self._thread.start()
        self._timer = node.create_timer(_PERIOD, self._subscribe)
        self._subscribe()

    @property
    def recording(self) -> Recording:
        """How far it is; may be asked for in any thread."""
        return Recording(
            self._path, self._topics, self._size, self._messages, self._dropped, self._error
        )

    def close(self) -> Recording:
        """End the file; waits until everything is written."""
        self._node.destroy_timer(self._timer)
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._queue.put(None)
        self._thread.join()
        return self.recording

    # -- in the executor's thread

    def _subscribe(self) -> None:
        for topic, types in self._node.get_topic_names_and_types():
            is_hidden = any(part.startswith("_") for part in topic.split("/"))
            if topic in self._topics or is_hidden or not self._wanted(topic):
                continue
            publishers = self._node.get_publishers_info_by_topic(topic)
            if publishers:
                self._topics |= {topic}
                self._record(topic, types[0], _qos_of(publishers))

    def _record(self, topic: str, type_name: str, qos: QoSProfile) -> None:
        try:
            kind = _class_of(type_name)
        except (ImportError, AttributeError):
            self._node.get_logger().warning(
                f"{topic} is not recorded: the package of {type_name} is not installed here"
            )
            return
        channel = _Channel(topic, type_name, definition_of(kind))
        on_message = partial(self._on_message, channel)
        self._subscriptions.append(
            self._node.create_subscription(kind, topic, on_message, qos, raw=True)
        )

    def _on_message(self, channel: _Channel, data: bytes) -> None:
        now = self._node.get_clock().now().nanoseconds
        try:
            self._queue.put_nowait((channel, now, data))
        except queue.Full:
            self._dropped += 1

    # -- in a thread of its own

    def _run(self, file: BinaryIO) -> None:
        try:
            with file:
                self._write(file)
        except Exception as error:
            # Of the disk or of the library: it is reported, and nobody waits for a full queue.
            self._end_by_itself(f"{self._path}: {getattr(error, 'strerror', None) or error!r}")
        while not self._is_closed:
            self._next()

    def _write(self, file: BinaryIO) -> None:
        writer, channels = Writer(file, chunk_size=_CHUNK), dict[_Channel, int]()
        writer.start(profile=Profile.ROS2, library="cozmo_driver")
        while (item := self._next()) is not None:
            self._add(writer, channels, *item)
            self._size = file.tell()
            if self._size >= self._max_size:
                self._end_by_itself(f"{self._path} has its full size of {self._max_size} bytes")
                break
        writer.finish()  # type: ignore[no-untyped-call]
        self._size = file.tell()

    def _next(self) -> tuple[_Channel, int, bytes] | None:
        item = self._queue.get()
        self._is_closed = item is None
        return item

    def _add(
        self,
        writer: Writer,
        channels: dict[_Channel, int],
        channel: _Channel,
        time: int,
        data: bytes,
    ) -> None:
        number = channels.get(channel)
        if number is None:
            schema = writer.register_schema(
                channel.type, SchemaEncoding.ROS2, channel.definition.encode()
            )
            number = writer.register_channel(channel.topic, MessageEncoding.CDR, schema)
            channels[channel] = number
        writer.add_message(number, log_time=time, publish_time=time, data=data)
        self._messages += 1

    def _end_by_itself(self, error: str) -> None:
        self._error = error
        self._node.get_logger().error(f"the recording ended: {error}")


def _qos_of(publishers: list[Any]) -> QoSProfile:
    """Return the strictest profile that all of them offer."""
    offered = [publisher.qos_profile for publisher in publishers]
    is_reliable = all(one.reliability is ReliabilityPolicy.RELIABLE for one in offered)
    is_latched = all(one.durability is DurabilityPolicy.TRANSIENT_LOCAL for one in offered)
    return QoSProfile(
        depth=_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if is_reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if is_latched else DurabilityPolicy.VOLATILE,
    )


# -- message definitions

_PRIMITIVES = {"boolean": "bool", "octet": "byte", "float": "float32", "double": "float64"}
_SEQUENCE = re.compile(r"sequence<(.+?)(?:, (\d+))?>$")
_ARRAY = re.compile(r"(.+)\[(\d+)\]$")
_SEPARATOR = "=" * 80


def definition_of(kind: type) -> str:
    """Return the fields of a message type and of all types in it, as in ``.msg`` files.

    Comes from the Python class, as not every installation has the files; constants are left out.
    """
    texts: dict[str, str] = {}
    _define(kind, "", texts)
    first, *others = texts.items()
    return "\n".join([first[1], *(f"{_SEPARATOR}\nMSG: {name}\n{text}" for name, text in others)])


def _define(kind: Any, name: str, texts: dict[str, str]) -> None:
    texts[name] = ""
    for field, idl in kind.get_fields_and_field_types().items():
        base, suffix = _split(idl)
        if "/" in base and base not in texts:
            _define(_class_of(base), base, texts)
        texts[name] += f"{_PRIMITIVES.get(base, base)}{suffix} {field}\n"


def _split(idl: str) -> tuple[str, str]:
    """Return the element type and what makes a field an array."""
    if match := _SEQUENCE.match(idl):
        base, bound = match.groups()
        suffix = f"[<={bound}]" if bound else "[]"
    elif match := _ARRAY.match(idl):
        base, suffix = match[1], f"[{match[2]}]"
    else:
        base, suffix = idl, ""
    # A bounded string.
    return base.replace("<", "<=").replace(">", ""), suffix


def _class_of(type_name: str) -> type:
    package, *_, name = type_name.split("/")
    found: type = getattr(import_module(f"{package}.msg"), name)
    return found
