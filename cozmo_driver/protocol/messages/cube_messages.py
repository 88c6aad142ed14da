"""Cubes and other accessories."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import ObjectType, UpAxis
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..structs import ActiveAccel, LightState
from ..wire import I8, I32, U8, U32, About, Array, Bool


@message(0x04, ENGINE_TO_ROBOT, confidence="E")
class CubeLights(NamedTuple):
    """Four lights of the cube chosen by the last CubeID (0x10)."""

    lights: Annotated[tuple[LightState, ...], Array(LightState, 4), About("LEDs 0..3")]


@message(0x05, ENGINE_TO_ROBOT, confidence="H", pycozmo="ObjectConnect")
class SetPropSlot(NamedTuple):
    """Put an accessory (cube, charger) into one of the radio slots, or empty the slot."""

    factory_id: Annotated[U32, About("accessory serial; 0 empties the slot")]
    slot: Annotated[U8, About("0..4; comes back as objectID in 0xD0")] = 0


@message(0x08, ENGINE_TO_ROBOT, confidence="H")
class StreamObjectAccel(NamedTuple):
    """Start or stop raw accelerometer streaming from one cube (0xF5)."""

    object_id: Annotated[U32, About("slot number")]
    enable: Bool


@message(0x0A, ENGINE_TO_ROBOT, confidence="H")
class SetAccessoryDiscovery(NamedTuple):
    """Enable reporting of accessory advertisements.

    The official app never sends it; adverts arrive anyway [H].
    """

    enable: Bool = True


@message(0x0C, ENGINE_TO_ROBOT, confidence="E")
class SetCubeGamma(NamedTuple):
    """Brightness scale for cube lights; engine sends 0x80."""

    gamma: U8 = 128


@message(0x10, ENGINE_TO_ROBOT, confidence="E", pycozmo="CubeId")
class CubeID(NamedTuple):
    """Select the cube for the next CubeLights and set its light rotation."""

    object_id: Annotated[U32, About("slot number")]
    rotation_period_frames: Annotated[U8, About("0 = no rotation", unit="frame(30 ms)")] = 0


@message(0x4D, ENGINE_TO_ROBOT, confidence="E")
class FlashObjectIDs(NamedTuple):
    """Ask cubes to flash their ids (legacy)."""

    object_id: U32


@message(0x4E, ENGINE_TO_ROBOT, confidence="E")
class ObjectBeingCarried(NamedTuple):
    """Mark a cube as carried."""

    object_id: U32
    is_being_carried: Bool


@message(0x62, ENGINE_TO_ROBOT, confidence="E")
class ObjectConnectionStateToRobot(NamedTuple):
    """Tell the head which objects are connected; inside the robot."""

    object_id: U32
    factory_id: U32
    object_type: Annotated[I32, ObjectType]
    connected: Bool


@message(0xB4, ROBOT_TO_ENGINE, confidence="E")
class ObjectMoved(NamedTuple):
    """Cube started moving."""

    timestamp: Annotated[U32, About(unit="ms")]
    object_id: U32
    accel: ActiveAccel
    axis_of_accel: Annotated[U8, UpAxis] = 7


@message(0xB5, ROBOT_TO_ENGINE, confidence="E")
class ObjectStoppedMoving(NamedTuple):
    """Cube came to rest."""

    timestamp: Annotated[U32, About(unit="ms")]
    object_id: U32


@message(0xB6, ROBOT_TO_ENGINE, confidence="E")
class ObjectTapped(NamedTuple):
    """Raw tap candidate."""

    timestamp: Annotated[U32, About(unit="ms")]
    object_id: U32
    num_taps: U8
    tap_time: U8
    tap_neg: I8
    tap_pos: I8


@message(0xB9, ROBOT_TO_ENGINE, confidence="E", pycozmo="ObjectTapFiltered")
class ObjectTappedFiltered(NamedTuple):
    """Accepted tap."""

    timestamp: Annotated[U32, About(unit="ms")]
    object_id: U32
    tap_time: U8
    tap_intensity: U8


@message(0xCE, ROBOT_TO_ENGINE, confidence="E")
class ObjectPowerLevel(NamedTuple):
    """Cube battery."""

    object_id: U32
    missed_packets: U32
    battery_level: Annotated[U8, About("raw")]


@message(0xD0, ROBOT_TO_ENGINE, confidence="H")
class ObjectConnectionState(NamedTuple):
    """Accessory connected/disconnected."""

    object_id: Annotated[U32, About("slot number given in 0x05")]
    factory_id: U32
    object_type: Annotated[I32, ObjectType]
    connected: Bool


@message(0xD7, ROBOT_TO_ENGINE, confidence="E")
class ObjectUpAxisChanged(NamedTuple):
    """Cube orientation."""

    timestamp: Annotated[U32, About(unit="ms")]
    object_id: U32
    up_axis: Annotated[U8, UpAxis] = 7


@message(0xF3, ROBOT_TO_ENGINE, confidence="H", reliable=False)
class ObjectAvailable(NamedTuple):
    """Advertisement of an accessory."""

    factory_id: U32
    object_type: Annotated[I32, ObjectType]
    rssi: Annotated[I8, About("dBm [?]")]


@message(0xF5, ROBOT_TO_ENGINE, confidence="H", reliable=False)
class ObjectAccel(NamedTuple):
    """Cube accelerometer sample."""

    timestamp: Annotated[U32, About(unit="ms")]
    object_id: U32
    accel: ActiveAccel
