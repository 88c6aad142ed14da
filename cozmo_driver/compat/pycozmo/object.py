"""``pycozmo.object``: what advertises itself by radio."""

from __future__ import annotations

from typing import Any


class Object:
    """A cube or charger."""

    def __init__(self, factory_id: int, object_type: Any) -> None:
        self.factory_id, self.object_type = factory_id, object_type

    def __repr__(self) -> str:
        return f"<Object {self.object_type} {self.factory_id:08x}>"
