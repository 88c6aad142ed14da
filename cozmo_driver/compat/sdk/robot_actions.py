"""The actions of ``cozmo.robot``: what is done in the robot's loop (spec 21 §3)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...media import DISPLAY_HEIGHT, DISPLAY_WIDTH
from ...robot import (
    MAX_HEAD_ANGLE,
    MAX_LIFT_HEIGHT,
    MAX_WHEEL_SPEED,
    MIN_HEAD_ANGLE,
    MIN_LIFT_HEIGHT,
    Reason,
    RobotError,
)
from . import logs
from .action import Action
from .units import Angle

if TYPE_CHECKING:
    from ..engine import Engine

MOST_CHARACTERS = 500
"""Of a text that is said at once."""
_MM = 1000.0
_SLOWEST, _SLOWEST_TURN, _FASTEST_TURN = 0.005, 0.06, 5.2
"""m/s and rad/s: what the robot can drive; asked for less or more it does the nearest."""
_TURN_SPEED, _TURN_ACCELERATION = 2.0, 10.0
_LEAST_TOLERANCE = math.radians(2.0)
_FASTEST_JOINT, _LONGEST_MOVE, _SLOWEST_JOINT = 15.0, 60.0, 0.05
_CHARACTER = 0.065
"""s that a character takes where nothing can speak (spec 21 §8)."""
_LONGEST_PICTURE = 30.0


def clamped(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))


class DriveStraight(Action):
    """A straight line."""

    _tracks = frozenset({"body"})

    def __init__(
        self, distance: Any, speed: Any, should_play_anim: bool = True, **named: Any
    ) -> None:
        super().__init__(**named)
        self.distance, self.speed, self.should_play_anim = distance, speed, should_play_anim

    def _repr_values(self) -> str:
        return f"distance={self.distance} speed={self.speed}"

    async def _do(self, engine: Engine) -> None:
        distance = self.distance.distance_mm / _MM
        speed = clamped(abs(self.speed.speed_mmps) / _MM, _SLOWEST, MAX_WHEEL_SPEED)
        if distance:
            await engine.robot.maneuvers.drive_distance(distance, speed=speed)


class TurnInPlace(Action):
    """A turn on the spot."""

    _tracks = frozenset({"body"})

    def __init__(
        self,
        angle: Any,
        speed: Any = None,
        accel: Any = None,
        angle_tolerance: Any = None,
        is_absolute: bool = False,
        to_odometry: Any = None,
        **named: Any,
    ) -> None:
        super().__init__(**named)
        self.angle, self.speed, self.accel = angle, speed, accel
        self.angle_tolerance, self.is_absolute = angle_tolerance, is_absolute
        self._offset = to_odometry

    def _repr_values(self) -> str:
        return f"angle={self.angle} is_absolute={self.is_absolute}"

    async def _do(self, engine: Engine) -> None:
        speed = _TURN_SPEED if self.speed is None else abs(self.speed.radians)
        accel = _TURN_ACCELERATION if self.accel is None else abs(self.accel.radians)
        tolerance = 0.0 if self.angle_tolerance is None else abs(self.angle_tolerance.radians)
        angle = self.angle.radians
        if self.is_absolute:
            angle += self._offset()
        if not angle and not self.is_absolute:
            return
        await engine.robot.turns.turn(
            angle,
            is_absolute=self.is_absolute,
            speed=clamped(speed, _SLOWEST_TURN, _FASTEST_TURN),
            acceleration=max(accel, 0.1) if accel else _TURN_ACCELERATION,
            tolerance=clamped(tolerance, _LEAST_TOLERANCE, 1.0),
        )


class _Joint(Action):
    def __init__(self, accel: float, max_speed: float, duration: float, **named: Any) -> None:
        super().__init__(**named)
        self.accel, self.max_speed, self.duration = accel, max_speed, duration

    def _profile(self) -> dict[str, Any]:
        return {
            "speed": clamped(abs(_number(self.max_speed)), _SLOWEST_JOINT, _FASTEST_JOINT),
            "acceleration": clamped(abs(_number(self.accel)), 0.1, 1000.0),
            "duration": clamped(_number(self.duration), 0.0, _LONGEST_MOVE),
        }

    async def _in_its_time(self, move: Awaitable[float]) -> None:
        """Await a move, and what is left of its duration: that is what it is to take."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _number(self.duration)
        await move
        await asyncio.sleep(max(0.0, end - loop.time()))


def _number(value: Any) -> float:
    return value.radians if isinstance(value, Angle) else float(value)


class SetHeadAngle(_Joint):
    """The head to an angle."""

    _tracks = frozenset({"head"})

    def __init__(self, angle: Angle, warn_on_clamp: bool = True, **named: Any) -> None:
        super().__init__(**named)
        radians = clamped(angle.radians, MIN_HEAD_ANGLE, MAX_HEAD_ANGLE)
        if abs(radians - angle.radians) > 1e-3 and warn_on_clamp:
            logs.logger.warning("Clamping the head angle %s", angle)
        self.angle = Angle(radians=radians)

    def _repr_values(self) -> str:
        return f"angle={self.angle}"

    async def _do(self, engine: Engine) -> None:
        move = engine.robot.joints.move_head(self.angle.radians, **self._profile())
        await self._in_its_time(move)


