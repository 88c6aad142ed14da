"""The ``cozmo`` command."""

from __future__ import annotations
