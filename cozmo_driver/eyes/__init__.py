"""What a robot's pictures show, and where that stands: above ``vision/`` and ``world_model/``."""

from __future__ import annotations

from .eyes import Eyes, Sight

__all__ = ["Eyes", "Sight"]
