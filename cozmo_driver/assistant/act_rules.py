"""What holds for every act that moves the robot, the colours of lights, and wordings."""

from __future__ import annotations

import functools
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from PIL import ImageColor

from ..robot import Color, LightState, Pose2D, Reason, Refused, steady
from .data import Limits

MAX_CLIPS = 100
"""Names that a search answers with."""
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


def names_with(search: str, names: Sequence[str]) -> str:
    """Return the names that contain a text in any case, a line each."""
    found = [name for name in names if search.lower() in name.lower()]
    more = len(found) - MAX_CLIPS
    lines = [*found[:MAX_CLIPS], *([f"and {more} more: search for less"] if more > 0 else [])]
    return "\n".join(lines) or f"no name of {len(names)} contains '{search}'"


def now_at(pose: Pose2D) -> str:
    return f"now at x {pose.x:.3f} m, y {pose.y:.3f} m, {math.degrees(pose.yaw):.1f} degrees"
