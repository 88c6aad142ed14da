"""The face drawn from 43 parameters: expressions, blinks, eyes that look around (spec 04)."""

from __future__ import annotations

from .engine import FaceEngine
from .expressions import EXPRESSIONS, Expression, find
from .gaze import IdleOptions, look_at
from .parameters import Eye, Face, combine, interpolate
from .renderer import render
