"""The camera's gain and exposure time, set by hand or following the pictures (spec 03 §6)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from dataclasses import dataclass

from ...media import mean_gray
from ...protocol import NotConnected, SendQueueFull, messages
from ..errors import check_range
from ..session import Session
from ..signal import Signal

_log = logging.getLogger(__name__)

DARKEST, BRIGHTEST = 100.0, 130.0
"""Mean gray values that are left alone."""
STEP = 1.15
LEAST_INTERVAL = 0.3
"""Between two changes, s: the next pictures still show the old exposure."""
_EVERY = 5
"""Pictures, of which one is measured."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """Amplification of the sensor and exposure time, ms."""

    gain: float = 2.0
    exposure_ms: int = 16


@dataclass(frozen=True, slots=True)
class CameraLimits:
    """What the sensor can do; the values are those of every robot seen."""

    min_gain: float = 0.1
    max_gain: float = 3.984
    min_exposure_ms: int = 1
    max_exposure_ms: int = 66

    def clamped(self, exposure: Exposure) -> Exposure:
        return Exposure(
            min(max(exposure.gain, self.min_gain), self.max_gain),
            min(max(exposure.exposure_ms, self.min_exposure_ms), self.max_exposure_ms),
        )


WIDEST = CameraLimits(0.1, 4.0, 1, 66)
"""What the official app allows; a robot may allow less."""


class AutoExposure:
    """Longer exposure first, then more gain; the other way round back.

    The exposure time comes in whole ms, which are large steps when it is short: the gain makes up
    for the rounding.
    """

    def __init__(self, start: Exposure, limits: CameraLimits) -> None:
        """Keep the gain of ``start`` while the exposure time alone will do."""
        self._limits = limits
        start = limits.clamped(start)
        self._usual_gain = self._gain = start.gain
        self._time = float(start.exposure_ms)
        self._changed_at = -math.inf

    @property
    def exposure(self) -> Exposure:
        exposure_ms = math.ceil(self._time - 1e-9)
        gain = self._gain * self._time / exposure_ms
        return self._limits.clamped(Exposure(gain, exposure_ms))

    def update(self, mean: float, now: float) -> Exposure | None:
        """Take a picture's mean gray value at a time in s; return a change to be made."""
        if DARKEST <= mean <= BRIGHTEST or now - self._changed_at < LEAST_INTERVAL:
            return None
        before = self.exposure
        if mean < DARKEST:
            self._brighten()
        else:
            self._darken()
        if self.exposure == before:
            return None
        self._changed_at = now
        return self.exposure

    def _brighten(self) -> None:
        limits = self._limits
        if self._time < limits.max_exposure_ms:
            self._time = min(limits.max_exposure_ms, self._time * STEP)
        else:
            self._gain = min(limits.max_gain, self._gain * STEP)

    def _darken(self) -> None:
        limits = self._limits
        if self._gain > self._usual_gain:
            self._gain = max(self._usual_gain, self._gain / STEP)
        elif self._time > limits.min_exposure_ms:
            self._time = max(limits.min_exposure_ms, self._time / STEP)
        else:
            self._gain = max(limits.min_gain, self._gain / STEP)


