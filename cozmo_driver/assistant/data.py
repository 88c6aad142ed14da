"""What bounds an assistant, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field

from ..robot import (
    EFFECTIVE_TRACK_WIDTH,
    MAX_WHEEL_SPEED,
    MAX_YAW_RATE,
    DriveLimits,
    Reason,
    Refused,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of an assistant: whether the robot may move, m/s of a tread, m of one act."""

    allow_motion: bool = False
    max_speed: float = 0.1
    max_distance: float = 0.5

    @property
    def drive_limits(self) -> DriveLimits:
        """What the robot is driven with. Raises ``ValueError`` for a speed it cannot have."""
        if not 0.01 <= self.max_speed <= MAX_WHEEL_SPEED:
            raise ValueError(f"the speed is from 0.01 to {MAX_WHEEL_SPEED:g} m/s")
        yaw_rate = min(MAX_YAW_RATE, 2 * self.max_speed / EFFECTIVE_TRACK_WIDTH)
        return DriveLimits(wheel_speed=self.max_speed, yaw_rate=yaw_rate)

    def check_distance(self, distance: float) -> None:
        """Raise ``Refused`` for an act that is to go further."""
        if distance > self.max_distance:
            raise Refused(
                Reason.NOT_ALLOWED,
                f"{distance:.2f} m is too far; one act may be at most {self.max_distance:g} m",
            )

    def limited(self, speed: float) -> float:
        return min(speed, self.max_speed)


class Status(BaseModel):
    """Where the robot is and how it is."""

    x: float = Field(description="m ahead of where it began")
    y: float = Field(description="m to the left of where it began")
    heading: float = Field(description="degrees, to the left of where it looked when it began")
    posture: str = Field(description="'on treads' where it can drive")
    is_moving: bool
    is_on_charger: bool
    is_cliff_ahead: bool = Field(description="there is no ground in front of it")
    head_angle: float = Field(description="degrees, up positive")
    lift_height: float = Field(description="m above ground")
    battery_voltage: float = Field(description="V")
    battery_level: float | None = Field(description="0 to 1, null while charging")
    charge: str
    is_motion_allowed: bool = Field(description="whether the tools that move it may do so")
    under_way: str = Field(description="the tool that moves the robot, empty for none")


class SeenCube(BaseModel):
    """A light cube as its radio tells."""

    cube: int = Field(description="its number, 1 to 3")
    is_connected: bool = Field(description="whether its lights can be set")
    is_moving: bool
    up_axis: str = Field(description="its own axis that points up, such as z_positive")
    signal: int = Field(description="strength of its radio, 0 to 150, smaller is nearer")
    battery_level: float | None = Field(description="0 to 1, null where it is not known")


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG of 320x240 pixels, and what it was taken with: degrees, s."""

    jpeg: bytes
    head_angle: float
    age: float


class Thing(BaseModel):
    """A thing whose place the camera has told."""

    name: str
    x: float = Field(description="m ahead of where it began")
    y: float = Field(description="m to the left of where it began")
    heading: float = Field(description="degrees, to the left of where the robot looked at first")
    is_in_sight: bool


class Game(BaseModel):
    """A game with people."""

    game: str = Field(description="its name for play_game")
    about: str
    levels: int = Field(description="how many there are, from 1")
    most_players: int = Field(description="people who can play it at once")
    can_be_solo: bool = Field(description="a person can play it alone")
    missing: list[str] = Field(description="what it lacks now; it can begin where this is empty")


class Trick(BaseModel):
    """A trick."""

    trick: str = Field(description="its name for do_trick")
    about: str
    takes_object: bool = Field(description="it can be told with what")
    missing: list[str] = Field(description="what it lacks now; it can be done where this is empty")


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to the robot or a cube at ``time``, s, monotonic."""

    time: float
    type: str
    text: str
