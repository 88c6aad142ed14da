"""Backpack lights."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import BackpackLayer
from ..registry import ENGINE_TO_ROBOT, message
from ..structs import LightState
from ..wire import U8, About, Array


@message(0x02, ENGINE_TO_ROBOT, confidence="E")
class BackpackSetLayer(NamedTuple):
    """Choose which backpack light layer is shown.

    The robot itself sends this to its body with BPL_USER when an animation ends [F].
    """

    layer: Annotated[U8, BackpackLayer] = 0


@message(0x03, ENGINE_TO_ROBOT, confidence="H", pycozmo="LightStateCenter")
class BackpackLightsMiddle(NamedTuple):
    """Three RGB lights on the spine (LED 1 front, 2 middle, 3 back)."""

    lights: Annotated[tuple[LightState, ...], Array(LightState, 3), About("front, middle, back")]
    layer: Annotated[U8, BackpackLayer, About("layer written")] = 0


@message(0x11, ENGINE_TO_ROBOT, confidence="H", pycozmo="LightStateSide")
class BackpackLightsTurnSignals(NamedTuple):
    """The two red side lights (LED 0 left, 4 right)."""

    lights: Annotated[tuple[LightState, ...], Array(LightState, 2), About("left, right")]
    layer: Annotated[U8, BackpackLayer] = 0
