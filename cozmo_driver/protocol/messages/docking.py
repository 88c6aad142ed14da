"""Docking and carrying."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import BlockStatus, CarryState, DockAction
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..wire import F32, I8, U8, U32, About, Bool


@message(0x42, ENGINE_TO_ROBOT, confidence="E")
class DockWithObject(NamedTuple):
    """Start a docking action guided by 0x48."""

    unused: Annotated[U32, About("always 0")]
    speed_mmps: Annotated[F32, About(unit="mm/s")]
    accel_mmps2: Annotated[F32, About(unit="mm/s^2")]
    decel_mmps2: Annotated[F32, About(unit="mm/s^2")]
    dock_action: Annotated[U8, DockAction]
    use_manual_speed: Bool = False
    num_retries: U8 = 2
    docking_method: U8 = 0
    do_lift_load_check: Bool = False


@message(0x43, ENGINE_TO_ROBOT, confidence="E")
class AbortDocking(NamedTuple):
    """Stop docking."""


@message(0x44, ENGINE_TO_ROBOT, confidence="E")
class PlaceObjectOnGround(NamedTuple):
    """Put down the carried object."""

    rel_x_mm: Annotated[F32, About(unit="mm")] = 0.0
    rel_y_mm: Annotated[F32, About(unit="mm")] = 0.0
    rel_angle_rad: Annotated[F32, About(unit="rad")] = 0.0
    speed_mmps: Annotated[F32, About(unit="mm/s")] = 100.0
    accel_mmps2: Annotated[F32, About(unit="mm/s^2")] = 200.0
    decel_mmps2: Annotated[F32, About(unit="mm/s^2")] = 500.0
    use_manual_speed: Bool = False


@message(0x48, ENGINE_TO_ROBOT, confidence="E")
class DockingErrorSignal(NamedTuple):
    """Marker pose error during docking."""

    timestamp: Annotated[U32, About("image time", unit="ms")]
    x_dist_err: Annotated[F32, About(unit="mm")]
    y_hor_err: Annotated[F32, About(unit="mm")]
    z_height: Annotated[F32, About(unit="mm")]
    angle_err: Annotated[F32, About(unit="rad")]
    is_approximate: Annotated[Bool, About("engine leaves 0")] = False
    did_vision_verify: Annotated[Bool, About("engine leaves 0")] = False


@message(0x49, ENGINE_TO_ROBOT, confidence="E")
class CarryStateUpdate(NamedTuple):
    """Tell the robot what it carries."""

    state: Annotated[U8, CarryState]


@message(0x59, ENGINE_TO_ROBOT, confidence="E")
class RollActionParams(NamedTuple):
    """Parameters of the roll action."""

    lift_height_mm: Annotated[F32, About(unit="mm")]
    drive_speed_mmps: Annotated[F32, About(unit="mm/s")]
    drive_accel_mmps2: Annotated[F32, About(unit="mm/s^2")]
    drive_duration_ms: Annotated[U32, About(unit="ms")]
    backup_dist_mm: Annotated[F32, About(unit="mm")]


@message(0xB8, ROBOT_TO_ENGINE, confidence="E")
class PickAndPlaceResult(NamedTuple):
    """Outcome of a dock action."""

    timestamp: Annotated[U32, About(unit="ms")]
    did_succeed: Bool
    result: Annotated[I8, About("docking result code")]
    block_status: Annotated[U8, BlockStatus]


@message(0xBA, ROBOT_TO_ENGINE, confidence="E")
class RampTraverseStart(NamedTuple):
    """RampTraverseStart."""

    timestamp: Annotated[U32, About(unit="ms")]


@message(0xBB, ROBOT_TO_ENGINE, confidence="E")
class RampTraverseComplete(NamedTuple):
    """RampTraverseComplete."""

    timestamp: Annotated[U32, About(unit="ms")]
    did_succeed: Bool


@message(0xBC, ROBOT_TO_ENGINE, confidence="E")
class BridgeTraverseStart(NamedTuple):
    """BridgeTraverseStart."""

    timestamp: Annotated[U32, About(unit="ms")]


@message(0xBD, ROBOT_TO_ENGINE, confidence="E")
class BridgeTraverseComplete(NamedTuple):
    """BridgeTraverseComplete."""

    timestamp: Annotated[U32, About(unit="ms")]
    did_succeed: Bool


@message(0xC5, ROBOT_TO_ENGINE, confidence="E")
class MovingLiftPostDock(NamedTuple):
    """Lift moves after docking."""

    action: Annotated[U8, DockAction]


@message(0xD3, ROBOT_TO_ENGINE, confidence="E")
class DockingStatus(NamedTuple):
    """Docking progress."""

    timestamp: Annotated[U32, About(unit="ms")]
    status: U8
