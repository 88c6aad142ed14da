"""What the treads' links, starts, stops, blows and joints of the floor make the IMU feel (spec 18).

Six figures each: acceleration x, y, z in mm/s^2 and turn rate x, y, z in rad/s, in the frame that
the head had in the recordings. They were made on one robot at 20 to 33 mm/s; what is said of other
speeds, of turns and of walls is an assumption. The figures are moments, not means over a state.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .hardware import GRIP

if TYPE_CHECKING:
    from .body import Body
    from .core import Core
    from .treads import Tread

Six = tuple[float, float, float, float, float, float]

TILT = -0.287
"""rad, of the frame against the body. A head at another angle feels the same motion of the body."""
SPEED = 27.5
"""mm/s: mean of the recorded ones. Rates grow with the speed, accelerations with its square."""
FORWARD: Six = (307.0, 212.0, 90.0, 0.037, 0.033, 0.023)
BACKWARD: Six = (288.0, 250.0, 87.0, 0.046, 0.032, 0.041)
"""Standard deviations at ``SPEED``, of the recorded legs."""
LARGEST = 11.0
"""Times the recorded acceleration that no speed exceeds. An assumption: 3.3 m/s^2 ahead, so that
three standard deviations are 1 g; shaken harder, a body would leave the floor."""
LINK = 4.2
"""mm of travel for one link of a tread."""
WAVES = ((0.10, 0.11), (0.09, 0.0), (0.02, 0.0), (0.63, 0.02), (0.19, 0.23), (0.30, 0.0))
"""Shares of the variances that are a wave of one link and of half a link, less what a fit to as
many states finds in noise. The rest is noise."""
DECAY_FACTORS = (0.35, 0.70)
"""Share of the shaking that is left a state later: it has decayed after 4 to 10 states."""

STARTS = (((746.0, -79.0), (223.0, -332.0)), ((-269.0, -1166.0), (-187.0, 126.0)))
STOPS = (
    ((-601.0, 1579.0, 491.0, 343.0, 66.0), (-1390.0, 1865.0, 661.0, 206.0, 29.0)),
    (
        (1430.0, 1125.0, -674.0, -412.0, 361.0, 288.0, -76.0, -162.0),
        (1288.0, 963.0, -577.0, -353.0, 309.0, 247.0, -65.0, -139.0),
    ),
)
"""Acceleration x of the recorded ones forward and backward, state by state: from the first state
with motion, and from the first slower one. The end of the last was not read."""
STATE = 0.030
"""s."""
NOD = -3.5e-5
"""Turn rate y for acceleration x in starts, stops and blows, rad/s for mm/s^2."""

SWING_RATE, SWING_DECAY = 50.0, 11.0
"""rad/s and 1/s: how the body swings after its stops backward, and, assumed, after a blow."""
BLOW_TIME = 0.010
"""s in which something hard stops the body. An assumption; most states miss it."""

JOLT = (
    (-1090.0, 530.0, 230.0, 0.104, 0.097, 0.024),
    (-360.0, 350.0, 30.0, -0.007, -0.054, 0.002),
)
"""The two states of the recorded jolt at ``JOLT_SPEED``, mm/s; it grows with the speed."""
JOLT_SPEED = 28.0
JOINTS = 110.0
"""mm between the floor's joints, both ways: one jolt was recorded in four legs of 27 mm."""

YAW_LEAK, PITCH_LEAK, PITCH_SHARE = 0.15, 0.5, 0.8
"""Of leaky integrators, for each state: what the shaking makes of the robot's idea of its yaw and
pitch. And how much of it the pitch takes: 0.0008 to 0.0017 and 0.0009 rad as recorded."""
_UNFELT = 1e-4
"""Share of the recorded shaking below which nothing is left of it."""
_RESTS = [(1.0 - sum(shares)) / 2 for shares in WAVES]
"""Shares of a tread in what is no wave."""
_NOTHING: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def shaking_like(accelerations: Mapping[str, float], speed: float = SPEED / 1000.0) -> float:
    """Return the strength of a robot that shakes so along x, y, z, m/s^2, at a speed, m/s.

    Of one axis alone the waves of both treads might just add up, or cancel each other.
    """
    ratio = 1000.0 * speed / SPEED
    recorded = dict(zip("xyz", FORWARD, strict=False))
    strengths = [abs(one) * 1000.0 / recorded[axis] for axis, one in accelerations.items()]
    return sum(strengths) / len(strengths) / (ratio * ratio)


