"""The steps in their order: what needs nothing first, what moves last."""

from __future__ import annotations

from . import steps_rest
from .step import Step

STEPS: tuple[Step, ...] = (*steps_rest.STEPS,)
