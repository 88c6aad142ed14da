"""One robot, in SI units, in an asyncio program without ROS (sessions: spec 01 §8)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from ..installation import cache_directory, data_directory
from ..link import Backoff, LinkStatistics, UdpLink
from ..protocol import MotorID, RobotStatusFlag, Statistics, messages
from .battery import Battery, BatteryTracker
from .calibration import RobotCalibration
from .calibration_keeper import CalibrationKeeper
from .camera.calibration import (
    CalibrationCache,
    CalibrationReader,
    CameraCalibration,
    with_measured,
)
from .camera.camera import Camera, CameraOptions
from .cubes.data import LIGHT_CUBES, CubeKind
from .cubes.light_cubes import Cubes
from .data import Cause, Identity, Pose2D, RobotState, SessionState
from .display import Display
from .docking.docking import Docking
from .event_collector import EventCollector
from .firmware.traces import Traces, TraceTables
from .firmware.update import FirmwareOptions, FirmwareUpdate
from .geometry import TRACK_WIDTH
from .lights import Backpack, HeadLight
from .localization import Localization
from .motion.claims import Owner
from .motion.cliff import CliffGuard, CliffThreshold
from .motion.driving import DriveLimits
from .motion.motion import Motion
from .obstacles import Obstacles
from .odometry import Odometry, OdometryTracker
from .paths.follower import PathFollower
from .paths.maneuvers import Maneuvers
from .paths.turns import Turns
from .playback.audio import Audio
from .playback.audio_stream import AudioStreamOptions
from .playback.frame_stream import FrameStream
from .power import Power
from .session import Session, Until
from .signal import Signal
from .states import DeviceClock, StateTracker
from .storage.storage import Storage, StorageOptions
from .track_learning import TrackLearner
from .turn_learning import TurnScaleLearner

_STATES_WITHOUT_RADIO = 16
_ACCESSORY_MODE = 1
_NO_CLIP = (0, 255)
"""Animation tags while no clip plays: nothing, and the idle face."""


@dataclass(frozen=True, slots=True)
class RobotOptions:
    """Where the robot is and how it is set up; applied in every new session."""

    address: str = "172.31.1.1"
    port: int = 5551
    network_interface: str = ""
    backoff: Backoff = field(default_factory=Backoff)
    limits: DriveLimits = field(default_factory=DriveLimits)
    camera: CameraOptions = field(default_factory=CameraOptions)
    cubes: tuple[CubeKind, ...] = LIGHT_CUBES
    """Which to connect from the start."""
    stop_on_cliff: bool = True
    stop_on_bump: bool = False
    """Stop once when the robot does not follow its treads; the next command drives again."""
    cliff_threshold: int = 0
    """Reflectance below which there is no ground, 1 to 800; 0 for the app's schedule."""
    wheel_separation: float = TRACK_WIDTH
    """Distance of the tread centres that slip is judged with, m."""
    volume: float = 1.0
    """Loudness, 0 to 1; the robot is mute until it is set (spec 14)."""
    audio: AudioStreamOptions = field(default_factory=AudioStreamOptions)
    storage: StorageOptions = field(default_factory=StorageOptions)
    firmware: FirmwareOptions = field(default_factory=FirmwareOptions)
    allow_power_off: bool = False
    cache_directory: Path = field(default_factory=cache_directory)
    """Where what was read from a robot is kept."""
    calibration_directory: Path | None = field(default_factory=data_directory)
    """Where what was measured and learnt of robots is kept; None for nowhere."""
    trace_tables: TraceTables = field(default_factory=TraceTables)


@dataclass(frozen=True, slots=True)
class Status:
    """A state of the robot, and what the driver does with it."""

    state: RobotState = field(compare=False)
    is_cliff_detected: bool
    """Whether it sees no ground, as ``CliffGuard.is_detected``."""
    is_animating: bool
    is_head_calibrated: bool
    is_lift_calibrated: bool
    is_emergency_stopped: bool
    is_held_after_pickup: bool
    is_stop_on_cliff_enabled: bool
    is_head_light_on: bool
    is_camera_enabled: bool
    disabled_motors: frozenset[MotorID]
    wheels_owner: Owner
    face_owner: Owner
    clip: str
    origin: Pose2D = field(compare=False)
    """Pose of the robot's own coordinate system in the odometry frame; where the robot counts
    wrong it moves with each state."""

    def is_change_from(self, before: Status | None) -> bool:
        """Tell whether more than measurements and times differ."""
        return before is None or self != before or _discrete(self.state) != _discrete(before.state)


def _discrete(state: RobotState) -> tuple[int, ...]:
    return state.flags, state.off_treads, state.path_segment, state.origin_id, state.frame_id


