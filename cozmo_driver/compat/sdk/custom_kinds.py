"""Kinds and markers of objects that programs define (``cozmo.objects``)."""

from __future__ import annotations

from typing import NamedTuple

from .names import named_values


class _CustomObjectType(NamedTuple):
    name: str
    id: int


class CustomObjectTypes:
    """Kinds of objects that programs define."""


_FIRST_CUSTOM = 17
for _number in range(20):
    _entry = _CustomObjectType(f"CustomType{_number:02d}", _FIRST_CUSTOM + _number)
    setattr(CustomObjectTypes, _entry.name, _entry)


class _CustomObjectMarker(NamedTuple):
    name: str
    id: int


class CustomObjectMarkers:
    """Markers that programs put on their objects."""


for _name, _id in named_values("custom_object_markers").items():
    setattr(CustomObjectMarkers, _name, _CustomObjectMarker(_name, _id))
