"""``pycozmo.protocol_encoder``: PyCozmo's packets, over our messages (``names.yaml``)."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Any

from ...plain_yaml import load_yaml
from ...protocol import spec_of

_NAMES: Any = load_yaml(Path(__file__).with_name("names.yaml").read_text(encoding="utf-8"))
_TURN = 57
"""Tag of the packet whose fields differ in more than names."""
NEVER_SENT = {"FirmwareUpdate", "ShutdownRobot"}
_READ = 0
_FORMER_FIELDS = {"enable": "image_send_mode"}
"""Fields of versions before 0.6: of EnableCamera."""


class Packet:
    """A packet: fields as attributes."""

    TAG = -1
    FIELDS: tuple[tuple[str, Any], ...] = ()

    def __init__(self, *values: Any, **named: Any) -> None:
        defaults = dict(self.FIELDS)
        if len(values) > len(defaults):
            raise TypeError(f"{type(self).__name__} has {len(defaults)} fields")
        given = {**dict(zip(defaults, values, strict=False)), **named}
        for former, name in _FORMER_FIELDS.items():
            if former in given and former not in defaults and name in defaults:
                given[name] = int(given.pop(former))
        if unknown := given.keys() - defaults.keys():
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        vars(self).update(defaults, **given)

    @property
    def id(self) -> int:
        return self.TAG

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)}" for name, _ in self.FIELDS)
        return f"{type(self).__name__}({values})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return id(self)


class LightState(Packet):
    """One light; colours of ``Color.to_int16``, times in frames."""

    FIELDS = tuple(
        (name, 0)
        for name in (
            "on_color",
            "off_color",
            "on_frames",
            "off_frames",
            "transition_on_frames",
            "transition_off_frames",
            "offset",
        )
    )


PACKETS: dict[int, type[Packet]] = {}
"""By tag."""


def _declare() -> None:
    module = sys.modules[__name__]
    for name, (tag, *fields) in _NAMES["packets"].items():
        declared = []
        for field in fields:
            word, _, default = str(field).partition("=")
            declared.append((word, float(default) if "." in default else int(default or 0)))
        made = type(name, (Packet,), {"TAG": tag, "FIELDS": tuple(declared)})
        PACKETS[tag] = made
        setattr(module, name, made)
    for name, entries in _NAMES["enums"].items():
        setattr(module, name, enum.Enum(name, entries))


_declare()


def _enum(name: str, value: Any) -> Any:
    kind = getattr(sys.modules[__name__], name)
    try:
        return kind(value)
    except ValueError:
        return value


_ENUM_FIELDS = {
    "event_type": "PathEventType",
    "object_type": "ObjectType",
    "axis": "UpAxis",
    "axis_of_accel": "UpAxis",
    "motor_id": "MotorID",
    "body_color": "BodyColor",
    "image_encoding": "ImageEncoding",
    "image_resolution": "ImageResolution",
}


def from_message(message: Any) -> Packet | None:
    """Return the packet of one of our messages; None where PyCozmo has none."""
    kind = PACKETS.get(spec_of(message).tag)
    if kind is None:
        return None
    names = [name for name, _ in kind.FIELDS]
    packet = kind(**dict(zip(names, _flat(message), strict=False)))
    for name in _ENUM_FIELDS.keys() & vars(packet).keys():
        setattr(packet, name, _enum(_ENUM_FIELDS[name], int(getattr(packet, name))))
    if kind.__name__ == "NvStorageOpResult":
        packet.result = _enum("NvResult", int(packet.result))  # type: ignore[attr-defined]
        packet.tag = _enum("NvEntryTag", int(packet.tag))  # type: ignore[attr-defined]
    return packet


def _flat(values: Any) -> Any:
    """Return the values of structures in structures, one after another; sequences stay whole."""
    for value in values:
        if hasattr(value, "_fields"):
            yield from _flat(value)
        else:
            yield value


def to_message(packet: Packet) -> Any:
    """Return our message of a packet. Raises ``ValueError`` for what is never sent."""
    name = type(packet).__name__
    if name in NEVER_SENT:
        raise ValueError(f"{name} is never sent: cozmo update and cozmo nv do that with care")
    values = [_plain(getattr(packet, field)) for field, _ in packet.FIELDS]
    if name == "NvStorageOp" and values[2] != _READ:
        raise ValueError("PyCozmo programs only read the robot's storage: cozmo nv writes it")
    if packet.TAG == _TURN:
        angle, speed, accel, tolerance, low, high, is_absolute, action = values
        half_turns = int(low) | int(high) << 8
        values = [angle, speed, accel, tolerance, half_turns, is_absolute, action]
    if name in ("AnimHead", "AnimLift"):
        values = [values[0], values[2]]
    kind = spec_of(packet.TAG).cls
    return _built(kind, iter(values))


def _built(kind: Any, values: Any) -> Any:
    """Fill our structure with values in their order."""
    from typing import get_args, get_type_hints

    hints = get_type_hints(kind, include_extras=False)
    made = []
    for name in kind._fields:
        hint = hints[name]
        if hasattr(hint, "_fields"):
            made.append(_built(hint, values))
            continue
        value = next(values, 0)
        if hint is bytes and not value:
            value = b""
        inner = [one for one in get_args(hint) if hasattr(one, "_fields")]
        if inner and isinstance(value, tuple | list):
            value = tuple(inner[0](*(_plain(getattr(v, n)) for n, _ in v.FIELDS)) for v in value)
        elif isinstance(value, list):
            value = tuple(value)
        made.append(value)
    return kind(*made)


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    return value
