"""The personality as messages, and the driver's messages as its senses.

Times of senses and of the robot's events are those of the arrival, on the host's monotonic clock,
s: the personality lives by it, also when the graph's time is simulated. Those of the cubes' events
are when they happened by the robot's stamps: games are judged by them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3 as VectorMessage
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, Imu

from cozmo_interfaces.msg import BehaviorState, CubeArray, RobotStatus
from cozmo_interfaces.msg import Cube as CubeMessage
from cozmo_interfaces.msg import CubeEvent as CubeEventMessage
from cozmo_interfaces.msg import Mood as MoodMessage
from cozmo_interfaces.msg import Needs as NeedsMessage
from cozmo_interfaces.msg import RobotEvent as RobotEventMessage

from ..protocol import MotorID, UpAxis
from ..robot import (
    Cube,
    CubeEvent,
    CubeEventType,
    CubeKind,
    CubeLink,
    Movement,
    OffTreads,
    RobotEvent,
    RobotEventType,
    Side,
    Vector3,
)
from ..ros.cube_messages import EVENTS, LINKS
from ..ros.geometry import filled, from_message, header, plane_pose
from .body import NOWHERE, Senses
from .executor import Snapshot
from .mood_config import Emotion
from .needs_config import Bracket, Need


def behavior_state_message(snapshot: Snapshot, stamp: Time) -> BehaviorState:
    """Return what the personality is doing; ``stamp`` is when its state was entered."""
    return filled(
        BehaviorState,
        snapshot,
        header=header(stamp, ""),
        resuming_behavior_id=snapshot.resuming,
        locked_reactions=list(snapshot.locked),
    )


def mood_message(
    values: Mapping[Emotion, float], simple_mood: str, last_event: str, stamp: Time
) -> MoodMessage:
    return MoodMessage(
        header=header(stamp, ""),
        simple_mood=simple_mood,
        last_event=last_event,
        **{emotion.name.lower(): float(value) for emotion, value in values.items()},
    )


def needs_message(
    levels: Mapping[Need, float], brackets: Mapping[Need, Bracket], stamp: Time
) -> NeedsMessage:
    return NeedsMessage(
        header=header(stamp, ""),
        **{need.name.lower(): float(level) for need, level in levels.items()},
        **{f"{need.name.lower()}_bracket": int(one) for need, one in brackets.items()},
    )


_LINK_OF = {number: link for link, number in LINKS.items()}
_EVENT_OF = {number: kind for kind, number in EVENTS.items()}


@dataclass(frozen=True, slots=True)
class SensorMessages:
    """The newest messages of a robot; None for what has not come."""

    status: RobotStatus | None = None
    odometry: Odometry | None = None
    imu: Imu | None = None
    battery: BatteryState | None = None


def senses_of(messages: SensorMessages, now: float, is_connected: bool) -> Senses:
    """Return what the robot feels; nothing before its first status and odometry."""
    status, odometry = messages.status, messages.odometry
    if status is None or odometry is None:
        return NOWHERE
    battery = math.nan if messages.battery is None else messages.battery.voltage
    acceleration = NOWHERE.acceleration
    if messages.imu is not None:
        acceleration = length_of(messages.imu.linear_acceleration)
    return from_message(
        Senses,
        status,
        time=now,
        is_connected=is_connected,
        off_treads=OffTreads(status.off_treads_state),
        is_cliff=status.is_cliff_detected,
        cliff_raw=int(status.cliff_raw[0]),
        acceleration=acceleration,
        battery_voltage=status.battery_voltage if math.isnan(battery) else battery,
        is_settled=status.is_head_calibrated and status.is_lift_calibrated,
        is_carrying=status.is_carrying_cube,
        pose=plane_pose(odometry.pose.pose),
    )


def length_of(vector: VectorMessage) -> float:
    return math.hypot(vector.x, vector.y, vector.z)


def robot_event(message: RobotEventMessage, now: float) -> RobotEvent:
    """Return what happened to the robot. Raises ``ValueError`` for what nobody knows."""
    has_motor = message.motor != RobotEventMessage.NO_MOTOR
    return from_message(
        RobotEvent,
        message,
        type=RobotEventType(message.type),
        time=now,
        off_treads=OffTreads(message.off_treads_state),
        motor=MotorID(message.motor) if has_motor else None,
        movement=Movement(message.movement),
        side=Side(message.side),
        impact=message.impact_raw,
    )


def cube_of(message: CubeMessage) -> Cube:
    """Return what is known of a cube. Raises ``ValueError``."""
    return from_message(
        Cube,
        message,
        kind=CubeKind(message.cube_id),
        slot=None if message.slot == CubeMessage.NO_SLOT else int(message.slot),
        link=_LINK_OF.get(message.connection, CubeLink.DISCONNECTED),
        is_streaming=message.is_streaming_acceleration,
        up_axis=UpAxis(message.up_axis),
        rssi=int(message.rssi_raw),
        last_heard=math.nan,
    )


def cubes_of(message: CubeArray) -> tuple[Cube, ...]:
    return tuple(cube_of(cube) for cube in message.cubes)


def cube_event(message: CubeEventMessage, known: Mapping[int, Cube], time: float) -> CubeEvent:
    """Return what happened to a cube at ``time``, s; ``known`` by factory ids.

    Raises ``ValueError``.
    """
    kind = _EVENT_OF.get(message.type)
    if kind is None:
        raise ValueError(f"there is no cube event {message.type}")
    factory_id = int(message.factory_id)
    cube = known.get(factory_id)
    if cube is None:
        cube = cube_of(CubeMessage(cube_id=message.cube_id, factory_id=factory_id))
    if kind is CubeEventType.UP_AXIS_CHANGED:
        # The cubes as they are now come after it.
        cube = replace(cube, up_axis=UpAxis(message.up_axis))
    accel = message.acceleration
    return CubeEvent(
        time=time,
        type=kind,
        cube=cube,
        tap_intensity=int(message.tap_intensity_raw),
        acceleration=Vector3(accel.x, accel.y, accel.z) if kind is CubeEventType.MOVED else None,
    )
