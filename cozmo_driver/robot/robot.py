"""One robot, in SI units, in an asyncio program without ROS (sessions: spec 01 §8)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..link import Backoff, UdpLink
from ..link.udp import LinkStatistics
from ..protocol import Statistics, messages
from ..protocol.enums import MotorID, RobotStatusFlag
from .battery import Battery, BatteryTracker
from .camera.calibration import CalibrationCache, CalibrationReader
from .camera.camera import Camera, CameraOptions
from .cubes.cubes import CubeOptions, Cubes
from .data import Cause, Identity, OffTreads, Pose2D, RobotState, SessionState, Vector3
from .display import Display
from .event_collector import EventCollector
from .firmware.traces import Traces, TraceTables
from .firmware.update import FirmwareOptions, FirmwareUpdate
from .geometry import TRACK_WIDTH
from .handling import OffTreadsClassifier
from .lights import Backpack, HeadLight
from .localization import Localization
from .motion.claims import Owner
from .motion.cliff import CliffGuard, CliffThreshold
from .motion.driving import DriveLimits
from .motion.motion import Motion
from .motion.motors import WHEELS
from .obstacles import BumpGuard, HazardKind, Hazards
from .odometry import Odometry, OdometryTracker
from .paths.follower import PathFollower
from .paths.maneuvers import Maneuvers
from .paths.turns import Turns
from .playback.audio import Audio
from .playback.audio_stream import AudioStreamOptions
from .playback.frame_stream import FrameStream
from .power import Power, PowerOptions
from .pushing import (
    Movement,
    PushDetector,
    Side,
    UnexpectedMovement,
    UnexpectedMovementDetector,
    side_of,
)
from .session import Session
from .signal import Signal
from .states import DeviceClock, StateGuard
from .status import Status, status_of
from .storage.storage import Storage, StorageOptions
from .user_directories import cache_directory

_STATE_PERIOD_MS = 30
_RADIO_PATIENCE = 16
_ACCESSORY_MODE = 1


@dataclass(frozen=True, slots=True)
class RobotOptions:
    """Where the robot is and how it is set up; applied in every new session."""

    address: str = "172.31.1.1"
    port: int = 5551
    network_interface: str = ""
    backoff: Backoff = field(default_factory=Backoff)
    limits: DriveLimits = field(default_factory=DriveLimits)
    camera: CameraOptions = field(default_factory=CameraOptions)
    cubes: CubeOptions = field(default_factory=CubeOptions)
    stop_on_cliff: bool = True
    stop_on_bump: bool = True
    """Stop when the robot pushes against something, and do not drive on against it."""
    cliff_threshold: int = 0
    """Reflectance below which there is no ground, 1 to 800; 0 for the app's schedule."""
    wheel_separation: float = TRACK_WIDTH
    """Distance of the tread centres that slip is judged with, m."""
    volume: float = 1.0
    """Loudness, 0 to 1; the robot is mute until it is told (spec 14)."""
    audio: AudioStreamOptions = field(default_factory=AudioStreamOptions)
    storage: StorageOptions = field(default_factory=StorageOptions)
    firmware: FirmwareOptions = field(default_factory=FirmwareOptions)
    power: PowerOptions = field(default_factory=PowerOptions)
    cache_directory: Path = field(default_factory=cache_directory)
    """Where what was read from a robot is kept."""
    trace_tables: TraceTables = field(default_factory=TraceTables)


