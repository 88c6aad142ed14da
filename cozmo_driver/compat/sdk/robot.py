"""``cozmo.robot``: the robot (spec 21 §3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...robot import (
    MAX_LIFT_HEIGHT as _MAX_LIFT,
)
from ...robot import (
    MIN_LIFT_HEIGHT as _MIN_LIFT,
)
from ...robot import (
    Movement,
    RobotEvent,
    RobotEventType,
    RobotState,
)
from ...robot import (
    Side as _PushedSide,
)

# Programs reach these through this module.
from . import (
    action,
    anim,
    audio,
    behavior,
    camera,
    event,
    exceptions,
    lights,
    logs,
    objects,
    song,
    util,
    world,
)
from .action import ActionDispatcher
from .blocking import LONGEST, note_where
from .camera import Camera
from .event import Dispatcher, Event
from .lights import off_light
from .robot_actions import (
    DisplayOledFaceImage,
    DriveOffChargerContacts,
    DriveStraight,
    PlaySong,
    SayText,
    SetHeadAngle,
    SetLiftHeight,
    TurnInPlace,
    TurnTowardsFace,
)
from .robot_direct import DirectControl
from .robot_docking import (
    DockWithCube,
    GoToObject,
    GoToPose,
    PickupObject,
    PlaceObjectOnGroundHere,
    PlaceOnObject,
    PopAWheelie,
    RollCube,
)
from .robot_state import LiftPosition
from .units import degrees, distance_mm
from .world import World

if TYPE_CHECKING:
    from ..engine import Engine

_UNWATCHED = LONGEST / 4
"""s between two states that are told while nobody wants them."""
__all__ = [
    "DisplayOledFaceImage",
    "DockWithCube",
    "DriveOffChargerContacts",
    "DriveStraight",
    "GoToObject",
    "GoToPose",
    "LiftPosition",
    "PickupObject",
    "PlaceObjectOnGroundHere",
    "PlaceOnObject",
    "PlaySong",
    "PopAWheelie",
    "Robot",
    "RollCube",
    "SayText",
    "SetHeadAngle",
    "SetLiftHeight",
    "TurnInPlace",
    "TurnTowardsFace",
    "action",
    "anim",
    "audio",
    "behavior",
    "camera",
    "event",
    "exceptions",
    "lights",
    "objects",
    "song",
    "util",
    "world",
]
logger = logs.logger
MIN_HEAD_ANGLE, MAX_HEAD_ANGLE = degrees(-25), degrees(44.5)
MIN_LIFT_HEIGHT_MM, MAX_LIFT_HEIGHT_MM = 1000 * _MIN_LIFT, 1000 * _MAX_LIFT
MIN_LIFT_HEIGHT, MAX_LIFT_HEIGHT = distance_mm(MIN_LIFT_HEIGHT_MM), distance_mm(MAX_LIFT_HEIGHT_MM)
LIFT_ARM_LENGTH, LIFT_PIVOT_HEIGHT = distance_mm(66.0), distance_mm(45.0)
MIN_LIFT_ANGLE = LiftPosition(height=MIN_LIFT_HEIGHT).angle
MAX_LIFT_ANGLE = LiftPosition(height=MAX_LIFT_HEIGHT).angle


class EvtRobotReady(Event):
    """Triggered when the robot can be used."""

    robot = "The robot"


class EvtRobotStateUpdated(Event):
    """Triggered with every state of the robot."""

    robot = "The robot"


class EvtUnexpectedMovement(Event):
    """Triggered when the robot does not move as it was told to."""

    timestamp = "Robot's time of it, ms"
    movement_type = "How it moved"
    movement_side = "Where it was touched"


class _Value:
    def __init__(self, name: str, number: int) -> None:
        self.name, self.id = name, number

    def __repr__(self) -> str:
        return self.name


class UnexpectedMovementType:
    """How the robot moved."""

    TurnedButStopped = _Value("TurnedButStopped", 0)
    TurnedInOppositeDirection = _Value("TurnedInOppositeDirection", 2)


class UnexpectedMovementSide:
    """Where the robot was touched."""

    Unknown, Front, Back = _Value("Unknown", 0), _Value("Front", 1), _Value("Back", 2)
    Left, Right = _Value("Left", 3), _Value("Right", 4)


class Robot(DirectControl, Dispatcher):
    """The robot; programs get it from ``run_program``."""

    drive_off_charger_on_connect = True
    """Whether programs begin off the charger."""
    _action_dispatcher_factory: Any = ActionDispatcher
    camera_factory: Any = Camera
    world_factory: Any = World

    def __init__(self, conn: Any, robot_id: int, is_primary: bool, **named: Any) -> None:
        engine: Engine = conn._engine
        super().__init__(side=conn._side, dispatch_parent=conn, **named)
        self.conn, self._conn, self.robot_id, self.is_primary = conn, conn, robot_id, is_primary
        self._engine = engine
        self._is_ready = False
        self._action_dispatcher = self._action_dispatcher_factory(self)
        self.last_image_robot_timestamp: int | None = None
        self._lights = [off_light] * 5
        self.camera = self.camera_factory(self, dispatch_parent=self)
        self.world: Any = self.world_factory(conn, self, engine, dispatch_parent=self)
        self._dispatch_children.append(self.world)
        self._is_state_told, self._posted_at = True, 0.0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} serial={self.serial}>"

    @property
    def is_ready(self) -> bool:
        return self._is_ready

    @property
    def camera_config(self) -> Any:
        return self.camera.config

    def enable_auto_exposure(self) -> None:
        """Kept for older programs: it is the camera's."""
        self.camera.enable_auto_exposure()

    def set_manual_exposure(self, exposure_ms: int, gain: float) -> None:
        """Kept for older programs: it is the camera's."""
        self.camera.set_manual_exposure(exposure_ms, gain)

    # -- in the robot's thread

    def _listen(self) -> None:
        """Take over what the robot tells from now on."""
        robot, engine, side = self._engine.robot, self._engine, self._side
        assert side is not None
        if robot.state is not None:
            self._on_robot_state(robot.state)
        robot.on_state.connect(self._on_robot_state)
        robot.localization.on_delocalized.connect(self._start_origin)
        robot.on_event.connect(lambda event: side.post(self._on_robot_event, event))
        robot.cubes.on_event.connect(lambda event: side.post(self.world._on_cube_event, event))
        robot.cubes.on_change.connect(lambda cubes: side.post(self.world._on_cubes, cubes))
        engine.on_sight.connect(lambda sight: side.post(self.world._on_sight, sight))
        engine.faces.on_faces.connect(lambda faces: side.post(self.world._on_faces, faces))
        robot.on_image.connect(self._on_robot_image)

    def _on_robot_state(self, state: RobotState) -> None:
        robot, side = self._engine.robot, self._side
        assert side is not None
        assert robot.odometry is not None
        self._take(state, robot.odometry)
        # One that waits for a busy loop stands for those after it.
        if self._is_state_told:
            # One in a while shows whether the loop is blocked.
            is_recent = 0.0 <= state.received_at - self._posted_at < _UNWATCHED
            if is_recent and not self._has_news():
                return
            self._is_state_told, self._posted_at = False, state.received_at
            side.post(self._tell_state)
        elif state.received_at - self._posted_at > LONGEST and side.is_running:
            self._posted_at = math.inf
            note_where(side.thread)

    def _on_robot_image(self, image: Any) -> None:
        if not self._engine.is_streaming:
            return
        side, world = self._side, self.world
        assert side is not None
        is_waiting, world._newest_image = world._newest_image is not None, image
        if not is_waiting:
            side.post(self._tell_image)

    # -- in the program's loop

    def _on_interest(self, event: type[Event]) -> None:
        # Also while the world is being made: cubes of a program's own may listen from the start.
        if event.__name__.startswith("EvtFace"):
            self._engine.post(self._engine.look_for_faces)
        if event.__name__.startswith(("EvtObjectObs", "EvtObjectAppear", "EvtObjectDis")):
            self._engine.post(self._engine.look)
        super()._on_interest(event)

    def _tell_image(self) -> None:
        image, self.world._newest_image = self.world._newest_image, None
        if image is not None:
            self.world._on_image(image)

    def _has_news(self) -> bool:
        return self._is_wanted(EvtRobotStateUpdated) or self._is_on_new_charger

    @property
    def _is_on_new_charger(self) -> bool:
        return self.is_on_charger and self.world.charger is None

    def _tell_state(self) -> None:
        self._is_state_told = True
        if self._is_on_new_charger:
            self.world._charger_found()
        if self._is_wanted(EvtRobotStateUpdated):
            self.dispatch_event(EvtRobotStateUpdated(robot=self))

    def _is_wanted(self, event: type[Event]) -> bool:
        known = (self, self.world, self.conn)
        has_method = any(hasattr(one, "recv_default_handler") for one in known)
        return has_method or any(one._has_handlers(event) for one in known)

    def _on_robot_event(self, told: RobotEvent) -> None:
        if told.type is not RobotEventType.UNEXPECTED_MOVEMENT:
            return
        is_stopped = told.movement is Movement.TURNED_BUT_STOPPED
        kinds, sides = UnexpectedMovementType, UnexpectedMovementSide
        kind = kinds.TurnedButStopped if is_stopped else kinds.TurnedInOppositeDirection
        side = getattr(sides, _PushedSide(told.side).name.capitalize(), sides.Unknown)
        stamp = round(told.time * 1000)
        self.dispatch_event(
            EvtUnexpectedMovement(timestamp=stamp, movement_type=kind, movement_side=side)
        )