class Robot:
    """What the robot reports and can do. Create anywhere, use in one asyncio loop."""

    def __init__(self, options: RobotOptions) -> None:
        self.options = options
        link = UdpLink(
            options.address,
            options.port,
            lambda event, now: self.session.handle_event(event, now),
            network_interface=options.network_interface,
        )
        self.session = Session(link, options.backoff)
        self.clock = DeviceClock()
        self.state_tracker = StateTracker(self.clock)
        self.on_state: Signal[RobotState] = Signal()
        self.odometry_tracker = OdometryTracker()
        self.localization = Localization(self.session, self.odometry_tracker)
        self.on_state.connect(self.localization.update)
        self.cliff_threshold = CliffThreshold(self.session, options.cliff_threshold)
        self.on_state.connect(self.cliff_threshold.update)
        self.cliff = CliffGuard(self.session, self.cliff_threshold, options.stop_on_cliff)
        self.cliff.on_stop.connect(lambda _: self.cliff_threshold.stopped())
        self.motion = Motion(self.session, options.limits, self.cliff, self.on_state)
        self.localization.on_delocalized.connect(lambda _: self.motion.carried())
        self.localization.on_odometry_set.connect(self._on_odometry_set)
        self.joints = self.motion.joints
        self.paths = PathFollower(self.session, self.motion, self.localization)
        self.turns = Turns(self.session, self.motion, self.localization, self.paths)
        self.maneuvers = Maneuvers(self.motion, self.localization, self.paths)
        self.on_state.connect(self.maneuvers.charger.update)
        self.docking = Docking(
            self.session, self.motion, self.localization, self.clock, self.on_state
        )
        self.camera = Camera(self.session, self.clock, options.camera, self.on_state)
        self.frames = FrameStream(self.session)
        self.audio = Audio(self.session, self.frames, options.volume, options.audio)
        self.display = Display(self.session, self.frames)
        self.display.on_owner.connect(self._on_face_owner)
        self.backpack = Backpack(self.session)
        self.head_light = HeadLight(self.session)
        self.cubes = Cubes(self.session, self.clock, options.cubes)
        self.events = EventCollector(self.session, self.clock)
        self.on_event = self.events.on_event
        self.localization.on_delocalized.connect(self.events.on_delocalized)
        self.cliff.on_stop.connect(self.events.on_cliff_stop)
        self.motion.on_stop.connect(self._on_stop)
        self.obstacles = Obstacles(
            self.session,
            self.motion,
            self.localization,
            options.wheel_separation,
            stops=options.stop_on_bump,
        )
        self.hazards = self.obstacles.hazards
        self.face_owner = Owner.NONE
        """Who draws on the display, and the clip that plays: ``ANIMATION`` is set by whoever plays
        clips, and afterwards ``display.owner``."""
        self.clip = ""
        self.state: RobotState | None = None
        self.status: Status | None = None
        """As of the latest state."""
        self.odometry: Odometry | None = None
        self.battery: Battery | None = None
        self.on_session: Signal[SessionState] = self.session.on_state
        self.on_identity: Signal[Identity] = self.session.on_identity
        self.on_calibration: Signal[RobotCalibration] = Signal()
        self.on_image = self.camera.on_image
        self.on_odometry: Signal[Odometry] = Signal()
        self.on_battery: Signal[Battery] = Signal()
        self.on_status: Signal[Status] = Signal()
        """Every change; a change of nothing but measurements is none."""
        self.storage = Storage(self.session, options.storage)
        self.firmware = FirmwareUpdate(
            self.session, options.firmware, lambda: self.state, self.storage
        )
        self.power = Power(self.session, self.motion, self.storage, options.allow_power_off)
        self.traces = Traces(self.session, options.trace_tables)
        self.on_trace = self.traces.on_trace
        CalibrationReader(
            self.session,
            self.storage,
            CalibrationCache(options.cache_directory),
            self._on_lens,
        )
        self._lens: tuple[int, CameraCalibration | None] = (0, None)
        """The robot's own, and the serial number of its head."""
        self._calibrations = CalibrationKeeper(
            self.session, options.calibration_directory, self._on_calibration
        )
        self._turn_learner, self._track_learner = TurnScaleLearner(), TrackLearner()
        self._battery_tracker = BatteryTracker()
        self._states_without_radio = 0
        self._animation_tag = 0
        self._is_status_due = False
        self.on_battery.connect(self.backpack.on_battery)
        self.session.on_setup.connect(self._on_setup)
        on_state = self.session.guarded("following the robot's state", self._on_state)
        self.session.on(messages.RobotState, on_state)
        # Robots do not set the status bit while a clip plays (spec 18).
        self.session.on(messages.AnimationStarted, lambda m, _: self._set_animation(m.tag))
        self.session.on(messages.AnimationState, lambda m, _: self._set_animation(m.tag))
        self.session.on(messages.AnimationEnded, lambda *_: self._set_animation(0))

    # -- what a program does with it

    async def start(self) -> None:
        """Connect and stay connected; returns at once, ``on_session`` reports the progress."""
        self.session.open()

    async def stop(self, cause: Cause = Cause.REQUESTED, until: Until = None) -> None:
        """Stop the motors, wait for ``until`` and disconnect; nothing is sent afterwards."""
        self.firmware.abort()
        await self.session.close(cause, until=until)
        await self._calibrations.end()

    @property
    def calibration(self) -> RobotCalibration:
        """What was measured of the robot, and is used."""
        return self._calibrations.calibration

    @property
    def session_state(self) -> SessionState:
        return self.session.state

    @property
    def identity(self) -> Identity:
        return self.session.identity

    @property
    def statistics(self) -> Statistics:
        return self.session.link.statistics

    @property
    def link_statistics(self) -> LinkStatistics:
        return self.session.link.socket_statistics

    def _on_setup(self, _: None) -> None:
        self.state_tracker.reset()
        self.odometry_tracker.rebase()
        self._states_without_radio = self._animation_tag = 0

    def _on_state(self, message: messages.RobotState, now: float) -> None:
        # Until the clock is set, states carry the stamps of an earlier session.
        if self.session.clock_acknowledged is None:
            return
        state = self.state_tracker.update(message, now, is_head_calibrated=self._is_head_calibrated)
        if state is None:
            return
        self.state = state
        self._check_radio(state)
        self.obstacles.update(state)
        is_slipping = self.obstacles.current is not None
        self.odometry = self.odometry_tracker.update(state, is_slipping=is_slipping)
        self.battery = self._battery_tracker.update(state)
        self.on_state.emit(state)
        self.on_odometry.emit(self.odometry)
        self.on_battery.emit(self.battery)
        has_stopped = self.obstacles.stop()
        noticed = self.obstacles.noticed
        self.events.on_state(state, self.battery, noticed, has_stopped=has_stopped)
        self._learn(state)
        before, self.status = self.status, self._status_at(state)
        if self._is_status_due or self.status.is_change_from(before):
            self._is_status_due = False
            self.on_status.emit(self.status)

    def _learn(self, state: RobotState) -> None:
        measured = self.calibration.measured
        if scale := self._turn_learner.update(state, measured.get("turn_scale")):
            self._calibrations.learn("turn_scale", scale)
        is_free = self.motion.limits.is_yaw_trimmed and self.obstacles.current is None
        track = self._track_learner.update(state, measured.get("track_width"), is_free=is_free)
        if track is not None:
            self._calibrations.learn("track_width", track)

    def _on_calibration(self, calibration: RobotCalibration) -> None:
        self.odometry_tracker.calibration = self.motion.calibration = calibration
        self.on_calibration.emit(calibration)
        serial, lens = self._lens
        if lens is None or serial != self.identity.head_serial:
            return
        if (measured := with_measured(lens, calibration)) != self.camera.calibration:
            self.camera.set_calibration(measured)

    def _on_lens(self, lens: CameraCalibration) -> None:
        self._lens = self.identity.head_serial, lens
        self.camera.set_calibration(with_measured(lens, self.calibration))

    def _on_odometry_set(self, _: Pose2D) -> None:
        self._is_status_due = True
        self.motion.end_hold()

    def _status_at(self, state: RobotState) -> Status:
        motion = self.motion
        return Status(
            state=state,
            is_cliff_detected=self.cliff.is_detected,
            is_animating=self._animation_tag not in _NO_CLIP,
            is_head_calibrated=self.session.calibration.has(MotorID.HEAD),
            is_lift_calibrated=self.session.calibration.has(MotorID.LIFT),
            is_emergency_stopped=motion.is_stopped,
            is_held_after_pickup=motion.is_held,
            is_stop_on_cliff_enabled=self.cliff.is_enabled,
            is_head_light_on=self.head_light.is_on,
            is_camera_enabled=self.camera.is_enabled,
            disabled_motors=motion.protection.disabled,
            wheels_owner=motion.wheels.owner,
            face_owner=self.face_owner,
            clip=self.clip,
            origin=self.odometry_tracker.origin,
        )

    def _set_animation(self, tag: int) -> None:
        self._animation_tag = tag

    @property
    def _is_head_calibrated(self) -> bool:
        """A robot that never reported a calibration counts as calibrated once it is ready."""
        calibration = self.session.calibration
        return calibration.has(MotorID.HEAD) or (
            self.session.is_ready and not calibration.is_running
        )

    def _on_face_owner(self, owner: Owner) -> None:
        self.face_owner = owner

    def _on_stop(self, is_stopped: bool) -> None:
        self.events.on_emergency_stop(is_stopped, asyncio.get_running_loop().time())

    def _check_radio(self, state: RobotState) -> None:
        """Switch the body's radio back to accessory mode when it left it (spec 01 §8)."""
        if state.has(RobotStatusFlag.IS_BODY_ACC_MODE):
            self._states_without_radio = 0
            return
        self._states_without_radio += 1
        if self._states_without_radio == _STATES_WITHOUT_RADIO:
            self._states_without_radio = 0
            self.session.send(messages.SetBodyRadioMode(_ACCESSORY_MODE, 0))
