"""``cozmo.base``: what every object of the façade is."""

from __future__ import annotations

from .event import Dispatcher
from .sync import Side

Base = Dispatcher
__all__ = ["Base", "Side"]
