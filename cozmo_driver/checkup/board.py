"""The lens, measured with a printed chessboard that somebody holds before the camera."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ..link import with_timeout
from ..perception import Mount, as_gray, check_mount, forget_mount, load_mount, save_mount
from ..robot import (
    CameraCalibration,
    Image,
    Measurement,
    Robot,
    load_robot_calibration,
    save_robot_calibration,
)
from .analysis import Floats
from .surveying import CalibrationRefused

_log = logging.getLogger(__name__)

Gray: TypeAlias = npt.NDArray[np.uint8]

VIEWS = 20
LENS = ("fx", "fy", "cx", "cy")
_APART, _STILL = 8.0, 1.0
"""Pixels: by which the corners of two views differ at least, and those of two images of a board
that is held still at most. Lines are read one after the other."""
_TIMEOUT = 60.0
"""s until the next view."""
_HEAD = 0.2
_RESIDUAL = 0.4
"""Pixels by which corners may be off, root mean square: beyond, the board is not flat."""
_SURE = 6.0
"""Standard deviation of focal lengths and centre, pixels, that must be reached."""
_MIDDLE = 160.0, 120.0
_FLAGS = cv2.CALIB_CB_FAST_CHECK | cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE
_WINDOW = 4, 4
"""Pixels to each side of a corner by which it is found to a fraction of one."""
_UNTIL = cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 30, 0.01


@dataclass(frozen=True, slots=True)
class Board:
    """Its inner corners, and the side of a square in m."""

    columns: int
    rows: int
    square: float

    def corners(self, gray: Gray) -> Floats | None:
        """Return where the inner corners are in an image, n x 2 pixels; None where not all are."""
        found, corners = cv2.findChessboardCorners(gray, (self.columns, self.rows), flags=_FLAGS)
        if not found:
            return None
        fine: Floats = cv2.cornerSubPix(gray, corners, _WINDOW, (-1, -1), _UNTIL).reshape(-1, 2)
        return fine

    @property
    def points(self) -> Floats:
        """The inner corners on the board, n x 3, m."""
        places = np.mgrid[: self.columns, : self.rows, :1].T.reshape(-1, 3)
        points: Floats = (self.square * places).astype(np.float32)
        return points


class Views:
    """Of a board that is held still, each from elsewhere."""

    def __init__(self, board: Board) -> None:
        self.board, self.kept = board, list[Floats]()
        self._last: Floats | None = None

    def add(self, gray: Gray) -> bool:
        """Look at an image; return whether it is a new view."""
        last, self._last = self._last, self.board.corners(gray)
        corners = self._last
        if corners is None or last is None or _off(corners, last) > _STILL:
            return False
        if any(_off(corners, other) < _APART for other in self.kept):
            return False
        self.kept.append(corners)
        return True


def _off(one: Floats, other: Floats) -> float:
    return float(np.linalg.norm(one - other, axis=1).mean())


def lens_of(
    board: Board, views: Sequence[Floats], stored: CameraCalibration
) -> dict[str, tuple[float, float]]:
    """Return the lens by the names of ``LENS``: pixels, with standard deviations.

    Raises ``CalibrationRefused`` where the views do not tell.
    """
    start = np.array([[stored.fx, 0.0, stored.cx], [0.0, stored.fy, stored.cy], [0.0, 0.0, 1.0]])
    # As its maker stored it: a pinhole.
    fixed = cv2.CALIB_FIX_K1 | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3 | cv2.CALIB_ZERO_TANGENT_DIST
    off, found, _, _, _, deviations, *_ = cv2.calibrateCameraExtended(
        [board.points] * len(views),
        [view.astype(np.float32) for view in views],
        (stored.width, stored.height),
        start,
        np.zeros(5),
        flags=fixed | cv2.CALIB_USE_INTRINSIC_GUESS,
    )
    if not off < _RESIDUAL:
        raise CalibrationRefused(
            f"the images do not fit together ({off:.1f} pixels off): is the board flat, and are "
            "its squares all alike? Nothing is kept"
        )
    values = found[0, 0], found[1, 1], found[0, 2], found[1, 2]
    lens = {
        name: (float(value), float(deviation))
        for name, value, deviation in zip(LENS, values, deviations[:4, 0], strict=True)
    }
    worst = max(deviation for _, deviation in lens.values())
    if not worst < _SURE:
        raise CalibrationRefused(
            f"the lens is not sure enough (+- {worst:.1f} pixels): hold the board more aslant, and "
            "farther to the sides. Nothing is kept"
        )
    return lens


async def measure_lens(
    robot: Robot, board: Board, on_progress: Callable[[int], object] = lambda _: None
) -> dict[str, Measurement]:
    """Take views of a board that somebody holds; ``on_progress`` takes how many there are.

    The camera must be on; the head rises. Raises ``CalibrationRefused``, ``RobotError`` and
    ``ConnectionLost``.
    """
    views, loop = Views(board), asyncio.get_running_loop()
    await robot.joints.move_head(_HEAD)
    until = loop.time() + _TIMEOUT
    while len(views.kept) < VIEWS:
        try:
            image = await with_timeout(until - loop.time(), robot.on_image.next())
        except TimeoutError:
            raise CalibrationRefused(
                f"no new view of the board for {_TIMEOUT:.0f} s, {len(views.kept)} of {VIEWS} are "
                f"there: hold all of its {board.columns} x {board.rows} inner corners before the "
                "camera, still, each time aslant in another way. Nothing is kept"
            ) from None
        if await asyncio.to_thread(_look, views, image):
            until = loop.time() + _TIMEOUT
            on_progress(len(views.kept))
    stored = robot.camera.calibration
    if stored is None:
        raise CalibrationRefused("the robot has not told of its camera yet: begin again")
    source = f"cozmo calibrate --board {date.today().isoformat()}"
    found = await asyncio.to_thread(lens_of, board, views.kept, stored)
    measured = {name: Measurement(*pair, source) for name, pair in found.items()}
    if not all(one.is_possible(name) for name, one in measured.items()):
        raise CalibrationRefused(f"no robot has such a lens: {found}. Nothing is kept")
    return measured


def _look(views: Views, image: Image) -> bool:
    try:
        return views.add(as_gray(image.pixels()))
    except ValueError:
        return False  # a damaged image


def keep_lens(
    directory: Path, serial: int, lens: Mapping[str, Measurement], stored: CameraCalibration
) -> None:
    """Store a lens by the serial number, ``stored`` being the robot's own. Raises ``OSError``.

    The middle of the image goes on showing the same: what was learnt of the camera's angles is
    turned with it, or forgotten where no robot has what comes out.
    """
    kept = load_robot_calibration(directory, serial)
    before = [kept.value(name, getattr(stored, name)) for name in LENS]
    learnt = load_mount(directory, serial)
    save_robot_calibration(directory, serial, kept.with_values(lens))
    if learnt is not None:
        mount = turned(learnt.mount, before, [lens[name].value for name in LENS])
        learnt = replace(learnt, mount=mount)
        try:
            check_mount(learnt)
        except ValueError as error:
            forget_mount(directory, serial)
            _log.warning("how the camera looks is learnt anew: with this lens, %s", error)
        else:
            save_mount(directory, serial, learnt)


def turned(mount: Mount, before: Sequence[float], after: Sequence[float]) -> Mount:
    """Return how a camera is turned whose lens is not the one it was thought to have."""
    (left, up), (now_left, now_up) = (
        (math.atan2(cx - _MIDDLE[0], fx), math.atan2(cy - _MIDDLE[1], fy))
        for fx, fy, cx, cy in (before, after)
    )
    return replace(mount, pitch=mount.pitch + up - now_up, yaw=mount.yaw + left - now_left)