class Shaking:
    """Follows a body from state to state."""

    def __init__(self, core: Core, body: Body, strength: float, floor: int) -> None:
        """``strength`` is 1 for the recorded one; ``floor`` is the seed of where its joints are."""
        self._random, self._body = core.random("shaking"), body
        self._strength = strength * core.noise
        self._treads = body.wheels.both
        self._waves = self._draw_waves()
        self._spreads: list[list[float] | None] = [None, None]
        self._variances: list[float] | None = None
        self._decay_factor = DECAY_FACTORS[0]
        self._event = [0.0] * 6
        self._last_yaw_rate = self.yaw = self.pitch = 0.0
        """What the shaking adds to the robot's idea of its yaw and pitch, rad."""
        self._speed, self._share = 0.0, 1.0
        """Of the treads at the last state, mm/s, and what the body had of it."""
        self._stood, self._brakes = True, False
        self._series: list[float] = []
        self._swing, self._swings_for = (0.0, 0.0), 0.0
        self._joints = (0.31 + floor * 0.618) % 1.0, (0.73 + floor * 0.414) % 1.0
        self._cell = self._cell_of_floor()
        self._jolts: list[list[float]] = []

    def _draw_waves(self) -> list[list[tuple[float, ...]]]:
        """Return each tread's waves of each figure: amplitudes of cos and sin, and of their halves.

        The right tread's are a quarter behind. A robot that has not turned yet then shakes as the
        recorded one; after a turn the two add up or cancel each other.
        """
        angles = [[self._random.uniform(0.0, math.tau) for _ in shares] for shares in WAVES]
        return [
            [
                tuple(
                    math.sqrt(share) * f(angle + behind)
                    for share, angle in zip(shares, pair, strict=True)
                    for f in (math.cos, math.sin)
                )
                for shares, pair in zip(WAVES, angles, strict=True)
            ]
            for behind in (0.0, math.pi / 2)
        ]

    # -- for the sensors

    def measure(self) -> tuple[Six, float]:
        """Live on for a state; return what is felt now and the treads' acceleration, mm/s^2."""
        self._event = [0.0] * 6
        steady = self._follow_treads()
        self._roll_over_joints()
        self._feel_blow()
        self._event[4] += NOD * self._event[0]
        self._shake()
        felt = self.sample()
        self._turn(felt)
        return felt, steady

    def sample(self) -> Six:
        """Return what is felt now."""
        felt = list(self._event)
        for tread, spread, waves in zip(self._treads, self._spreads, self._waves, strict=True):
            if spread is not None:
                angle = math.tau * tread.travel / LINK
                c, s = math.cos(angle), math.sin(angle)
                cc, ss = c * c - s * s, 2.0 * c * s
                for i, (sd, wave) in enumerate(zip(spread, waves, strict=True)):
                    felt[i] += sd * (wave[0] * c + wave[1] * s + wave[2] * cc + wave[3] * ss)
        if self._variances is not None:
            for i, variance in enumerate(self._variances):
                felt[i] += self._random.gauss(0.0, math.sqrt(variance))
        return tuple(felt)  # type: ignore[return-value]

    # -- inside

    def _spread(self, tread: Tread) -> list[float] | None:
        """Return the standard deviation of what one tread does, if it were both."""
        if not (tread.speed and self._strength):
            return None
        ratio = abs(tread.speed) / SPEED
        push = self._strength * ratio * ratio / math.hypot(1.0, ratio * ratio / LARGEST)
        swing = self._strength * ratio
        figures = FORWARD if tread.speed > 0.0 else BACKWARD
        return [sd * (push if i < 3 else swing) for i, sd in enumerate(figures)]

    def _shake(self) -> None:
        """Let waves and noise follow the treads; the noise rings on when they get slower."""
        self._spreads = [self._spread(tread) for tread in self._treads]
        variances = [0.0] * 6
        if self._variances is not None:
            ringing = self._decay_factor**2
            variances = [variance * ringing for variance in self._variances]
        now = [0.0] * 6
        for spread in self._spreads:
            if spread is not None:
                now = [n + sd * sd * rest for n, sd, rest in zip(now, spread, _RESTS, strict=True)]
        variances = [max(pair) for pair in zip(variances, now, strict=True)]
        is_felt = variances[1] > (_UNFELT * FORWARD[1]) ** 2
        self._variances = variances if is_felt else None

    def _follow_treads(self) -> float:
        """Play the recorded starts and stops; return the treads' acceleration beyond them."""
        wheels = self._body.wheels
        left, right = self._treads
        before, speed = self._speed, (left.speed + right.speed) / 2
        stood, self._stood, self._speed = self._stood, wheels.stand, speed
        if stood and self._stood:
            self._share = 1.0
        elif abs(speed) > 1.0:
            self._share = min(1.0, max(0.0, self._body.speed / speed))
        steady = (left.acceleration + right.acceleration) / 2 * self._share
        steady = min(GRIP, max(-GRIP, steady))
        begins = ends = False
        if stood and not self._stood:
            begins, self._brakes = True, False
            self._decay_factor = self._random.uniform(*DECAY_FACTORS)
            self._play(STARTS, (left.target + right.target) / 2)
        elif left.target or right.target:
            if self._brakes:
                self._brakes, self._series = False, []
        elif not stood and not self._brakes and (self._stood or abs(speed) < abs(before)):
            ends = self._brakes = True
            self._play(STOPS, before)
        if self._series and (begins or ends):
            steady = 0.0
        if self._series and (ends or self._stood or not self._brakes):
            self._event[0] += self._series.pop(0)
        return steady

    def _play(self, recorded: tuple[tuple[tuple[float, ...], ...], ...], speed: float) -> None:
        """Draw a recorded start or stop and scale it by what the speed changes by in a state."""
        change = min(abs(speed), min(GRIP, self._body.wheels.left.demanded) * STATE)
        scale = self._strength * self._share * change / SPEED
        series = self._random.choice(recorded[0 if speed > 0.0 else 1])
        self._series = [scale * figure for figure in series] if scale else []

    def _cell_of_floor(self) -> tuple[int, int]:
        pose = self._body.world_pose
        x, y = self._joints
        return math.floor(pose.x / JOINTS + x), math.floor(pose.y / JOINTS + y)

    def _roll_over_joints(self) -> None:
        """Feel the joint between two tiles of the floor; each has its strength."""
        cell, before = self._cell_of_floor(), self._cell
        self._cell = cell
        if cell != before and not self._stood and not self._body.is_held:
            is_across = cell[0] != before[0]
            line = max(cell[0], before[0]) if is_across else 0.5 + max(cell[1], before[1])
            strength = 0.5 + line * 0.7548776662 % 1.0
            speed = strength * self._strength * self._speed / JOLT_SPEED
            side = self._random.choice((-1.0, 1.0)) * abs(speed)
            signs = (speed, side, abs(speed), side, speed, side)
            self._jolts = [[sign * f for sign, f in zip(signs, jolt, strict=True)] for jolt in JOLT]
        if self._jolts:
            jolt = self._jolts.pop(0)
            self._event = [event + f for event, f in zip(self._event, jolt, strict=True)]

    def _feel_blow(self) -> None:
        """Feel what stopped the body: as long as that lasts, and how the body swings after it."""
        self._swings_for += STATE
        (ahead, left), ago = self._body.take_blow()
        decayed = math.exp(-SWING_DECAY * self._swings_for)
        if math.hypot(ahead, left) > 0.3 * decayed * math.hypot(*self._swing):
            # Bodies swung on after recorded stops backward, and back after those forward.
            sign = self._random.choice((-1.0, 1.0)) if self._strength else 1.0
            self._swing, self._swings_for = (sign * ahead, sign * left), ago
            decayed = math.exp(-SWING_DECAY * ago)
        swing = SWING_RATE * decayed * math.cos(SWING_RATE * self._swings_for)
        hard = 1.0 / BLOW_TIME if ago < BLOW_TIME else 0.0
        self._event[0] += swing * self._swing[0] + hard * ahead
        self._event[1] += swing * self._swing[1] + hard * left

    def _turn(self, felt: Six) -> None:
        """Let the robot's idea of yaw and pitch follow the rates; they are angles that return."""
        ratio = max(1.0, *(abs(tread.speed) / SPEED for tread in self._treads))
        rate = felt[3] * math.sin(TILT) + felt[5] * math.cos(TILT)
        if felt != _NOTHING:
            self.yaw += (rate + self._last_yaw_rate) / 2 * STATE / ratio - self.yaw * YAW_LEAK
        self._last_yaw_rate = rate
        self.pitch -= felt[4] * STATE * PITCH_SHARE / ratio + self.pitch * PITCH_LEAK
