"""Wire types: how a message class declares its fields, and the codec compiled from that.

A message or struct is a ``NamedTuple`` whose fields are ``Annotated`` with the wire types below.
Everything else (encoders, decoders, the ``decode`` tool, the documentation) derives from it.
All numbers are little-endian and unpadded (spec 02).
"""

from __future__ import annotations

import struct
import typing
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Annotated, Any

from .errors import EncodeError, MalformedMessage


@dataclass(frozen=True, slots=True)
class Scalar:
    """One number; ``code`` is its ``struct`` character."""

    code: str


@dataclass(frozen=True, slots=True)
class Array:
    """Exactly ``count`` elements: a scalar code or a struct class; held as a tuple."""

    element: str | type
    count: int


@dataclass(frozen=True, slots=True)
class Octets:
    """Exactly ``count`` bytes, held as ``bytes``."""

    count: int


@dataclass(frozen=True, slots=True)
class VarOctets:
    """A length (scalar code) and that many bytes; only as the last field. May be cut short."""

    length_code: str


@dataclass(frozen=True, slots=True)
class VarArray:
    """A length (scalar code) and that many scalars; only as the last field; held as a tuple."""

    length_code: str
    element: str


@dataclass(frozen=True, slots=True)
class Text:
    """A length in bytes (scalar code) and UTF-8 text; only as the last field."""

    length_code: str


@dataclass(frozen=True, slots=True)
class About:
    """What a field means and its unit, for people."""

    meaning: str = ""
    unit: str = ""


WireType = Scalar | Array | Octets | VarOctets | VarArray | Text

U8 = Annotated[int, Scalar("B")]
I8 = Annotated[int, Scalar("b")]
Bool = Annotated[bool, Scalar("?")]
U16 = Annotated[int, Scalar("H")]
I16 = Annotated[int, Scalar("h")]
U32 = Annotated[int, Scalar("I")]
I32 = Annotated[int, Scalar("i")]
F32 = Annotated[float, Scalar("f")]


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    wire: WireType | None
    struct_class: type | None
    enum: type[IntEnum] | type[IntFlag] | None
    unit: str
    meaning: str


