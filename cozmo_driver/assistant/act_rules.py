"""What holds for every act that moves the robot, and the colours of lights."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from PIL import ImageColor

from ..robot import Color, LightState, Reason, Refused, steady
from .data import Limits

_BLINK = 0.51
"""s of a light on and off."""
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Actor(Protocol):
    """``under_way`` is the name of the act that moves the robot, empty for none."""

    limits: Limits
    under_way: str


_Actor = TypeVar("_Actor", bound=Actor)


def moves(
    act: Callable[Concatenate[_Actor, _Arguments], Awaitable[_Result]],
) -> Callable[Concatenate[_Actor, _Arguments], Awaitable[_Result]]:
    """Refuse an act that moves the robot unless it may move and no other one is under way."""

    @functools.wraps(act)
    async def checked(
        self: _Actor, /, *arguments: _Arguments.args, **named: _Arguments.kwargs
    ) -> _Result:
        if not self.limits.allow_motion:
            raise Refused(
                Reason.NOT_ALLOWED,
                "the robot may not be moved; only its user can permit it, by the option "
                "--allow-motion",
            )
        if self.under_way:
            text = f"{self.under_way} is under way; wait until it has ended, or call stop"
            raise Refused(Reason.BUSY, text)
        self.under_way = act.__name__
        try:
            return await act(self, *arguments, **named)
        finally:
            self.under_way = ""

    return checked


def light_of(color: str, blink: bool) -> LightState:
    """Return a light of a colour as CSS names it. Raises ``ValueError``."""
    red, green, blue = (part / 255 for part in ImageColor.getrgb(color)[:3])
    lit = Color(red, green, blue)
    return LightState(lit, Color(), _BLINK, _BLINK) if blink else steady(lit)