class Robot:
    """What the robot tells and can do. Create anywhere, use in one asyncio loop."""

    def __init__(self, options: RobotOptions) -> None:
        """Prepare; nothing is sent before ``start``."""
        self.options = options
        link = UdpLink(
            options.address,
            options.port,
            self._handle_event,
            network_interface=options.network_interface,
        )
        self.session = Session(link, options.backoff)
        self.clock = DeviceClock()
        self.on_state: Signal[RobotState] = Signal()
        self.odometry_tracker = OdometryTracker()
        self.localization = Localization(self.session, self.odometry_tracker)
        self.on_state.connect(self.localization.take_state)
        self.cliff_threshold = CliffThreshold(self.session, options.cliff_threshold)
        self.on_state.connect(self.cliff_threshold.take_state)
        self.cliff = CliffGuard(self.session, options.stop_on_cliff)
        self.bump = BumpGuard(options.stop_on_bump)
        self.motion = Motion(self.session, options.limits, self.cliff, self.bump, self.on_state)
        self.joints = self.motion.joints
        self.paths = PathFollower(self.session, self.motion, self.localization)
        self.turns = Turns(self.session, self.motion, self.localization, self.paths)
        self.maneuvers = Maneuvers(self.motion, self.localization, self.paths)
        self.on_state.connect(self.maneuvers.charger.update)
        self.camera = Camera(self.session, self.clock, options.camera)
        self.frames = FrameStream(self.session)
        self.audio = Audio(self.session, self.frames, options.volume, options.audio)
        self.display = Display(self.session, self.frames)
        self.display.on_owner.connect(self._give_face)
        self.backpack = Backpack(self.session)
        self.head_light = HeadLight(self.session)
        self.cubes = Cubes(self.session, self.clock, options.cubes)
        self.events = EventCollector(self.session, self.clock)
        self.on_event = self.events.on_event
        self.localization.on_delocalized.connect(self.events.take_delocalization)
        self.motion.on_stop.connect(self._report_stop)
        self.hazards = Hazards()
        self.localization.on_delocalized.connect(lambda _: self._forget_hazards())
        self.localization.on_odometry_set.connect(lambda _: self._forget_hazards())
        self.cliff.on_stop.connect(lambda _: self._mark(HazardKind.CLIFF, Side.FRONT))
        self.session.on(messages.MotorAutoEnabled, self._mark_stall)
        self.face_owner = Owner.NONE
        """Who draws on the display, and the clip that plays: ``ANIMATION`` is set by whoever plays
        clips, and afterwards ``display.owner``."""
        self.clip = ""
        self.state: RobotState | None = None
        self.status: Status | None = None
        """As of the latest state."""
        self.odometry: Odometry | None = None
        self.battery: Battery | None = None
        self.states = self.missed_states = 0
        """States received, and lost ones by the gaps in their time stamps."""
        self.on_session: Signal[SessionState] = self.session.on_state
        self.on_identity: Signal[Identity] = self.session.on_identity
        self.on_image = self.camera.on_image
        self.on_odometry: Signal[Odometry] = Signal()
        self.on_battery: Signal[Battery] = Signal()
        self.on_status: Signal[Status] = Signal()
        """Every change; a change of nothing but measurements is none."""
        self.storage = Storage(self.session, options.storage)
        self.firmware = FirmwareUpdate(
            self.session, options.firmware, lambda: self.state, self.storage
        )
        self.power = Power(self.session, self.motion, self.storage, options.power)
        self.traces = Traces(self.session, options.trace_tables)
        self.on_trace = self.traces.on_trace
        CalibrationReader(
            self.session,
            self.storage,
            CalibrationCache(options.cache_directory),
            self.camera.set_calibration,
        )
        self._battery_tracker = BatteryTracker()
        self._off_treads = OffTreadsClassifier()
        self._movements = UnexpectedMovementDetector(options.wheel_separation)
        self._pushes = PushDetector()
        self._guard = StateGuard()
        self._states_without_radio = 0
        self.on_battery.connect(self.backpack.on_battery)
        self.session.on_setup.connect(self._set_up)
        take_state = self.session.guarded("following the robot's state", self._take_state)
        self.session.on(messages.RobotState, take_state)

    # -- what a program does with it

    async def start(self) -> None:
        """Connect and stay connected; returns at once, ``on_session`` tells the progress."""
        self.session.open()

    async def stop(self, cause: Cause = Cause.REQUESTED) -> None:
        """Stop the motors and disconnect; nothing is sent afterwards."""
        self.firmware.abort()
        await self.session.close(cause)

    def set_stop_on_cliff(self, on: bool) -> None:
        """Let the robot stop by itself at an edge, now and in later sessions (spec 10 §4)."""
        self.cliff.enable(on)

    @property
    def stop_on_cliff(self) -> bool:
        """Tell whether the robot was told to stop by itself at an edge."""
        return self.cliff.is_enabled

    @property
    def session_state(self) -> SessionState:
        """Phase of the session."""
        return self.session.state

    @property
    def identity(self) -> Identity:
        """Who the robot is; zeros before the first connection."""
        return self.session.identity

    @property
    def statistics(self) -> Statistics:
        """Counters of the present connection."""
        return self.session.link.statistics

    @property
    def link_statistics(self) -> LinkStatistics:
        """Counters of the socket."""
        return self.session.link.socket_statistics

    # -- inside

    def _handle_event(self, event: object, now: float) -> None:
        self.session.handle_event(event, now)  # type: ignore[arg-type]

    def _set_up(self, _: None) -> None:
        self.clock.reset()
        self.odometry_tracker.rebase()
        self._off_treads.reset()
        self._pushes.reset()
        self._guard.reset()
        self._states_without_radio = 0

    def _take_state(self, message: messages.RobotState, now: float) -> None:
        # Until the clock is set, states carry the stamps of an earlier session.
        if self.session.clock_acknowledged is None:
            return
        if not self._guard.takes(message):
            return
        if self._guard.last_stamp is None:
            self.clock.reset()
        else:
            gap = message.timestamp - self._guard.last_stamp
            self.missed_states += gap // _STATE_PERIOD_MS - 1
        self._guard.last_stamp = message.timestamp
        self.states += 1
        time = self.clock.update(message.timestamp / 1000.0, now)
        state = state_from_message(message, time, now, self._off_treads.posture)
        posture = self._off_treads.update(state, is_head_calibrated=self._is_head_calibrated)
        if posture is not state.off_treads:
            state = replace(state, off_treads=posture)
        self.state = state
        self._watch_radio(state)
        noticed = self._notice_movement(state)
        pushing = self._pushes.pushing
        bumped = pushing if self.bump.update(state, pushing) else None
        self.odometry = self.odometry_tracker.update(
            state,
            is_slipping=noticed is not None,
            is_pushing=pushing is not None and pushing.side in (Side.FRONT, Side.BACK),
        )
        self.hazards.update(state.time)
        self.battery = self._battery_tracker.update(state)
        self.on_state.emit(state)
        self.on_odometry.emit(self.odometry)
        self.on_battery.emit(self.battery)
        has_stopped = False
        if bumped is not None:
            is_stall = bumped.movement is Movement.TREADS_HELD
            self._mark(HazardKind.STALL if is_stall else HazardKind.BUMP, bumped.side)
            has_stopped = self.motion.bump_into(bumped)
        self.events.take_state(state, self.battery, noticed, has_stopped=has_stopped)
        before, self.status = self.status, status_of(self, state)
        if self.status != before:
            self.on_status.emit(self.status)

    @property
    def _is_head_calibrated(self) -> bool:
        """A robot that never told of its calibration counts as calibrated once it is ready."""
        calibration = self.session.calibration
        return calibration.has(MotorID.HEAD) or (
            self.session.is_ready and not calibration.is_running
        )

    def _notice_movement(self, state: RobotState) -> UnexpectedMovement | None:
        if self.motion.wheels.owner is Owner.ANIMATION:
            self._pushes.release()
            return None
        turned = self._movements.update(state)
        commanded, acceleration = self.motion.commanded, self.motion.limits.acceleration
        ramp = max(map(abs, commanded)) / acceleration if acceleration else 0.0
        return self._pushes.update(state, turned, commanded, ramp) or turned

    def _mark(self, kind: HazardKind, side: Side) -> None:
        if self.state is not None and not self.state.is_off_ground:
            self.hazards.add(kind, side, self.localization.pose, self.state.time)

    def _mark_stall(self, message: messages.MotorAutoEnabled, _: float) -> None:
        state = self.state
        if state is None or message.enabled or message.motor_id not in WHEELS:
            return
        left, right = state.left_wheel_speed, state.right_wheel_speed
        if left or right:
            self._mark(HazardKind.STALL, side_of(left, right))

    def _forget_hazards(self) -> None:
        if self.state is not None:
            self.hazards.clear(self.state.time)

    def _give_face(self, owner: Owner) -> None:
        self.face_owner = owner

    def _report_stop(self, is_stopped: bool) -> None:
        self.events.take_stop(is_stopped, asyncio.get_running_loop().time())

    def _watch_radio(self, state: RobotState) -> None:
        """Switch the body's radio back to accessory mode when it left it (spec 01 §8)."""
        if state.has(RobotStatusFlag.IS_BODY_ACC_MODE):
            self._states_without_radio = 0
            return
        self._states_without_radio += 1
        if self._states_without_radio == _RADIO_PATIENCE:
            self._states_without_radio = 0
            self.session.send(messages.SetBodyRadioMode(_ACCESSORY_MODE, 0))


def state_from_message(
    message: messages.RobotState,
    time: float,
    now: float,
    off_treads: OffTreads = OffTreads.ON_TREADS,
) -> RobotState:
    """Return the state in SI units; ``time`` and ``now`` are host times in s (spec 10 §1)."""
    pose, accel, gyro = message.pose, message.accel, message.gyro
    return RobotState(
        time=time,
        received_at=now,
        robot_time=message.timestamp / 1000.0,
        pose=Pose2D(pose.x / 1000.0, pose.y / 1000.0, pose.angle),
        pitch=-pose.pitch,
        origin_id=message.pose_origin_id,
        frame_id=message.pose_frame_id,
        left_wheel_speed=message.lwheel_speed_mmps / 1000.0,
        right_wheel_speed=message.rwheel_speed_mmps / 1000.0,
        head_angle=message.head_angle,
        lift_angle=message.lift_angle,
        acceleration=Vector3(accel.x / 1000.0, accel.y / 1000.0, accel.z / 1000.0),
        angular_velocity=Vector3(gyro.x, gyro.y, gyro.z),
        battery_voltage=message.battery_voltage,
        flags=message.status,
        cliff_raw=message.cliff_data_raw,
        path_segment=message.curr_path_segment,
        off_treads=off_treads,
    )