def fields_of(cls: type) -> tuple[Field, ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    return tuple(_field(name, hints[name]) for name in cls._fields)  # type: ignore[attr-defined]


def _field(name: str, hint: Any) -> Field:
    metadata = getattr(hint, "__metadata__", ())
    wire = next((m for m in metadata if isinstance(m, WireType)), None)
    base = getattr(hint, "__origin__", hint)
    struct_class = base if wire is None else None
    enum = next(
        (m for m in metadata if isinstance(m, type) and issubclass(m, IntEnum | IntFlag)), None
    )
    about = next((m for m in metadata if isinstance(m, About)), About())
    return Field(name, wire, struct_class, enum, about.unit, about.meaning)


@dataclass(frozen=True, slots=True)
class Codec:
    """Compiled encoder and decoder of one class.

    ``encode(value) -> bytes`` and ``decode(data) -> value``; ``min_size`` is the size in bytes of
    everything but a variable tail, ``variable`` is whether there is such a tail.
    """

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    min_size: int
    variable: bool


def compile_codec(cls: type, tag: int | None) -> Codec:
    """Compile the codec of a message class; with ``tag`` the encoding starts with that byte."""
    layout = _Layout(cls)
    prefix = "" if tag is None else "B"
    fixed = struct.Struct(f"<{prefix}{layout.format}")
    decode_fixed = struct.Struct(f"<{layout.format}")
    encode = _compile_encode(cls, layout, fixed, tag)
    decode = _compile_decode(cls, layout, decode_fixed)
    tail_size = 0 if layout.tail is None else struct.calcsize("<" + layout.tail.length_code)
    return Codec(encode, decode, decode_fixed.size + tail_size, layout.tail is not None)


class _Layout:
    """Flattened view of a class: a struct format, and expressions to take apart and rebuild."""

    def __init__(self, cls: type) -> None:
        self.format = ""
        self.names = 0
        self.tail: VarOctets | VarArray | Text | None = None
        self.tail_name = ""
        self.classes: dict[str, type] = {}
        self.pack: list[str] = []
        self.lengths: list[tuple[str, int]] = []
        self.build = self._class(cls, "m")

    def _class(self, cls: type, path: str) -> str:
        self.classes[cls.__name__] = cls
        parts = [self._one(f, f"{path}.{f.name}") for f in fields_of(cls)]
        return f"new({cls.__name__}, ({''.join(p + ', ' for p in parts)}))"

    def _one(self, field: Field, path: str) -> str:
        if self.tail is not None:
            raise TypeError(f"{path}: no field may follow a variable one")
        wire = field.wire
        if field.struct_class is not None:
            return self._class(field.struct_class, path)
        if isinstance(wire, Array | Octets):
            self.lengths.append((path, wire.count))
        if isinstance(wire, Array) and isinstance(wire.element, type):
            rows = [self._class(wire.element, f"{path}[{i}]") for i in range(wire.count)]
            return f"({''.join(r + ', ' for r in rows)})"
        if isinstance(wire, Array):
            self.pack += [f"{path}[{i}]" for i in range(wire.count)]
            names = [self._slot(str(wire.element)) for _ in range(wire.count)]
            return f"({''.join(n + ', ' for n in names)})"
        if isinstance(wire, VarOctets | VarArray | Text):
            self.tail, self.tail_name = wire, path
            return "tail"
        assert wire is not None
        self.pack.append(path)
        return self._slot(wire.code if isinstance(wire, Scalar) else f"{wire.count}s")

    def _slot(self, code: str) -> str:
        self.format += code
        self.names += 1
        return f"v{self.names}"


_CANNOT_ENCODE = (
    struct.error,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    UnicodeEncodeError,
)


def _compile_encode(
    cls: type, layout: _Layout, fixed: struct.Struct, tag: int | None
) -> Callable[[Any], bytes]:
    def wrong_length(name: str, given: int, needed: int) -> EncodeError:
        return EncodeError(f"{cls.__name__}.{name}: {given} given, {needed} needed")

    scope: dict[str, Any] = {"pack": fixed.pack, "wrong_length": wrong_length}
    flat = layout.tail is None and layout.pack == [f"m.{n}" for n in cls._fields]  # type: ignore[attr-defined]
    args = "".join(f", {p}" for p in layout.pack)
    lead = "" if tag is None else str(tag)
    if flat:
        args = ", *m"
    call = f"pack({lead}{args})".replace("(, ", "(")
    if layout.tail is not None:
        scope["tail_bytes"] = _tail_encoder(layout.tail)
        call += f" + tail_bytes({layout.tail_name})"
    # struct pads or cuts byte strings silently, and extra array elements would vanish.
    checks = "".join(
        f"    if len({path}) != {count}:\n"
        f"        raise wrong_length({path[2:]!r}, len({path}), {count})\n"
        for path, count in layout.lengths
    )
    exec(f"def encode(m):\n{checks}    return {call}", scope)
    fast = scope["encode"]

    def encode(value: Any) -> bytes:
        try:
            return fast(value)  # type: ignore[no-any-return]
        except _CANNOT_ENCODE as error:
            raise EncodeError(f"{value!r} cannot be encoded: {error}") from error

    return encode


def _tail_encoder(tail: VarOctets | VarArray | Text) -> Callable[[Any], bytes]:
    length = struct.Struct("<" + tail.length_code)

    def encode(value: Any) -> bytes:
        if isinstance(tail, VarArray):
            data = struct.pack(f"<{len(value)}{tail.element}", *value)
        else:
            # memoryview: bytes(5) would be five zeros.
            data = value.encode() if isinstance(tail, Text) else bytes(memoryview(value))
        return length.pack(len(value) if isinstance(tail, VarArray) else len(data)) + data

    return encode


def _compile_decode(cls: type, layout: _Layout, fixed: struct.Struct) -> Callable[[bytes], Any]:
    names = "".join(f"v{i}, " for i in range(1, layout.names + 1))
    scope: dict[str, Any] = {
        "unpack": fixed.unpack,
        "unpack_from": fixed.unpack_from,
        "new": tuple.__new__,
        "struct_error": struct.error,
        "Malformed": MalformedMessage,
        "what": cls.__name__,
        **layout.classes,
    }
    assign = f"{names}= " if names else ""
    if layout.tail is None:
        body = f"        {assign}unpack(data)\n"
    else:
        scope["tail_from"] = _tail_decoder(layout.tail, fixed.size)
        body = f"        {assign}unpack_from(data)\n        tail = tail_from(data)\n"
    exec(
        f"def decode(data):\n    try:\n{body}"
        "    except (struct_error, UnicodeDecodeError) as error:\n"
        "        raise Malformed(f'{what}: {len(data)} bytes do not fit: {error}') from None\n"
        f"    return {layout.build}",
        scope,
    )
    return scope["decode"]  # type: ignore[no-any-return]


def _tail_decoder(tail: VarOctets | VarArray | Text, offset: int) -> Callable[[bytes], Any]:
    length = struct.Struct("<" + tail.length_code)
    start = offset + length.size

    def octets(data: bytes) -> bytes:
        (count,) = length.unpack_from(data, offset)
        if start + count < len(data):
            raise struct.error(f"{len(data) - start - count} bytes left over")
        return data[start:]

    def text(data: bytes) -> str:
        (count,) = length.unpack_from(data, offset)
        if start + count != len(data):
            raise struct.error(f"text of {count} bytes declared, {len(data) - start} there")
        return data[start:].decode()

    def array(data: bytes) -> tuple[Any, ...]:
        assert isinstance(tail, VarArray)
        (count,) = length.unpack_from(data, offset)
        return struct.unpack(f"<{count}{tail.element}", data[start:])

    if isinstance(tail, VarOctets):
        return octets
    return text if isinstance(tail, Text) else array
