"""Light patterns of files as the lights of the robot and its cubes, in SI units (spec 08 §7)."""

from __future__ import annotations

from ..resources import BackpackPattern, CubeLightStep, PatternLight
from ..robot.lights import LONGEST, LONGEST_OFFSET, BackpackLights, Color, CubeLights, LightState


def light_of(light: PatternLight) -> LightState:
    """Return one light. Durations that none can hold, as "for ever", become the longest."""
    return LightState(
        on_color=Color(*light.on_color),
        off_color=Color(*light.off_color),
        on_duration=_seconds(light.on_ms),
        off_duration=_seconds(light.off_ms),
        fade_in=_seconds(light.fade_in_ms),
        fade_out=_seconds(light.fade_out_ms),
        offset=max(-LONGEST_OFFSET, min(LONGEST_OFFSET, light.offset_ms / 1000)),
    )


def cube_lights_of(step: CubeLightStep) -> CubeLights:
    """Return the four lights of a step, without its duration."""
    first, second, third, fourth = map(light_of, step.lights)
    return CubeLights((first, second, third, fourth), _seconds(step.rotation_period_ms))


def backpack_lights_of(pattern: BackpackPattern) -> BackpackLights:
    """Return the five lights by their places (spec 08 §2)."""
    left, front, middle, rear, right = map(light_of, pattern.lights)
    return BackpackLights(front=front, middle=middle, rear=rear, left=left, right=right)


def _seconds(ms: int) -> float:
    return min(ms / 1000, LONGEST)
