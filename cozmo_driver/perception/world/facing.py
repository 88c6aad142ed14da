"""How an upright object is turned, by its one marker, seen from several places.

From ahead a turn about the vertical shows in less than a pixel: a sticker or a camera that is askew
by 1 degree looks like 2 to 8 degrees of that at 0.17 m, and from afar one turned to the left looks
like one turned to the right. From 25 degrees aside the marker's width says it to 2 degrees. So the
views from all places count together, and what is the sticker's or the camera's own is the same in
all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .averaging import BESIDE, SAME_PLACE, SAME_TURN
from .frames import Matrix, rotation
from .objects import MarkerPlace
from .placing import Placement
from .pose_history import StampedState

_CORNER_ERROR, _NEAR = 0.3 / 294.0, 0.3
"""Of a corner's direction: 0.3 pixels up to so many m, and more farther away, as of emulated
chargers; of real ones unknown."""
_ASKEW, _WIDER, _ROLL = math.radians(1.0), 0.02, math.radians(1.2)
"""Standard deviations: rad by which the sticker is turned, the share by which it is too wide, rad
by which the camera is rolled. Estimates."""
_STEP = math.radians(2.0)
_YAWS = np.arange(-math.pi, math.pi, _STEP)
_STEEPEST = math.cos(math.radians(70.0))
_NEVER = 1e8
"""Cost of a marker from behind."""
_MOST_IN_ONE, _MOST_VIEWS = 15, 10
_TURN_ERROR, _SURE = 0.013, math.radians(2.0)
"""rad that turns are off by, for each to one side (spec 14), and what a view says better than to
which: an older one counts the less, the more the robot has turned since."""
_TURNED = 7.0
"""rad to one side after which it no longer counts."""
_ELSEWHERE = 0.04
"""m between where two views have the marker, with which it was moved."""


@dataclass(slots=True)
class _View:
    """A place from where the marker was seen."""

    camera: Matrix
    directions: Matrix
    """Mean of its images, (4, 2)."""
    costs: _Costs
    count: int = 1
    turned: float = 0.0
    """rad by which the robot has turned to the left since."""

    @property
    def weight(self) -> float:
        return 1.0 / (1.0 + (_TURN_ERROR * self.turned / _SURE) ** 2)


class FacingTracker:
    """Keeps the views of one marker, in odom, while the robot drives and stands."""

    def __init__(self) -> None:
        self._views: list[_View] = []
        self._last: StampedState | None = None
        self._middle = np.zeros(3)
        """Of the marker, where a standing robot saw it last, m."""

    def on_robot(self, robot: StampedState) -> None:
        """Let views get old as the robot turns; forget them when it was carried."""
        before, self._last = self._last, robot
        # In the charger's rails treads slip.
        if before is None or before.origin != robot.origin or robot.is_on_charger:
            self._views.clear()
            return
        _, turn = robot.motion_since(before)
        for view in self._views:
            view.turned += turn
        self._views = [view for view in self._views if abs(view.turned) <= _TURNED]

    def turned(self, seen: Placement, robot: StampedState) -> Placement:
        """Return an upright object with one marker as all views say that it is turned."""
        observation, marker = seen.seen[0]
        middle = (seen.pose @ marker.matrix)[:3, 3]
        if not robot.is_moving:
            if float(np.linalg.norm(middle - self._middle)) > _ELSEWHERE:
                self._views.clear()
            self._middle = middle
            self._add(observation.directions, marker, robot.camera)
        if not self._views:
            return seen
        pose = np.eye(4)
        pose[:3, :3] = rotation(np.array([0.0, 0.0, _best(self._views)]))
        pose[:3, 3] = middle - pose[:3, :3] @ marker.matrix[:3, 3]
        return replace(seen, pose=pose)

    def _add(self, directions: Matrix, marker: MarkerPlace, camera: Matrix) -> None:
        for view in self._views:
            apart = float(np.linalg.norm(view.camera[:3, 3] - camera[:3, 3]))
            turn = float(np.trace(view.camera[:3, :3].T @ camera[:3, :3]))
            if apart < SAME_PLACE and turn > 1.0 + 2.0 * math.cos(SAME_TURN):
                change = directions - view.directions
                if np.abs(change).max() > BESIDE:
                    self._views.clear()
                    break
                if view.count < _MOST_IN_ONE:
                    view.count += 1
                    view.directions = directions
                    view.costs = _costs(view.directions, marker, view.camera)
                return
        view = _View(camera, directions, _costs(directions, marker, camera))
        self._views = [*self._views[1 - _MOST_VIEWS :], view]


_Costs = tuple[Matrix, Matrix, Matrix]
"""For each yaw the sum of squares of what is beside; and how it changes with what is the sticker's
or the camera's own: half of its slopes, (yaws, 3), and of its bends, (yaws, 3, 3)."""


