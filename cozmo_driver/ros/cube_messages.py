"""Cubes, and lights of cubes and backpack."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3 as VectorMessage
from std_msgs.msg import ColorRGBA

from cozmo_interfaces.msg import BackpackLights as BackpackLightsMessage
from cozmo_interfaces.msg import Cube as CubeMessage
from cozmo_interfaces.msg import CubeAccel, CubeArray
from cozmo_interfaces.msg import CubeEvent as CubeEventMessage
from cozmo_interfaces.msg import CubeLights as CubeLightsMessage
from cozmo_interfaces.msg import LightState as LightStateMessage

from ..robot import (
    BackpackLights,
    Color,
    Cube,
    CubeAcceleration,
    CubeEvent,
    CubeEventType,
    CubeKind,
    CubeLights,
    CubeLink,
    LightState,
)
from ..robot import Vector3 as PlainVector
from .geometry import constants, filled, from_message, header

LINKS = constants(CubeLink, CubeMessage)
EVENTS = constants(CubeEventType, CubeEventMessage)
_PLACES = ("front", "middle", "rear", "left", "right")
StampOf = Callable[[float], Time]
"""From the host's monotonic clock, s."""


def cube_kind(number: int) -> CubeKind:
    """Return the kind that a request names. Raises ``ValueError``."""
    try:
        return CubeKind(number)
    except ValueError:
        kinds = ", ".join(str(kind.value) for kind in CubeKind)
        raise ValueError(f"cube_id must be one of {kinds}, not {number}") from None


def cube_frame(kind: CubeKind) -> str:
    """Return the frame of a cube's own axes, without a prefix."""
    return "charger" if kind is CubeKind.CHARGER else f"cube_{kind.value}"


def cube_message(cube: Cube, stamp_of: StampOf) -> CubeMessage:
    return filled(
        CubeMessage,
        cube,
        cube_id=int(cube.kind),
        slot=CubeMessage.NO_SLOT if cube.slot is None else int(cube.slot),
        connection=LINKS[cube.link],
        is_streaming_acceleration=bool(cube.is_streaming),
        rssi_raw=int(cube.rssi),
        battery_percentage=float(cube.battery_level),
        last_heard=Time() if math.isnan(cube.last_heard) else stamp_of(cube.last_heard),
    )


def cube_array_message(cubes: Iterable[Cube], stamp: Time, stamp_of: StampOf) -> CubeArray:
    return CubeArray(
        header=header(stamp, ""), cubes=[cube_message(cube, stamp_of) for cube in cubes]
    )


def cube_event_message(event: CubeEvent, stamp: Time, frame_prefix: str) -> CubeEventMessage:
    """Return something that happened to a cube; what it did not measure is NaN."""
    acceleration = event.acceleration
    unmeasured = VectorMessage(x=math.nan, y=math.nan, z=math.nan)
    return CubeEventMessage(
        header=header(stamp, frame_prefix + cube_frame(event.cube.kind)),
        type=EVENTS[event.type],
        cube_id=int(event.cube.kind),
        factory_id=int(event.cube.factory_id),
        description=event.text,
        up_axis=int(event.cube.up_axis),
        tap_intensity_raw=int(event.tap_intensity),
        acceleration=unmeasured if acceleration is None else _vector(acceleration),
    )


def cube_accel_message(felt: CubeAcceleration, stamp: Time, frame_prefix: str) -> CubeAccel:
    return CubeAccel(
        header=header(stamp, frame_prefix + cube_frame(felt.kind)),
        cube_id=int(felt.kind),
        factory_id=int(felt.factory_id),
        linear_acceleration=_vector(felt.acceleration),
    )


def _vector(vector: PlainVector) -> VectorMessage:
    return VectorMessage(x=float(vector.x), y=float(vector.y), z=float(vector.z))


def light_state(message: LightStateMessage) -> LightState:
    """Return one light. Raises ``ValueError`` for what no light can show."""
    colors = {name: _color(getattr(message, name)) for name in ("on_color", "off_color")}
    return from_message(LightState, message, **colors)


def backpack_lights(message: BackpackLightsMessage) -> BackpackLights:
    """Return the five lights of the backpack. Raises ``ValueError``, naming the light."""
    return BackpackLights(**{place: _named(place, getattr(message, place)) for place in _PLACES})


def cube_lights(message: CubeLightsMessage) -> CubeLights:
    """Return the four lights of a cube. Raises ``ValueError``, naming the light."""
    first, second, third, fourth = (
        _named(f"light {number}", light) for number, light in enumerate(message.lights)
    )
    return CubeLights((first, second, third, fourth), float(message.rotation_period))


def _named(name: str, message: LightStateMessage) -> LightState:
    try:
        return light_state(message)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _color(message: ColorRGBA) -> Color:
    return Color(float(message.r), float(message.g), float(message.b), float(message.a))


def light_message(light: LightState) -> LightStateMessage:
    return filled(
        LightStateMessage,
        light,
        on_color=_color_message(light.on_color),
        off_color=_color_message(light.off_color),
    )


def backpack_message(lights: BackpackLights | None) -> BackpackLightsMessage:
    """Return a command; None: the robot's own pattern again."""
    if lights is None:
        return BackpackLightsMessage(is_released=True)
    return BackpackLightsMessage(
        **{place: light_message(getattr(lights, place)) for place in _PLACES}
    )


def cube_lights_message(lights: CubeLights | None, factory_id: int) -> CubeLightsMessage:
    """Return a command; None: the driver's own pattern again."""
    if lights is None:
        return CubeLightsMessage(factory_id=factory_id, is_released=True)
    return CubeLightsMessage(
        factory_id=factory_id,
        lights=[light_message(light) for light in lights.lights],
        rotation_period=float(lights.rotation_period),
    )


def _color_message(color: Color) -> ColorRGBA:
    return ColorRGBA(
        r=float(color.red), g=float(color.green), b=float(color.blue), a=float(color.alpha)
    )
