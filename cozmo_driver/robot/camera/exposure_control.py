"""Sets the camera's gain and exposure time, by hand or automatically (spec 03 §6)."""

from __future__ import annotations

import contextlib
import logging
import math

from ...media.brightness import mean_gray
from ...protocol import NotConnected, SendQueueFull, messages
from ..session import Session
from ..signal import Signal
from .auto_exposure import AutoExposure, CameraLimits, Exposure

_log = logging.getLogger(__name__)

WIDEST = CameraLimits(0.1, 4.0, 1, 66)
"""What the official app allows; a robot may allow less."""
_EVERY = 5
"""Pictures, of which one is looked at."""


class ExposureControl:
    """Remembers what was wished, keeps to the robot's limits, applies it in every session."""

    def __init__(self, session: Session, wish: Exposure, is_auto: bool) -> None:
        """Send through ``session``. Raises ``ValueError``."""
        self._session = session
        self._wish = _checked(wish)
        self._limits = CameraLimits()
        self._auto = AutoExposure(wish, self._limits) if is_auto else None
        self.present = self._limits.clamped(wish)
        """What the robot was told, or will be."""
        self.on_change: Signal[Exposure] = Signal()
        self.brightness = math.nan
        """Mean gray of the last picture looked at, 0 to 255."""
        self._images = 0
        session.on(messages.DefaultCameraParams, self._take_limits)
        session.on_setup.connect(self._set_up)

    @property
    def limits(self) -> CameraLimits:
        """What the robot's camera can do, typical values before it told."""
        return self._limits

    @property
    def is_auto(self) -> bool:
        """Tell whether the exposure follows the pictures."""
        return self._auto is not None

    def set(self, wish: Exposure) -> None:
        """Use gain 0.1 to 4.0 and exposure 1 to 66 ms, clamped to the robot's own limits.

        Automatic exposure goes on from there. Raises ``ValueError``, ``SendQueueFull``.
        """
        self._wish = _checked(wish)
        if self._auto is not None:
            self._auto = AutoExposure(wish, self._limits)
        self._apply(wish)

    @property
    def wish(self) -> Exposure:
        """What was set by hand last."""
        return self._wish

    def set_auto(self, on: bool) -> None:
        """Let the exposure follow the pictures, or return to what was set by hand."""
        if on and self._auto is None:
            self._auto = AutoExposure(self._wish, self._limits)
        elif not on and self._auto is not None:
            self._auto = None
            self.brightness = math.nan
            self._apply(self._wish)

    def take_image(self, jpeg: bytes, now: float) -> None:
        """Look at every 5th picture, come at ``now`` in s, if the exposure is automatic."""
        if self._auto is None:
            return
        self._images += 1
        if self._images % _EVERY:
            return
        try:
            self.brightness = mean_gray(jpeg)
            change = self._auto.update(self.brightness, now)
        except ValueError as error:
            _log.debug("%s", error)
            return
        if change is not None:
            # What is not sent now is made up for by the next change.
            with contextlib.suppress(NotConnected, SendQueueFull):
                self._apply(change)

    def _apply(self, exposure: Exposure) -> None:
        exposure = self._limits.clamped(exposure)
        if exposure != self.present:
            self.present = exposure
            self.on_change.emit(exposure)
            if self._session.link.is_connected:
                self._send()

    def _send(self) -> None:
        exposure = self.present
        self._session.send(messages.SetCameraParams(exposure.gain, exposure.exposure_ms))

    def _set_up(self, _: None) -> None:
        self._session.send(messages.SetCameraParams(0.0, 0, True))
        self._send()

    def _take_limits(self, message: messages.DefaultCameraParams, _: float) -> None:
        limits = _limits_of(message)
        if limits is None:
            _log.warning("the robot's camera limits make no sense: %s", message)
            return
        if limits == self._limits:
            return
        self._limits = limits
        if self._auto is not None:
            self._auto = AutoExposure(self.present, limits)
        self._apply(self.present if self._auto is not None else self._wish)


def _limits_of(message: messages.DefaultCameraParams) -> CameraLimits | None:
    """Return what both the robot and the official app allow; None for nonsense."""
    low = max(WIDEST.min_exposure_ms, message.min_exposure_ms)
    high = min(WIDEST.max_exposure_ms, message.max_exposure_ms)
    if not (math.isfinite(message.max_gain) and message.max_gain > WIDEST.min_gain and low <= high):
        return None
    return CameraLimits(WIDEST.min_gain, min(WIDEST.max_gain, message.max_gain), low, high)


def _checked(wish: Exposure) -> Exposure:
    if not WIDEST.min_gain <= wish.gain <= WIDEST.max_gain:
        raise ValueError(
            f"the camera's gain is from {WIDEST.min_gain:g} to {WIDEST.max_gain:g}, not {wish.gain}"
        )
    if not WIDEST.min_exposure_ms <= wish.exposure_ms <= WIDEST.max_exposure_ms:
        raise ValueError(
            f"the exposure time is from {WIDEST.min_exposure_ms} to {WIDEST.max_exposure_ms} ms, "
            f"not {wish.exposure_ms}"
        )
    return wish