class ExposureControl:
    """Keeps the requested exposure to the robot's limits and applies it in every session."""

    def __init__(self, session: Session, requested: Exposure, is_auto: bool) -> None:
        """Raise ``ValueError`` for an exposure that no camera has."""
        self._session = session
        self.requested = _checked(requested)
        """What was set by hand last."""
        self.limits = CameraLimits()
        """What the robot's camera can do, typical values until it has sent them."""
        self._auto = AutoExposure(requested, self.limits) if is_auto else None
        self.current = self.limits.clamped(requested)
        """What was sent to the robot, or will be."""
        self._sent: Exposure | None = None
        self.on_change: Signal[Exposure] = Signal()
        self.brightness = math.nan
        """Mean gray of the last picture measured, 0 to 255."""
        self._images = 0
        self._is_measuring = False
        session.on(messages.DefaultCameraParams, self._on_limits)
        session.on_setup.connect(self._on_setup)

    @property
    def is_auto(self) -> bool:
        return self._auto is not None

    def set(self, gain: float | None = None, exposure_ms: int | None = None) -> None:
        """Use gain 0.1 to 4.0 and exposure 1 to 66 ms, clamped to the robot's own limits.

        What is None stays. Automatic exposure goes on from there. Raises ``ValueError``, and
        ``SendQueueFull``: it is sent in the next session.
        """
        self.requested = _checked(
            Exposure(
                self.requested.gain if gain is None else gain,
                self.requested.exposure_ms if exposure_ms is None else exposure_ms,
            )
        )
        if self._auto is not None:
            self._auto = AutoExposure(self.requested, self.limits)
        self._apply(self.requested)

    def set_auto(self, on: bool) -> None:
        """Let the exposure follow the pictures, or return to what was set by hand.

        Raises ``SendQueueFull``: what was set by hand is sent in the next session.
        """
        if on and self._auto is None:
            self._auto = AutoExposure(self.requested, self.limits)
        elif not on and self._auto is not None:
            self._auto = None
            self.brightness = math.nan
            self._apply(self.requested)

    def update(self, jpeg: bytes, now: float) -> None:
        """Measure every 5th picture, received at ``now`` in s, if the exposure is automatic.

        In a worker: reading a picture would keep the loop from the robot's states.
        """
        if self._auto is None:
            return
        self._images += 1
        if self._images % _EVERY or self._is_measuring:
            return
        self._is_measuring = True
        loop = asyncio.get_running_loop()
        measuring = loop.run_in_executor(None, mean_gray, jpeg)
        measuring.add_done_callback(lambda done: self._on_measured(done, now))

    def _on_measured(self, done: asyncio.Future[float], now: float) -> None:
        self._is_measuring = False
        if self._auto is None or done.cancelled():
            return
        try:
            self.brightness = done.result()
        except ValueError as error:
            _log.debug("%s", error)
            return
        self._auto.update(self.brightness, now)
        # What is not sent now is sent after the next measurement.
        with contextlib.suppress(NotConnected, SendQueueFull):
            self._apply(self._auto.exposure)

    def _apply(self, exposure: Exposure) -> None:
        exposure = self.limits.clamped(exposure)
        if exposure != self.current:
            self.current = exposure
            self.on_change.emit(exposure)
        self._send()

    def _send(self) -> None:
        """Send what the robot does not have yet."""
        exposure = self.current
        if exposure != self._sent and self._session.link.is_connected:
            self._session.send(messages.SetCameraParams(exposure.gain, exposure.exposure_ms))
            self._sent = exposure

    def _on_setup(self, _: None) -> None:
        self._sent = None
        self._session.send(messages.SetCameraParams(0.0, 0, True))
        self._send()

    def _on_limits(self, message: messages.DefaultCameraParams, _: float) -> None:
        limits = _limits_of(message)
        if limits is None:
            _log.warning("the robot's camera limits make no sense: %s", message)
        elif limits != self.limits:
            self.limits = limits
            if self._auto is not None:
                self._auto = AutoExposure(self.current, limits)
            self._apply(self.requested if self._auto is None else self.current)


def _limits_of(message: messages.DefaultCameraParams) -> CameraLimits | None:
    """Return what both the robot and the official app allow; None for nonsense."""
    low = max(WIDEST.min_exposure_ms, message.min_exposure_ms)
    high = min(WIDEST.max_exposure_ms, message.max_exposure_ms)
    if not (math.isfinite(message.max_gain) and message.max_gain > WIDEST.min_gain and low <= high):
        return None
    return CameraLimits(WIDEST.min_gain, min(WIDEST.max_gain, message.max_gain), low, high)


def _checked(exposure: Exposure) -> Exposure:
    check_range("the camera's gain", exposure.gain, WIDEST.min_gain, WIDEST.max_gain)
    low, high = WIDEST.min_exposure_ms, WIDEST.max_exposure_ms
    check_range("the exposure time", exposure.exposure_ms, low, high, "ms")
    return exposure