def _best(views: list[_View]) -> float:
    """Return the yaw that all views fit best, rad."""
    fits, slopes, bends = (
        sum(view.weight * part for view, part in zip(views, parts, strict=True))
        for parts in zip(*(view.costs for view in views), strict=True)
    )
    # Of each yaw the errors that fit best, as far as they are likely.
    own = np.linalg.solve(bends + np.diag([_ASKEW**-2, _WIDER**-2, _ROLL**-2]), slopes[..., None])
    costs = fits - (slopes * own[..., 0]).sum(axis=1)
    best = int(costs.argmin())
    below, here, above = costs[best - 1], costs[best], costs[(best + 1) % len(costs)]
    bend = below - 2.0 * here + above
    return float(_YAWS[best] + (0.5 * (below - above) / bend * _STEP if bend > 0.0 else 0.0))


def _costs(directions: Matrix, marker: MarkerPlace, camera: Matrix) -> _Costs:
    """Return how badly each yaw fits one view, with the marker where it fits best."""
    axes = camera[:3, :3]
    across, _, up = marker.matrix[:3, :3].T
    corners = marker.corners - marker.matrix[:3, 3]
    x, z = corners @ across, corners @ up
    askew = np.outer(x, up) - np.outer(z, across)
    c, s = np.cos(_YAWS), np.sin(_YAWS)
    turns = np.zeros((len(_YAWS), 3, 3))
    turns[:, 0, 0], turns[:, 0, 1], turns[:, 1, 0], turns[:, 1, 1] = c, -s, s, c
    turns[:, 2, 2] = 1.0
    u, v = directions.T
    # A place t and a corner q from there: (t + q) x / z is a direction, which is linear in t.
    ones, zeros = np.ones(4), np.zeros(4)
    of_place = np.concatenate(
        (np.column_stack((ones, zeros, -u)), np.column_stack((zeros, ones, -v)))
    )
    inverse = np.linalg.pinv(of_place)
    free = np.eye(8) - of_place @ inverse

    def residuals(points: Matrix) -> Matrix:
        q = np.einsum("nij,kj->nki", turns, points) @ axes
        return np.concatenate((q[..., 0] - u * q[..., 2], q[..., 1] - v * q[..., 2]), axis=1)

    seen = residuals(corners)
    middle = -(seen @ inverse.T)
    depth = middle[:, 2]
    roll = np.broadcast_to(np.concatenate((-v, u)), seen.shape) * depth[:, None]
    all_of = np.stack((seen, residuals(askew), residuals(np.outer(x, across)), roll), axis=-1)
    error = _CORNER_ERROR * depth * np.maximum(depth / _NEAR, 1.0)
    apart = np.einsum("ij,njk->nik", free, all_of) / error[:, None, None]
    facing = -np.einsum("nij,j->ni", turns, marker.matrix[:3, 1]) @ axes
    is_seen = depth > 0.0
    is_seen &= -(facing * middle).sum(axis=1) > _STEEPEST * np.linalg.norm(middle, axis=1)
    apart[~is_seen] = 0.0
    fits = np.where(is_seen, (apart[..., 0] ** 2).sum(axis=1), _NEVER)
    slopes = np.einsum("nkj,nk->nj", apart[..., 1:], apart[..., 0])
    return fits, slopes, np.einsum("nki,nkj->nij", apart[..., 1:], apart[..., 1:])
