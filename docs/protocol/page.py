"""The page: every message, struct and enumeration as declared in ``cozmo_driver.protocol``."""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import Enum, IntEnum, IntFlag

from cozmo_driver.protocol import frames, messages
from cozmo_driver.protocol.connection import TRANSITIONS
from cozmo_driver.protocol.registry import Direction, MessageSpec, all_specs
from cozmo_driver.protocol.wire import (
    Array,
    Field,
    Octets,
    Scalar,
    Text,
    VarArray,
    VarOctets,
    WireType,
    fields_of,
)

assert messages  # importing it declares them

_SCALARS = {
    "B": "u8",
    "b": "i8",
    "?": "bool",
    "H": "u16",
    "h": "i16",
    "I": "u32",
    "i": "i32",
    "f": "f32",
    "d": "f64",
}
_ARROWS = {Direction.ENGINE_TO_ROBOT: "engine → robot", Direction.ROBOT_TO_ENGINE: "robot → engine"}
_CONFIDENCE = {
    "H": "seen in traffic of a real robot",
    "E": "from the app's engine",
    "F": "from older firmware",
    "P": "from PyCozmo",
    "?": "a guess",
}

BEGIN = """\
# Protocol

Written by `make docs` from the declaration of the messages, `cozmo_driver/protocol/messages/`:
what stands here is what is encoded, decoded and printed.

The robot is a UDP server, port 5551 of 172.31.1.1 in its own Wi-Fi, for one client at a time, the
engine. There is no checksum beside UDP's and no encryption. All numbers are little-endian and
nothing is padded.
"""

FRAME = f"""\
## Frames

One datagram is one frame of at most {frames.MAX_RECEIVED_FRAME} bytes; the driver sends at most
{frames.MAX_SENT_FRAME}.

| byte | type | |
|---|---|---|
| 0 | 7 bytes | `{frames.MAGIC.hex(" ")}` |
| 7 | u8 | type of the frame |
| 8 | u16 | sequence number of its first reliable message, 0 without one |
| 10 | u16 | sequence number of its last one |
| 12 | u16 | acknowledgement: the last reliable message received in order, 0 for nothing yet |
| {frames.HEADER_SIZE} | | body |

| type | | reliable |
|---|---|---|
"""

SUB_MESSAGES = """
The containers (7, 8, 9) hold sub-messages: type u8, size u16, that many bytes. Reliable ones are
numbered from the first number of the frame on. A message is its tag, u8, and its fields. What is
reliable is sent again until it is acknowledged.

## Connection

![States of a connection](images/connection.svg)

| in | happens | becomes |
|---|---|---|
"""


def page() -> str:
    """Return the whole page."""
    specs = list(all_specs())
    structs: dict[str, type] = {}
    enums: dict[str, type[Enum]] = {}
    for spec in specs:
        _collect(spec.cls, structs, enums)
    lines = [BEGIN, FRAME.rstrip("\n"), *_frame_types(), SUB_MESSAGES.rstrip("\n")]
    lines += [f"| {a.value} | {what} | {b.value} |" for (a, what), b in TRANSITIONS.items()]
    lines += ["", "## Messages", "", *_overview(specs), ""]
    groups: dict[str, list[MessageSpec]] = defaultdict(list)
    for spec in specs:
        groups[spec.cls.__module__].append(spec)
    for module in sorted(groups):
        lines += [f"### {_title(module)}", ""]
        for spec in groups[module]:
            lines += _message(spec)
    lines += ["## Structs", ""]
    for name in sorted(structs):
        lines += [f"### {name}", "", *_text(structs[name]), *_table(fields_of(structs[name])), ""]
    lines += ["## Enumerations", ""]
    for name in sorted(enums):
        lines += _enum(enums[name])
    return "\n".join(lines).rstrip("\n") + "\n"


def _frame_types() -> Iterator[str]:
    for kind in frames.FrameType:
        reliable = "yes" if kind in frames.RELIABLE_TYPES else ""
        what = "container" if kind in frames.CONTAINER_TYPES else reliable
        yield f"| {kind.value} | {kind.name.replace('_', ' ').lower()} | {what} |"


def _title(module: str) -> str:
    return (inspect.getdoc(sys.modules[module]) or module).splitlines()[0].rstrip(".")