class SetLiftHeight(_Joint):
    """The lift to a height, 0 to 1."""

    _tracks = frozenset({"lift"})

    def __init__(self, height: float, **named: Any) -> None:
        super().__init__(**named)
        ratio = clamped(float(height), 0.0, 1.0)
        if ratio != height:
            logs.logger.warning("Clamping the lift height %s: it is from 0.0 to 1.0", height)
        self.lift_height_mm = _MM * (MIN_LIFT_HEIGHT + ratio * (MAX_LIFT_HEIGHT - MIN_LIFT_HEIGHT))

    def _repr_values(self) -> str:
        return f"height={self.lift_height_mm:.1f}"

    async def _do(self, engine: Engine) -> None:
        move = engine.robot.joints.move_lift(self.lift_height_mm / _MM, **self._profile())
        await self._in_its_time(move)


class DriveOffChargerContacts(Action):
    """Off the contacts, a little ahead; at once where it is not on them."""

    _tracks = frozenset({"body"})

    async def _do(self, engine: Engine) -> None:
        state = engine.robot.state
        if state is not None and state.is_on_charger:
            await engine.robot.maneuvers.undock(extra_distance=0.0, speed=0.05)


class SayText(Action):
    """A text that is spoken."""

    _tracks = frozenset({"audio"})

    def __init__(
        self,
        text: Any,
        play_excited_animation: bool = False,
        use_cozmo_voice: bool = True,
        duration_scalar: float = 1.0,
        voice_pitch: float = 0.0,
        **named: Any,
    ) -> None:
        super().__init__(**named)
        self.text = str(text)
        self.play_excited_animation, self.use_cozmo_voice = play_excited_animation, use_cozmo_voice
        self.duration_scalar, self.voice_pitch = duration_scalar, voice_pitch

    def _repr_values(self) -> str:
        return f"text='{self.text}'"

    async def _do(self, engine: Engine) -> None:
        text = " ".join(self.text.split())
        rate = clamped(1.0 / max(0.1, float(self.duration_scalar)), 0.5, 2.0)
        pitch = 2.0 ** clamped(float(self.voice_pitch), -1.0, 1.0)
        pitch = pitch if self.use_cozmo_voice else pitch / engine.speech.program.shift
        for start in range(0, len(text), MOST_CHARACTERS):
            piece = text[start : start + MOST_CHARACTERS].strip()
            if not piece:
                continue
            try:
                await engine.speech.say(piece, rate=rate, pitch=clamped(pitch, 0.5, 2.0))
            except RobotError as error:
                if error.reason is not Reason.UNSUPPORTED:
                    raise
                logs.note(f"texts are not heard: {error}")
                await asyncio.sleep(_CHARACTER * len(piece) / rate)


class PlaySong(Action):
    """Notes that are sung."""

    _tracks = frozenset({"audio"})

    def __init__(self, song_notes: Sequence[Any], loop_count: int = 1, **named: Any) -> None:
        super().__init__(**named)
        self.song_notes, self.loop_count = song_notes, loop_count

    async def _do(self, engine: Engine) -> None:
        from .singing import sing

        for _ in range(self.loop_count):
            await sing(engine, self.song_notes)


class DisplayOledFaceImage(Action):
    """A picture on the face for a while."""

    _tracks = frozenset({"face"})

    def __init__(self, screen_data: Any, duration_ms: float, **named: Any) -> None:
        super().__init__(**named)
        if len(screen_data) != DISPLAY_WIDTH * DISPLAY_HEIGHT // 8:
            raise ValueError(
                f"a picture of the face has {DISPLAY_WIDTH * DISPLAY_HEIGHT // 8} bytes, "
                f"not {len(screen_data)}"
            )
        self.screen_data, self.duration_ms = bytes(screen_data), duration_ms

    def _repr_values(self) -> str:
        return f"duration_ms={self.duration_ms}"

    async def _do(self, engine: Engine) -> None:
        rows = np.frombuffer(self.screen_data, np.uint8).reshape(DISPLAY_HEIGHT, -1)
        picture = np.unpackbits(rows, axis=1).astype(bool)
        display = engine.robot.display
        display.show(picture)
        engine.picture = picture
        try:
            await asyncio.sleep(min(self.duration_ms / 1000, _LONGEST_PICTURE))
        finally:
            # A newer picture stays.
            if engine.picture is picture and engine.is_open:
                engine.show_eyes()


class TurnTowardsFace(Action):
    """A turn to a face, and the head to it."""

    _tracks = frozenset({"body", "head"})

    def __init__(self, face: Any, bearing: Any = None, **named: Any) -> None:
        super().__init__(**named)
        self.face, self._bearing = face, bearing

    def _repr_values(self) -> str:
        return f"face={self.face}"

    async def _do(self, engine: Engine) -> None:
        found = self._bearing(self.face)
        if found is None:
            raise RobotError(Reason.NOT_SEEN, "the face is not known any more")
        yaw, pitch = found
        await engine.robot.turns.turn(yaw)
        await engine.robot.joints.move_head(clamped(pitch, MIN_HEAD_ANGLE, MAX_HEAD_ANGLE))
