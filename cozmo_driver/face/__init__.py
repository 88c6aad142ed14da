"""The face drawn from 43 parameters: expressions, blinks, eyes that look around (spec 04)."""

from __future__ import annotations

from . import expressions
from .engine import FaceEngine
from .expressions import EXPRESSIONS, NEUTRAL, Expression, find
from .gaze import IdleOptions, look_at
from .parameters import EYE_PARAMETERS, Eye, Face, combine, eye_from_app, eye_to_app, interpolate
from .renderer import EYE_HEIGHT, FacePicture, render
