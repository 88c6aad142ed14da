"""``cozmo.pets``: cats and dogs, which are never seen here (spec 21 §8)."""

from __future__ import annotations

from typing import Any

from .event import Event
from .objects import ObservableElement

PET_VISIBILITY_TIMEOUT = 0.4
PET_TYPE_UNKNOWN, PET_TYPE_CAT, PET_TYPE_DOG = "unknown", "cat", "dog"


class EvtPetObserved(Event):
    """Triggered whenever a pet is seen."""

    pet = "The pet"
    updated = "The names of what has changed"
    image_box = "Where it is in the image"


class EvtPetAppeared(Event):
    """Triggered whenever a pet comes into sight."""

    pet = "The pet"
    updated = "The names of what has changed"
    image_box = "Where it is in the image"


class EvtPetDisappeared(Event):
    """Triggered whenever a pet has gone out of sight."""

    pet = "The pet"


class Pet(ObservableElement):
    """A cat or a dog."""

    visibility_timeout = PET_VISIBILITY_TIMEOUT
    _events = EvtPetObserved, EvtPetAppeared, EvtPetDisappeared
    _name = "pet"

    def __init__(
        self, conn: Any = None, world: Any = None, robot: Any = None, pet_id: int = -1, **named: Any
    ) -> None:
        super().__init__(conn, world, robot, **named)
        self.pet_id = pet_id
        self.pet_type = PET_TYPE_UNKNOWN
