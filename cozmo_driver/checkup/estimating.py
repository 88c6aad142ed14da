"""How a robot errs, from where it stood and what it saw of one cube: least squares on arrays.

One fit explains all resting images at once: where each corner of a cube's markers is, how far the
robot counted to have driven and turned in between. The absolute scale of it is the cube itself:
its sides are 44 mm apart, while a marker's own size and place are only known as well as stickers
are printed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..media import CUBE_MARKER_SIZE
from ..perception import CUBE_EDGE, Print
from ..robot import CAMERA, CAMERA_TILT, DRIVE_CENTER, NECK
from .analysis import Floats

_NECK = np.array(NECK) - (DRIVE_CENTER.x, 0.0, 0.0)
"""From the drive centre, m."""
GRAVITY = 9.806
_OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
_SQUARE = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]])

GLOBALS = (
    "distance", "turn", "aside", "focal", "cx", "cy", "pitch", "roll", "yaw",
    "ahead", "height", "slack", "x", "y", "facing",
)  # fmt: skip
"""What the fit finds besides stations and markers; m, rad, pixels. ``aside``: how far to the left
of the drive centre the robot turns; ``ahead``, ``height``: of the camera against the drawings;
``slack``: by how much more the robot drives at a time than it counts; ``x``, ``y``, ``facing``:
the cube as seen from the first station."""
_SPREADS = (0.02, 0.03, 5e-4, 6.0, 1.0, 1.0, 0.04, 0.04, 0.04, 5e-4, 5e-4, 1e-4, 1.0, 1.0, 7.0)
"""Standard deviations of what is known before: calibrations by the factory err by 0.7 pixels in
the centre and 1 % in the focal length (spec 14, 19), drawings by 0.5 mm."""
_PRINT = (0.008, 2.5e-4, 2.5e-4, 0.01)
"""Of a marker: its size as a share, its place to the right and upwards, m, its turn, rad. Real
rings measure 24.5 to 25.1 mm (spec 15, 19)."""
_CORNER = 0.1
"""Pixels by which the mean of a corner errs in images of one station."""
_DISTANCE, _DISTANCE_SHARE, _ASIDE_SHARE = 1.0e-4, 1e-3, 2e-3
"""m, and shares of a distance, by which counted and true ones differ: along and across it."""
_TURN, _TURN_SHARE, _DRIFT = 4e-4, 1e-4, 2e-4
"""rad, and a share of a turn, by which it errs; m for each rad by which the turning point moves."""
_SLACK, _LEAST_DISTANCE = 3e-5, 5e-3
"""m: after a stop one of two robots counted a tick of 0.06 mm back (spec 18), and what of it the
body did, or by how much a tread sticks in short drives, is not known: hence the spread. And the
least distance with which that is so."""
_NOD = 1.3e-3
"""rad by which a head rests beside where it is reported: steps of 0.0045 (spec 18)."""
_ROUNDS, _STEP, _ENOUGH = 30, 1e-6, 1e-7


@dataclass(frozen=True, slots=True)
class Station:
    """Where the robot rested, by what it counted since the station before."""

    distance: float
    """m ahead of its drive centre."""
    turn: float
    """rad."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The marker of one side as a resting robot saw it, the mean of several images."""

    station: int
    head: float
    """rad, as reported."""
    rest: int
    """Number of the time that the head rests there: in it, it does not move."""
    side: int
    """The side's number round the cube, counter-clockwise from above."""
    corners: Floats
    """(4, 2) pixels from the upper left one clockwise, as seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    values: dict[str, float]
    """By ``GLOBALS``."""
    deviations: dict[str, float]
    residual: float
    """Root mean square of a corner's distance from where it should be, along an axis, pixels."""
    worst: float
    """The largest one, in pixels, of the mean of a marker's four corners."""
    slip: float
    """The largest residual of a distance or turn between two stations, in standard deviations."""
    markers: dict[int, Print]
    """Of each side, as seen with the cube as it stands."""


