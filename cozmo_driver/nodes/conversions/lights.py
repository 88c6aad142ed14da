"""Lights as commanded on the graph."""

from __future__ import annotations

from std_msgs.msg import ColorRGBA

from cozmo_interfaces.msg import BackpackLights as BackpackLightsMessage
from cozmo_interfaces.msg import CubeLights as CubeLightsMessage
from cozmo_interfaces.msg import LightState as LightStateMessage

from ...robot import BackpackLights, Color, CubeLights, LightState

_PLACES = ("front", "middle", "rear", "left", "right")


def light_state(message: LightStateMessage) -> LightState:
    """Return one light. Raises ``ValueError`` for what no light can show."""
    return LightState(
        on_color=_color(message.on_color),
        off_color=_color(message.off_color),
        on_duration=float(message.on_duration),
        off_duration=float(message.off_duration),
        fade_in=float(message.fade_in),
        fade_out=float(message.fade_out),
        offset=float(message.offset),
    )


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
    """Return the command for one light."""
    return LightStateMessage(
        on_color=_color_message(light.on_color),
        off_color=_color_message(light.off_color),
        on_duration=float(light.on_duration),
        off_duration=float(light.off_duration),
        fade_in=float(light.fade_in),
        fade_out=float(light.fade_out),
        offset=float(light.offset),
    )


def backpack_message(lights: BackpackLights) -> BackpackLightsMessage:
    """Return the command for the five lights of the backpack."""
    return BackpackLightsMessage(
        **{place: light_message(getattr(lights, place)) for place in _PLACES}
    )


def cube_lights_message(lights: CubeLights, factory_id: int) -> CubeLightsMessage:
    """Return the command for the four lights of a cube."""
    return CubeLightsMessage(
        factory_id=factory_id,
        lights=[light_message(light) for light in lights.lights],
        rotation_period=float(lights.rotation_period),
    )


def _color_message(color: Color) -> ColorRGBA:
    return ColorRGBA(
        r=float(color.red), g=float(color.green), b=float(color.blue), a=float(color.alpha)
    )
