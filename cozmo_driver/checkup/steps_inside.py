"""Steps that ask the robot's firmware: storage, the camera's calibration, playing frames."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

import numpy as np

from ..protocol import ConnectionLost, NVEntryTag
from ..robot import USER_ENTRIES, CalibrationSource, Frame
from .bench import Bench
from .step import Quantity, Result, Series, Step, Verdict, failed, skipped

_FRAMES = 120
"""4 s."""
_AT_START = 10
_LONGEST_GAP = 0.25
"""s without a state: in a longer one the robot, which is 1/3 s of frames ahead, may run dry."""
_CALIBRATION_TIMEOUT = 8.0


async def _storage(bench: Bench) -> Result:
    robot = bench.robot
    name = f"{robot.identity.head_serial:08x}-checkup-{datetime.now():%Y%m%d-%H%M%S-%f}.json"
    try:
        saved = await robot.storage.backup(robot.storage.options.backup_directory / name)
    except ConnectionLost:
        # An OSError, too, which ends every step.
        raise
    except OSError as error:
        return skipped(
            f"the backup could not be written: {error.strerror or error}",
            "make room on the disk, or name a folder that can be written by XDG_DATA_HOME",
        )
    bench.person.tell(f"the backup is {saved.path}; it belongs into no report")
    full = [image for image in saved.images.values() if image is not None]
    calibration = await robot.storage.read(NVEntryTag.CAMERA_CALIB)
    values = {
        "entries": Quantity(len(USER_ENTRIES)),
        "entries_used": Quantity(len(full)),
        "bytes_used": Quantity(sum(map(len, full))),
        "camera_record": Quantity(0 if calibration is None else len(calibration)),
    }
    sentence = f"{len(full)} of {len(USER_ENTRIES)} entries are used; backed up, nothing written"
    if calibration is None:
        advice = "typical values of this camera are used: see cozmo calibrate"
        return Result(Verdict.UNUSUAL, f"{sentence}; no camera calibration", values, advice)
    return Result(Verdict.PASSED, sentence, values)


async def _camera_calibration(bench: Bench) -> Result:
    camera = bench.robot.camera
    try:
        await bench.robot.session.until(
            lambda: camera.calibration is not None, _CALIBRATION_TIMEOUT
        )
    except TimeoutError:
        return failed("the calibration could not be read", "repeat the step")
    one = camera.calibration
    assert one is not None
    values = {
        "focal_length_x": Quantity(one.fx, "px"),
        "focal_length_y": Quantity(one.fy, "px"),
        "centre_x": Quantity(one.cx, "px"),
        "centre_y": Quantity(one.cy, "px"),
        "distortion": Quantity(float(max(map(abs, one.distortion), default=0.0))),
        "source": Quantity(one.source.value),
    }
    sentence = (
        f"focal lengths {one.fx:.1f} and {one.fy:.1f} px, centre ({one.cx:.1f}, {one.cy:.1f})"
    )
    if one.source is not CalibrationSource.ROBOT:
        advice = "places of cubes err by some per cent: see cozmo calibrate"
        return Result(Verdict.UNUSUAL, f"{sentence}: {one.source.value}", values, advice)
    return Result(Verdict.PASSED, sentence, values)


class _Silence:
    """Frames with nothing to hear or see."""

    def __init__(self) -> None:
        self._left = _FRAMES

    def is_ready(self, _now: float) -> bool:
        return True

    def next_frame(self, now: float) -> Frame:
        self._left -= 1
        return Frame(is_last=self._left == 0)


async def _animation(bench: Bench) -> Result:
    begun = bench.now
    playback = bench.robot.frames.play(_Silence())
    played: list[tuple[float, int]] = []
    playback.on_progress.connect(lambda count: played.append((bench.now - begun, count)))
    try:
        _, states = await bench.recorded(playback.finished())
    finally:
        playback.stop()
    gap = max((b.received_at - a.received_at for a, b in pairwise(states)), default=0.0)
    if gap > _LONGEST_GAP:
        bench.silence = gap
    times, counts = np.array(played[_AT_START:]).T
    rate = float(np.polyfit(times, counts, 1)[0])
    values = {
        "frame_rate": Quantity(rate, "Hz"),
        "first_frame": Quantity(played[0][0], "s"),
        "frames": Quantity(playback.frames_played),
        "jitter": Quantity(float(np.std(counts / rate - times)), "s"),
        "longest_pause": Quantity(float(np.diff(times).max()), "s"),
    }
    sentence = f"{playback.frames_played} frames played, {rate:.2f} a second"
    late = [(t, (t - played[0][0]) * 1000 - 1000 * (n - played[0][1]) / 30) for t, n in played]
    series = Series(
        "Frames against a clock of 30 a second", "time / s", "late by / ms", {"frames": late}
    )
    if playback.frames_played < _FRAMES:
        return failed(f"only {sentence}", "repeat the step", **values)
    return Result(Verdict.PASSED, sentence, values, series=(series,))


STEPS = (
    Step(
        "storage",
        "Storage",
        "Reads what the app keeps in the robot and saves it on this computer; nothing is written.",
        _storage,
    ),
    Step(
        "camera_calibration",
        "Calibration of the camera in the robot",
        "Reads what the factory measured; nothing moves.",
        _camera_calibration,
    ),
    Step(
        "animation",
        "Playing of frames",
        "Plays 4 s of silence, to measure the robot's clock and buffer.",
        _animation,
    ),
)
