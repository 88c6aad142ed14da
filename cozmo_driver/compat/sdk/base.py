"""``cozmo.base``: what every object of the façade is."""

from __future__ import annotations

from .event import Dispatcher


class Base(Dispatcher):
    """For programs that name it."""
