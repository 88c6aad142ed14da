"""The steps in their order: what needs nothing first, what moves last."""

from __future__ import annotations

from . import (
    steps_body,
    steps_calibration,
    steps_camera,
    steps_driving,
    steps_inside,
    steps_objects,
    steps_person,
    steps_rest,
)
from .step import Step

STEPS: tuple[Step, ...] = (
    *steps_rest.STEPS,
    *steps_inside.STEPS,
    *steps_person.STEPS,
    *steps_body.STEPS,
    *steps_camera.STEPS,
    *steps_driving.STEPS,
    *steps_camera.TURNING,
    *steps_objects.STEPS,
    *steps_objects.SEEN,
    steps_rest.CLOCK,
    steps_calibration.STEP,
    *steps_driving.OBSTACLES,
    *steps_objects.DOCKING,
)
