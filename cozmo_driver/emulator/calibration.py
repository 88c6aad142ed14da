"""Calibration of head and lift: after SyncTime and on request (spec 07 §6)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..protocol.enums import MotorID
from ..protocol.messages import MotorCalibration, StartMotorCalibration
from .core import Core
from .joints import Joint, Joints

_AFTER_SYNC = 0.040
"""Seconds, so that the start is reported one tick after SyncTimeAck, as recorded."""
_FIRST_DURATION = {MotorID.LIFT: 0.76, MotorID.HEAD: 1.25}
_LATER_DURATION = {MotorID.LIFT: 0.53, MotorID.HEAD: 0.53}


class Calibration:
    """Runs the motors against their stops and reports it."""

    def __init__(
        self, core: Core, joints: Joints, time_scale: float, ready: Callable[[], None]
    ) -> None:
        """Take part in the connection; ``time_scale`` 0 calibrates at once.

        ``ready`` is called whenever both motors have become calibrated.
        """
        self._core = core
        self._joints = joints
        self._scale = time_scale
        self._ready = ready
        self._runs = dict.fromkeys(_FIRST_DURATION, 0)
        core.handle(StartMotorCalibration, self._requested)

    def begin_session(self) -> None:
        """Calibrate both motors as the robot does after SyncTime."""
        self._core.after(_AFTER_SYNC * self._scale, self._start_both)

    def calibrate_head(self) -> None:
        """Calibrate the head as the robot does by itself after a fall."""
        self._start({MotorID.HEAD: _LATER_DURATION[MotorID.HEAD]}, automatic=True)

    def _start_both(self) -> None:
        self._start(_FIRST_DURATION)

    def _requested(self, m: StartMotorCalibration) -> None:
        wanted = {MotorID.HEAD: m.calibrate_head, MotorID.LIFT: m.calibrate_lift}
        self._start({motor: t for motor, t in _LATER_DURATION.items() if wanted[motor]})

    def _start(self, durations: dict[MotorID, float], *, automatic: bool = False) -> None:
        for motor, duration in durations.items():
            self._joint(motor).start_calibration()
            self._core.send(MotorCalibration(motor, calib_started=True, auto_started=automatic))
            self._runs[motor] += 1
            run = self._runs[motor]
            self._core.after(duration * self._scale, partial(self._finish, motor, run, automatic))

    def _finish(self, motor: MotorID, run: int, automatic: bool) -> None:
        """End a run, unless the motor has begun another one since."""
        if run != self._runs[motor]:
            return
        self._joint(motor).finish_calibration()
        self._core.send(MotorCalibration(motor, calib_started=False, auto_started=automatic))
        if self._joints.calibrated:
            self._ready()

    def _joint(self, motor: MotorID) -> Joint:
        return self._joints.head if motor is MotorID.HEAD else self._joints.lift
