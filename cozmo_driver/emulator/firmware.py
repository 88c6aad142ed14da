"""The robot without I/O: connection, parts and physics; time is always an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..protocol import DisconnectReason, Message, State
from .animation import AnimationController, AnimationTruth
from .body import CENTER_TO_ORIGIN, ORIGIN_TO_CENTER, Pose2D, Posture, moved
from .camera import Camera
from .docking import Docking
from .handling import Handling
from .hardware import CHARGER_TILT
from .joints import lift_height
from .keyframes import Keyframes
from .options import EmulatorOptions
from .parts import Parts
from .state import States
from .world import World
from .world.eye import Eye
from .world.optics import Stance
from .world.place import Place

STEP = 0.005
"""Seconds; the physics' fixed step."""
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class EmulatorState:
    """Snapshot of the emulator, without noise; mm, mm/s, rad, V."""

    connected: bool
    sessions: int
    """Connections since power on."""
    last_disconnect: DisconnectReason | None
    left_speed: float
    right_speed: float
    pose: Pose2D
    """Where the robot's origin is in the world; on the endless floor it starts at its origin."""
    reported_pose: Pose2D
    """Where the robot reports to be, in the frame the engine gave it."""
    driven: float
    head_angle: float
    lift_angle: float
    lift_height: float
    camera_streaming: bool
    images_sent: int
    gain: float
    exposure_ms: int
    on_charger: bool
    battery_voltage: float
    status: int
    """RobotStatusFlag mask."""
    animation: AnimationTruth
    received: Mapping[str, int]
    """Messages received since power on, by name."""
    last_received: Mapping[str, Message]
    foreign_datagrams: int = 0
    """Datagrams ignored because another engine was connected."""


class Firmware(Parts):
    """An emulated robot, switched on at ``now``.

    What it does depends on the datagrams and their times only, not on when or how often the
    other methods are called: missed timers are made up for, each at its own time.
    """

    def __init__(
        self,
        options: EmulatorOptions | None = None,
        now: float = 0.0,
        world: World | None = None,
        where: Pose2D | None = None,
    ) -> None:
        """Switch on in a world, by default an endless floor, on its next free place or ``where``.

        Raises ``ValueError`` when the world has no place left.
        """
        options = options or EmulatorOptions()
        world = world or World(seed=options.seed, ideal=options.ideal)
        super().__init__(options, now, world.seed)
        core = self.core
        self.body.ramp = lambda: CHARGER_TILT if self.battery.on_charger else self.place.pitch
        self.body.sag = self._sag
        self.animation = AnimationController(core, Keyframes(self), options.audio_clock)
        self.camera = Camera(self, options)
        is_docked = options.on_charger and where is None and not world.occupants
        start = world.dock if is_docked else where
        self.place = Place(world, self, start)
        self.docking = Docking(core, self.body, self.joints, self.ground, self.place.fork)
        self.states = States(self, self.docking)
        self.joints.on_calibrated = self.states.start
        if options.on_charger and world.dock is None:
            self.battery.put_on_charger(True)
        if world.layout.floors:
            self.camera.eye = Eye(
                world,
                self.place.occupant,
                self.stance,
                options.seed,
                lambda: core.now,
                0.0 if options.ideal else options.image_effects.light,
            )
            self.camera.light = world.layout.light
        self.handling = Handling(self, self.place)
        self._switched_on = now
        self._steps = 0
        self._to_send: list[bytes] = []

    def stance(self, seconds: float = 0.0) -> Stance:
        """Return how the robot stands and holds head and lift if it goes on as it moves now."""
        body, joints = self.body, self.joints
        center = body.world_pose.then(ORIGIN_TO_CENTER)
        later = moved(center, body.speed * seconds, body.yaw_rate * seconds)
        pitch, roll = body.tilt
        return Stance(
            later.then(CENTER_TO_ORIGIN),
            joints.head.true_angle + joints.head.speed * seconds,
            joints.lift.angle,
            pitch,
            roll,
            body.is_lifted and self.handling.posture is Posture.HELD,
            self.variation.optics,
        )

    def _sag(self) -> float:
        """Return the pitch, nose up, that the lift and what it carries give the body."""
        lift, carried = self.joints.lift, self.place.fork.cube is not None
        raised = (lift.angle - lift.low) / (lift.high - lift.low)
        return raised * self.variation.lift_pitch + carried * self.variation.load_pitch

    @property
    def connected(self) -> bool:
        return self.core.connection.state is State.CONNECTED

    def receive(self, datagram: bytes, now: float) -> None:
        """Take a datagram. Never raises; what is wrong is counted."""
        self.handle_timer(now)
        if self.update.is_unresponsive or self.session.is_off:
            return
        self.core.connection.receive(datagram, self.core.now)
        self._work()

    def datagrams_to_send(self, now: float) -> list[bytes]:
        """Return the datagrams that are due, oldest first."""
        self.handle_timer(now)
        datagrams, self._to_send = self._to_send, []
        return datagrams

    def next_timer(self) -> float | None:
        """Return when ``handle_timer`` is due next; None for never."""
        action, link = self.core.schedule.next_time(), self.core.connection.next_timer()
        if action is None or link is None:
            return link if action is None else action
        return min(action, link)

    def handle_timer(self, now: float) -> None:
        """Do each thing at the time it is due; call ``datagrams_to_send`` afterwards."""
        while (due := self.next_timer()) is not None and due <= now:
            self._live_until(max(due, self.core.now))
            self._work()
        self._live_until(max(now, self.core.now))

    def snapshot(self, now: float) -> EmulatorState:
        self.handle_timer(now)
        core, head, lift = self.core, self.joints.head, self.joints.lift
        return EmulatorState(
            connected=self.connected,
            sessions=core.sessions,
            last_disconnect=core.last_disconnect,
            left_speed=self.wheels.left.speed,
            right_speed=self.wheels.right.speed,
            pose=self.body.world_pose,
            reported_pose=self.body.reported_pose,
            driven=self.body.driven,
            head_angle=head.angle,
            lift_angle=lift.angle,
            lift_height=lift_height(lift.angle),
            camera_streaming=self.camera.streaming,
            images_sent=self.camera.images_sent,
            gain=self.camera.gain,
            exposure_ms=self.camera.exposure_ms,
            on_charger=self.battery.on_charger,
            battery_voltage=self.battery.open_voltage,
            status=self.states.status(),
            animation=self.animation.truth(),
            received=dict(core.received),
            last_received=dict(core.last_received),
        )

    def _work(self) -> None:
        core = self.core
        core.connection.handle_timer(core.now)
        core.handle_events()
        while (action := core.schedule.pop_due(core.now)) is not None:
            action()
        self._to_send += core.connection.datagrams_to_send(core.now)

    def _live_until(self, now: float) -> None:
        self.core.now = now
        target = int((now - self._switched_on + _ROUNDING) / STEP)
        body, joints = self.body, self.joints
        while self._steps < target and (body.active or joints.active):
            body.step(STEP)
            self.place.step(STEP)
            joints.step(STEP)
            self.place.fork.step()
            self._steps += 1
        self._steps = target