@dataclass
class Problem:
    """What one fit explains."""

    stations: Sequence[Station]
    views: Sequence[View]
    focal: float
    cx: float
    cy: float
    head_zero: float = 0.0
    """rad by which the head is higher than reported: it moves the camera, too."""
    start: dict[str, float] = field(default_factory=dict)
    """First guesses of ``GLOBALS``: x, y and facing are needed."""

    def __post_init__(self) -> None:
        """Lay out the unknowns: globals, markers, poses of stations but the first."""
        self.sides = sorted({view.side for view in self.views})
        self._distances = np.array([one.distance for one in self.stations[1:]])
        self._turns = np.array([one.turn for one in self.stations[1:]])
        self._at = np.array([view.station for view in self.views])
        self._heads = np.array([view.head for view in self.views])
        self._facing = np.array([view.side for view in self.views]) * (math.pi / 2)
        rests = sorted({view.rest for view in self.views})
        self._rests = len(rests)
        self._rest = np.array([rests.index(view.rest) for view in self.views])
        self._side = np.array([self.sides.index(view.side) for view in self.views])
        self._corners = np.array([view.corners for view in self.views])
        known = {"focal": self.focal, "cx": self.cx, "cy": self.cy, "distance": 1.0, "turn": 1.0}
        known["slack"] = _SLACK
        self._known = np.array([known.get(name, 0.0) for name in GLOBALS])
        for index, name in enumerate(GLOBALS[-3:], len(GLOBALS) - 3):
            self._known[index] = self.start.get(name, 0.0)

    # -- the model

    def guess(self) -> Floats:
        """Return the unknowns as the robot counted, before anything is fitted."""
        first = self._known.copy()
        for index, name in enumerate(GLOBALS):
            first[index] = self.start.get(name, first[index])
        values = dict(zip(GLOBALS, first, strict=True))
        poses, x, y, yaw = [], 0.0, 0.0, 0.0
        for distance, turn in zip(self._distances * values["distance"], self._turns, strict=True):
            turn *= values["turn"]
            x, y = x + distance * math.cos(yaw + turn / 2), y + distance * math.sin(yaw + turn / 2)
            yaw += turn
            poses.append((x, y, yaw))
        others = np.zeros(4 * len(self.sides) + self._rests)
        return np.concatenate((first, others, np.ravel(poses)))

    def _parts(self, state: Floats) -> tuple[dict[str, float], Floats, Floats, Floats]:
        """Return the globals, markers (n, 4), nods of the head, and poses of stations (n, 3)."""
        sizes = len(GLOBALS), 4 * len(self.sides), self._rests
        first, markers, nods, poses = np.split(state, np.cumsum(sizes))
        values = dict(zip(GLOBALS, map(float, first), strict=True))
        return values, markers.reshape(-1, 4), nods, np.vstack((np.zeros(3), poses.reshape(-1, 3)))

    def project(self, state: Floats) -> Floats:
        """Return where the corners of all views are, (n, 4, 2) pixels."""
        values, markers, nods, poses = self._parts(state)
        size, right, up, turn = (markers[self._side].T)[..., None]
        c, s = np.cos(turn), np.sin(turn)
        across, high = (CUBE_MARKER_SIZE * (1.0 + size)) * _SQUARE.T[:, None]
        across, high = right + c * across - s * high, up + s * across + c * high
        angle = values["facing"] + self._facing[:, None]
        out = CUBE_EDGE / 2
        x = values["x"] + out * np.cos(angle) - across * np.sin(angle)
        y = values["y"] + out * np.sin(angle) + across * np.cos(angle)
        places = np.stack((x, y, CUBE_EDGE / 2 + high), axis=-1)
        place, axes = self._cameras(values, poses[self._at], nods[self._rest])
        seen = np.einsum("nij,nki->nkj", axes, places - place[:, None])
        center = np.array([values["cx"], values["cy"]])
        pixels: Floats = seen[..., :2] / np.maximum(seen[..., 2:], 1e-3) * values["focal"] + center
        return pixels

    def _cameras(
        self, values: dict[str, float], poses: Floats, nods: Floats
    ) -> tuple[Floats, Floats]:
        """Return places and axes of the cameras of all views."""
        head = self._heads + nods + self.head_zero
        mounted = _turned(2, values["yaw"]) @ _turned(0, values["roll"]) @ _OPTICAL
        look = self._heads + nods - CAMERA_TILT + values["pitch"]
        heading = _turns(2, poses[:, 2])
        axes = heading @ _turns(1, -look) @ mounted
        arm = _NECK + _turns(1, -head) @ np.array(CAMERA) + (values["ahead"], 0.0, values["height"])
        place = np.einsum("nij,nj->ni", heading, arm)
        place[:, :2] += poses[:, :2]
        return place, axes

    def off(self, state: Floats) -> Floats:
        """Return all that does not fit, in standard deviations."""
        values, markers, nods, poses = self._parts(state)
        corners = (self.project(state) - self._corners) / _CORNER
        before, after = poses[:-1], poses[1:]
        turned = after[:, 2] - before[:, 2]
        counted = self._turns * values["turn"]
        # In a turn the point stays that lies aside of the drive centre.
        step = (after - before)[:, :2]
        for sign, yaw in ((-1.0, before[:, 2]), (1.0, after[:, 2])):
            step = step + sign * values["aside"] * np.column_stack((-np.sin(yaw), np.cos(yaw)))
        middle = before[:, 2] + turned / 2
        along = step[:, 0] * np.cos(middle) + step[:, 1] * np.sin(middle)
        across = step[:, 1] * np.cos(middle) - step[:, 0] * np.sin(middle)
        distance, angle = np.abs(self._distances), np.abs(self._turns)
        more = values["slack"] * np.sign(self._distances) * (distance > _LEAST_DISTANCE)
        drift = np.hypot(_DISTANCE, _DRIFT * angle)
        return np.concatenate(
            (
                corners.ravel(),
                (along - values["distance"] * self._distances - more)
                / np.hypot(drift, _DISTANCE_SHARE * distance),
                across / np.hypot(drift, _ASIDE_SHARE * distance),
                (turned - counted) / np.hypot(_TURN, _TURN_SHARE * angle),
                (state[: len(GLOBALS)] - self._known) / _SPREADS,
                (markers / _PRINT).ravel(),
                nods / _NOD,
            )
        )

    # -- the fit

    def slopes(self, state: Floats) -> Floats:
        """Return what the residuals change by with each unknown."""
        here = self.off(state)
        columns = [(self.off(state + step) - here) / _STEP for step in _STEP * np.eye(len(state))]
        slopes: Floats = np.array(columns).T
        return slopes

    def solve(self) -> Fit:
        """Return what explains everything best. Raises ``ValueError`` where nothing does."""
        state, damping = self.guess(), 1e-3
        here = self.off(state)
        for _ in range(_ROUNDS):
            slopes = self.slopes(state)
            normal = slopes.T @ slopes
            while True:
                damped = normal + damping * np.diag(np.diag(normal))
                step = np.linalg.solve(damped, slopes.T @ here)
                there = self.off(state - step)
                if there @ there <= here @ here or damping > 1e6:
                    break
                damping *= 10.0
            gain = here @ here - there @ there
            if not np.isfinite(gain):
                raise ValueError("the images cannot be explained")
            if gain >= 0.0:
                state, here = state - step, there
            damping = max(damping / 10.0, 1e-9)
            if gain <= _ENOUGH * (here @ here):
                break
        return self._result(state, here)

    def _result(self, state: Floats, off: Floats) -> Fit:
        slopes = self.slopes(state)
        corners = off[: self._corners.size].reshape(-1, 4, 2) * _CORNER
        freedom = max(len(off) - len(state), 1)
        # Where more is off than expected, nothing is known better than that tells.
        excess = max(1.0, float(off @ off) / freedom)
        spreads = np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)) * excess)
        values, markers, _, _ = self._parts(state)
        return Fit(
            values,
            dict(zip(GLOBALS, map(float, spreads), strict=False)),
            float(np.sqrt(np.mean(corners**2))),
            float(np.abs(corners.mean(axis=1)).max()),
            float(np.abs(off[corners.size :][: 3 * len(self._distances)]).max()),
            {
                side: Print(1.0 + size, *place)
                for side, (size, *place) in zip(self.sides, markers.tolist(), strict=True)
            },
        )


