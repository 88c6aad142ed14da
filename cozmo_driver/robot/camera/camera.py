"""Camera: stream on and off, chunks assembled to pictures, torn ones dropped (spec 03)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ...media import ImageAssembler, to_jpeg
from ...protocol import ImageResolution, ImageSendMode, messages
from ..data import Image, RobotState, Vector3
from ..session import Session
from ..signal import Signal
from ..states import DeviceClock
from .calibration import CameraCalibration
from .exposure import Exposure, ExposureControl

WARM_UP_IMAGES = 15
"""Pictures at the start of a stream that may be torn, also of those that get lost (spec 03 §2)."""
RESTART_GAP = 0.5
"""After such a gap in the stream the sensor warms up again, s (spec 14)."""
_STATES = 35
"""In somewhat more than a second."""
_AROUND = 0.07
"""s about a picture's time over which the head's turn counts: all lines are exposed in them."""


@dataclass(frozen=True, slots=True)
class CameraOptions:
    """What the camera does in every session; with ``auto_exposure`` the values are a start."""

    enabled: bool = True
    color: bool = False
    gain: float = 2.0
    exposure_ms: int = 16
    auto_exposure: bool = False


@dataclass(slots=True)
class CameraStatistics:
    """Counters since the start; incomplete and stale pictures are counted by the assembler."""

    images: int = 0
    warm_up_dropped: int = 0
    rejected: int = 0
    """Pictures whose bytes are no picture."""


class Camera:
    """The head camera: emits complete JPEG pictures at once, none is queued."""

    def __init__(
        self,
        session: Session,
        clock: DeviceClock,
        options: CameraOptions,
        on_state: Signal[RobotState],
    ) -> None:
        """Stamp pictures with ``clock``. Raises ``ValueError``."""
        self.is_enabled = options.enabled
        self.is_color = options.color
        self.statistics = CameraStatistics()
        self.assembler = ImageAssembler()
        self.on_image: Signal[Image] = Signal()
        self.calibration: CameraCalibration | None = None
        """Known soon after the first connection."""
        self.on_calibration: Signal[CameraCalibration] = Signal()
        self.exposure_control = ExposureControl(
            session, Exposure(options.gain, options.exposure_ms), options.auto_exposure
        )
        self._session, self._clock = session, clock
        self._first_id: int | None = None
        """Of the stream's first picture; None before it has come."""
        self._last_image = 0.0
        self._states: deque[RobotState] = deque(maxlen=_STATES)
        on_state.connect(self._states.append)
        session.on(messages.ImageChunk, self._on_chunk)
        session.on_setup.connect(self._on_setup)

    def set_calibration(self, calibration: CameraCalibration) -> None:
        self.calibration = calibration
        self.on_calibration.emit(calibration)

    # -- settings, of this session and later ones

    def enable(self, on: bool) -> None:
        self.is_enabled = on
        if self._session.link.is_connected:
            self._request()

    def set_color(self, on: bool) -> None:
        """Take colour pictures, of half the width, or gray ones. Raises ``SendQueueFull``."""
        self.is_color = on
        if self._session.link.is_connected:
            self._session.send(messages.EnableColorImages(on))

    def set_gain(self, gain: float) -> None:
        """Amplify 0.1 to 4.0 times, clamped to the sensor's maximum. Raises ``ValueError``."""
        self.exposure_control.set(gain=gain)

    def set_exposure(self, exposure_ms: int) -> None:
        """Expose for 1 to 66 ms. Raises ``ValueError``."""
        self.exposure_control.set(exposure_ms=exposure_ms)

    def set_auto_exposure(self, on: bool) -> None:
        """Let gain and exposure follow the pictures, or return to what was set by hand."""
        self.exposure_control.set_auto(on)

    def _on_setup(self, _: None) -> None:
        self.assembler.reset()
        self._states.clear()
        self._session.send(messages.EnableColorImages(self.is_color))
        self._request()

    def _request(self) -> None:
        self._first_id = None
        mode = ImageSendMode.STREAM if self.is_enabled else ImageSendMode.OFF
        self._session.send(messages.ImageRequest(mode, ImageResolution.QVGA))

    def _on_chunk(self, chunk: messages.ImageChunk, now: float) -> None:
        data = self.assembler.add(chunk)
        if data is None:
            return
        if self._first_id is None or now - self._last_image > RESTART_GAP:
            self._first_id = chunk.image_id
        self._last_image = now
        if 0 <= chunk.image_id - self._first_id < WARM_UP_IMAGES:
            self.statistics.warm_up_dropped += 1
            return
        try:
            jpeg = to_jpeg(data)
        except ValueError:
            self.statistics.rejected += 1
            return
        self.statistics.images += 1
        time = min(now, self._clock.to_host(chunk.frame_time_stamp / 1000.0))
        self.on_image.emit(Image(time, chunk.image_id, jpeg, bool(data[0]), self._rates_at(time)))
        self.exposure_control.update(jpeg, now)

    def _rates_at(self, time: float) -> Vector3 | None:
        around = [state for state in self._states if abs(state.time - time) <= _AROUND]
        return around[-1].head_turned_since(around[0]) if len(around) > 1 else None
