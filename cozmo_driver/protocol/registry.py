"""The declared messages by tag and by class, and their codecs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar

from .errors import EncodeError, MalformedMessage, UnknownMessage
from .wire import Codec, Field, compile_codec, fields_of

Message = tuple[Any, ...]
"""Any declared message: an immutable ``NamedTuple`` of the package ``messages``."""

_Class = TypeVar("_Class", bound=type)


class Direction(Enum):
    ENGINE_TO_ROBOT = "engine to robot"
    ROBOT_TO_ENGINE = "robot to engine"


ENGINE_TO_ROBOT = Direction.ENGINE_TO_ROBOT
ROBOT_TO_ENGINE = Direction.ROBOT_TO_ENGINE


@dataclass
class MessageSpec:
    tag: int
    cls: type
    direction: Direction
    reliable: bool
    confidence: str
    pycozmo: str | None
    never_send: bool

    @property
    def name(self) -> str:
        return self.cls.__name__

    @property
    def fields(self) -> tuple[Field, ...]:
        return fields_of(self.cls)

    @cached_property
    def codec(self) -> Codec:
        """Compiled at its first use; sizes exclude the tag."""
        return compile_codec(self.cls, self.tag)


_by_tag: dict[int, MessageSpec] = {}
_by_class: dict[type, MessageSpec] = {}


def message(
    tag: int,
    direction: Direction,
    *,
    confidence: str,
    reliable: bool = True,
    pycozmo: str | None = None,
    never_send: bool = False,
) -> Callable[[_Class], _Class]:
    """Declare a ``NamedTuple`` class as the message with this tag."""

    def declare(cls: _Class) -> _Class:
        if tag in _by_tag:
            raise TypeError(f"tag {tag:#04x} is both {_by_tag[tag].name} and {cls.__name__}")
        spec = MessageSpec(tag, cls, direction, reliable, confidence, pycozmo, never_send)
        _by_tag[tag] = _by_class[cls] = spec
        # Tuples compare by content only, and empty ones are false: messages of two types must
        # never be equal, and no message is false.
        for name, method in _MESSAGE_METHODS.items():
            setattr(cls, name, method)
        return cls

    return declare


def _same_message(self: Message, other: object) -> bool:
    return type(self) is type(other) and tuple.__eq__(self, other)


_MESSAGE_METHODS: dict[str, Callable[..., object]] = {
    "__eq__": _same_message,
    "__ne__": lambda self, other: not _same_message(self, other),
    "__hash__": lambda self: hash((type(self), tuple.__hash__(self))),
    "__bool__": lambda self: True,
}


def spec_of(what: int | type | Message) -> MessageSpec:
    """Return the declaration of a tag, a message class or a message. Raises ``KeyError``."""
    if isinstance(what, int):
        return _by_tag[what]
    return _by_class[what if isinstance(what, type) else type(what)]


def all_specs() -> Iterator[MessageSpec]:
    """Yield every declared message in the order of the tags."""
    for tag in sorted(_by_tag):
        yield _by_tag[tag]


class _Encoders(dict[type, Callable[[Any], bytes]]):
    def __missing__(self, cls: type) -> Callable[[Any], bytes]:
        if cls not in _by_class:
            raise EncodeError(f"{cls.__name__} is not a declared message")
        encode = self[cls] = _by_class[cls].codec.encode
        return encode


class _Decoders(dict[int, Callable[[bytes], Any]]):
    def __missing__(self, tag: int) -> Callable[[bytes], Any]:
        if tag not in _by_tag:
            raise UnknownMessage(f"no message has the tag {tag:#04x}")
        decode = self[tag] = _by_tag[tag].codec.decode
        return decode


_encoders = _Encoders()
_decoders = _Decoders()


def encode_message(value: Message) -> bytes:
    """Return tag and fields as bytes. Raises ``EncodeError`` for values that do not fit."""
    return _encoders[type(value)](value)


def decode_message(data: bytes) -> Message:
    """Return the message that tag and fields hold, exactly.

    Raises ``MalformedMessage`` or ``UnknownMessage``; both leave the transport untouched
    (spec 01 §4 rule 6).
    """
    if not data:
        raise MalformedMessage("a message without a tag")
    return _decoders[data[0]](data[1:])  # type: ignore[no-any-return]
