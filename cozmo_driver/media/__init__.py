"""Pure functions on pictures and sound: camera JPEG, display, audio (spec 03-05)."""

from __future__ import annotations