def _collect(cls: type, structs: dict[str, type], enums: dict[str, type[Enum]]) -> None:
    for field in fields_of(cls):
        if field.enum is not None:
            enums[field.enum.__name__] = field.enum
        inner = _struct_of(field)
        if inner is not None and inner.__name__ not in structs:
            structs[inner.__name__] = inner
            _collect(inner, structs, enums)


def _struct_of(field: Field) -> type | None:
    if field.struct_class is not None:
        return field.struct_class
    wire = field.wire
    return wire.element if isinstance(wire, Array) and isinstance(wire.element, type) else None


def _overview(specs: Iterable[MessageSpec]) -> list[str]:
    rows = ["| tag | message | | |", "|---|---|---|---|"]
    for spec in specs:
        about = _declared(spec.cls).partition("\n")[0]
        link = f"[{spec.name}](#{spec.name.lower()})"
        rows.append(f"| {spec.tag:#04x} | {link} | {_ARROWS[spec.direction]} | {_cell(about)} |")
    return rows


def _message(spec: MessageSpec) -> list[str]:
    facts = [f"`{spec.tag:#04x}`", _ARROWS[spec.direction]]
    facts.append("reliable" if spec.reliable else "unreliable")
    size = spec.codec.min_size + 1
    facts.append(f"{size} bytes and more" if spec.codec.variable else f"{size} bytes with its tag")
    facts.append(_CONFIDENCE[spec.confidence])
    if spec.pycozmo:
        facts.append(f"PyCozmo: {spec.pycozmo}")
    if spec.never_send:
        facts.append("never sent by the driver")
    table = _table(spec.fields, getattr(spec.cls, "_field_defaults", {}))
    return [f"#### {spec.name}", "", " · ".join(facts), "", *_text(spec.cls), *table, ""]


def _declared(cls: type) -> str:
    """Return the docstring in the source; Python gives these classes one of its own without it."""
    text = inspect.cleandoc(vars(cls).get("__doc__") or "")
    return "" if text.startswith((f"{cls.__name__}(", "An enumeration.")) else text


def _text(cls: type) -> list[str]:
    text = _declared(cls)
    return [text, ""] if text else []


def _table(fields: Iterable[Field], defaults: dict[str, object] | None = None) -> list[str]:
    rows = []
    for field in fields:
        about = [field.meaning] if field.meaning else []
        if field.enum is not None:
            about.append(f"[{field.enum.__name__}](#{field.enum.__name__.lower()})")
        default = (defaults or {}).get(field.name)
        shown = f"`{default:g}`" if isinstance(default, float) else ""
        if isinstance(default, bool) or (default is not None and not shown and default != b""):
            shown = f"`{int(default) if isinstance(default, IntEnum | IntFlag) else default}`"
        text = _cell("; ".join(about))
        unit = field.unit.replace("^2", "²")
        rows.append(f"| `{field.name}` | {_wire(field)} | {unit} | {text} | {_cell(shown)} |")
    if not rows:
        return ["No fields."]
    return ["| field | type | unit | | default |", "|---|---|---|---|---|", *rows]


def _wire(field: Field) -> str:
    struct = _struct_of(field)
    link = f"[{struct.__name__}](#{struct.__name__.lower()})" if struct else ""
    wire: WireType | None = field.wire
    match wire:
        case None:
            return link
        case Scalar(code):
            return _SCALARS[code]
        case Array(element, count):
            return f"{count} × {link or _SCALARS[str(element)]}"
        case Octets(count):
            return f"{count} bytes"
        case VarOctets(code):
            return f"{_SCALARS[code]} length, bytes"
        case VarArray(code, element):
            return f"{_SCALARS[code]} count, {_SCALARS[element]} each"
        case Text(code):
            return f"{_SCALARS[code]} length, UTF-8"
    raise TypeError(f"{field.name}: no words for {wire!r}")


def _enum(enum: type[Enum]) -> list[str]:
    is_mask = issubclass(enum, IntFlag)
    rows = [
        f"| {hex(int(value)) if is_mask else int(value)} | {name} |"
        for name, value in enum.__members__.items()
    ]
    return [f"### {enum.__name__}", "", *_text(enum), "| value | |", "|---|---|", *rows, ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