def _turned(axis: int, angle: float) -> Floats:
    turned: Floats = _turns(axis, np.array([angle]))[0]
    return turned


def _turns(axis: int, angles: Floats) -> Floats:
    """Return the rotations by angles about x, y or z, (n, 3, 3)."""
    turns = np.zeros((len(angles), 3, 3))
    turns[:, axis, axis] = 1.0
    first, second = (axis + 1) % 3, (axis + 2) % 3
    turns[:, first, first] = turns[:, second, second] = np.cos(angles)
    turns[:, second, first] = np.sin(angles)
    turns[:, first, second] = -np.sin(angles)
    return turns


# -- the head's zero


@dataclass(frozen=True, slots=True)
class Feeling:
    """Which way is up, as a resting head feels it."""

    head: float
    """rad, as reported."""
    is_turned: bool
    """The robot stands the other way round: the floor slopes the other way."""
    ahead: float
    up: float
    """m/s^2, in the head's frame."""


def head_zero_of(feelings: Sequence[Feeling]) -> tuple[float, float]:
    """Return by how much the head is higher than reported and its standard deviation, rad.

    The accelerometer's own zeros are found from how gravity turns in the head's frame, the floor's
    slope from both ways round. Raises ``ValueError`` for too few of them.
    """
    if len({round(one.head, 2) for one in feelings}) < 3 or len(feelings) < 6:
        raise ValueError("the head was felt at too few angles")
    heads = np.array([one.head for one in feelings])
    slopes = np.array([-1.0 if one.is_turned else 1.0 for one in feelings])
    felt = np.array([(one.ahead, one.up) for one in feelings])
    state = np.array([0.0, 0.0, *felt.mean(axis=0), GRAVITY])
    state[2:4] -= GRAVITY * np.mean([np.sin(heads), np.cos(heads)], axis=1)
    for _ in range(_ROUNDS):
        zero, slope, bias_x, bias_z, size = state
        angle = heads + zero + slope * slopes
        s, c = np.sin(angle), np.cos(angle)
        off = np.concatenate((bias_x + size * s - felt[:, 0], bias_z + size * c - felt[:, 1]))
        one, none = np.ones_like(s), np.zeros_like(s)
        by = [
            np.concatenate(pair)
            for pair in (
                (size * c, -size * s),
                (size * c * slopes, -size * s * slopes),
                (one, none),
                (none, one),
                (s, c),
            )
        ]
        jacobian = np.array(by).T
        state = state - np.linalg.lstsq(jacobian, off, rcond=None)[0]
    variance = float(off @ off) / (len(off) - len(state))
    spread = math.sqrt(float(np.linalg.inv(jacobian.T @ jacobian)[0, 0]) * variance)
    return float(state[0]), spread
