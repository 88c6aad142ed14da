"""What the page may use of a robot's topics, services and actions. There is no way to others."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from nav_msgs.msg import OccupancyGrid, Odometry, Path
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.qos import QoSProfile
from sensor_msgs.msg import (
    BatteryState,
    CameraInfo,
    CompressedImage,
    Image,
    Imu,
    JointState,
    PointCloud2,
)
from std_msgs.msg import Float64, String
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray as LandmarkMarkers

from cozmo_interfaces.action import (
    Dance,
    DockCharger,
    DoTrick,
    GoToObject,
    GoToPose,
    Localize,
    MeetPerson,
    MoveHead,
    PickUpCube,
    PlaceCube,
    PlayAnimation,
    PlayAudio,
    PlayGame,
    RollCube,
    RunBehavior,
    Say,
    Sing,
    StackCubes,
    TurnInPlace,
)
from cozmo_interfaces.msg import BackpackLights as BackpackLightsMessage
from cozmo_interfaces.msg import (
    BehaviorState,
    ConnectionState,
    Cube,
    CubeArray,
    Expression,
    FaceArray,
    GameRequest,
    GameState,
    MarkerArray,
    Mood,
    Needs,
    ObjectStates,
    RobotInfo,
    RobotStatus,
)
from cozmo_interfaces.msg import CubeLights as CubeLightsMessage
from cozmo_interfaces.srv import (
    AnswerGame,
    ApplyNeedAction,
    ForgetFace,
    ListAnimations,
    ListBehaviors,
    ListFaces,
    ListGames,
    ListSongs,
    ListTricks,
    NvRead,
    SetVolume,
    TriggerReaction,
)

from ..behavior import Emotion
from ..robot import lift_height
from ..ros.cube_messages import backpack_message, cube_lights_message
from ..ros.topics import COMMAND, CONNECTION_STATES, LATCHED
from . import ros_values
from .ros_whereabouts import landmarks

Value = Any
"""What JSON can say."""


class Feed(NamedTuple):
    """A topic to show: ``value`` makes JSON of a message, None for nothing to show."""

    kind: type
    topic: str
    value: Callable[[Any], Value]
    qos: QoSProfile = COMMAND


class Command(NamedTuple):
    """A topic to publish; ``make`` makes the message, where its own fields are not enough."""

    kind: type
    make: Callable[..., Any] | None = None

    def message(self, **fields: Any) -> Any:
        return (self.make or self.kind)(**fields)


def finite(number: float) -> float | None:
    """Return a number that JSON knows."""
    return float(number) if math.isfinite(number) else None


# -- values

_CONNECTION = CONNECTION_STATES | {ConnectionState.WAITING: "robot lost"}
_STATES = {
    BehaviorState.DISABLED: "switched off",
    BehaviorState.IDLE: "has nothing to do",
    BehaviorState.RUNNING: "does what it likes",
    BehaviorState.REACTING: "reacts",
    BehaviorState.REQUESTED: "does what it is asked for",
    BehaviorState.SUSPENDED: "gives way",
    BehaviorState.ASLEEP: "sleeps",
}
_EMOTIONS = tuple(emotion.name.lower() for emotion in Emotion)
_BRACKETS = {
    Needs.FULL: "satisfied",
    Needs.NORMAL: "fine",
    Needs.WARNING: "warning",
    Needs.CRITICAL: "critical",
}
_COLORS = {
    RobotInfo.COLOR_WHITE_V10: "white",
    RobotInfo.COLOR_WHITE_V15: "white, edition 1.5",
    RobotInfo.COLOR_COLLECTORS_V15: "collector's edition",
    RobotInfo.COLOR_BLUE_V16: "blue",
    RobotInfo.COLOR_DEVELOPMENT: "development unit",
}
_CALIBRATIONS = {
    RobotInfo.CALIBRATION_NONE: "calibration not known yet",
    RobotInfo.CALIBRATION_ROBOT: "calibrated in the factory",
    RobotInfo.CALIBRATION_FILE: "calibrated by a file",
    RobotInfo.CALIBRATION_MEASURED: "calibrated by a cube",
    RobotInfo.CALIBRATION_DEFAULT: "not calibrated: typical values",
}
_CUBE_NAMES = {Cube.CHARGER: "Charger"}
_POSTURE = {
    RobotStatus.IN_AIR: "in the air",
    RobotStatus.ON_BACK: "on its back",
    RobotStatus.ON_LEFT_SIDE: "on its left side",
    RobotStatus.ON_RIGHT_SIDE: "on its right side",
    RobotStatus.ON_FACE: "on its face",
    RobotStatus.FALLING: "falling",
}


def connection(message: ConnectionState) -> Value:
    return {
        "is_connected": message.state == ConnectionState.CONNECTED,
        "text": _CONNECTION.get(message.state, "?"),
        "is_wanted": message.state
        not in (ConnectionState.DISCONNECTED, ConnectionState.DISCONNECTING),
        "message": message.message,
    }


def _info(message: RobotInfo) -> Value:
    firmware = f"{message.firmware_version} {message.firmware_build} {message.firmware_date}"
    if not message.is_firmware_known:
        firmware += ": not one that the driver knows"
    color = _COLORS.get(message.body_color)
    facts = {
        "Head": f"serial {message.head_serial:#x}, hardware {message.hardware_revision}",
        "Body": f"serial {message.body_serial:#x}, hardware {message.body_hardware_version}"
        + (f", {color}" if color else ""),
        "Button": "on the backpack" if message.has_button else "none",
        "Firmware": firmware.strip(),
        "Address": f"{message.address}:{message.port} (UDP)",
        "Camera": _CALIBRATIONS.get(message.calibration_source, "?"),
    }
    return {"serial": f"{message.head_serial:08x}", "facts": facts}


def _battery(message: BatteryState) -> Value:
    return {
        "voltage": finite(message.voltage) or 0.0,
        "level": finite(message.percentage),
        "is_charging": message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_CHARGING,
    }


def _status(message: RobotStatus) -> Value:
    notice = _POSTURE.get(message.off_treads_state, "")
    if message.is_cliff_detected and not notice:
        notice = "at an edge"
    if message.is_on_charger and not notice:
        notice = "on its charger"
    return {
        "is_stopped": message.is_emergency_stopped,
        "is_held": message.is_held_after_pickup,
        "is_head_light_on": message.is_head_light_on,
        "notice": notice,
    }


def _joints(message: JointState) -> Value:
    angles = dict(zip(message.name, message.position, strict=True))
    head, lift = (
        next((angle for name, angle in angles.items() if name.endswith(end)), 0.0)
        for end in ("head_joint", "lift_joint")
    )
    rounded = {name: round(angle, 3) for name, angle in angles.items()}
    return {"head": round(head, 3), "lift": round(lift_height(lift), 4), "angles": rounded}


def _display(message: Image) -> Value:
    """1024 bytes in base64, a bit a pixel, rows from above."""
    return base64.b64encode(
        np.packbits(np.frombuffer(message.data, np.uint8) > 0).tobytes()
    ).decode()


def _cubes(message: CubeArray) -> Value:
    return [
        {
            "id": cube.factory_id,
            "name": _CUBE_NAMES.get(cube.cube_id, f"Cube {cube.cube_id or cube.factory_id}"),
            "is_connected": cube.is_connected,
            "is_moving": cube.is_moving,
            "battery": finite(cube.battery_percentage),
        }
        for cube in message.cubes
    ]


def _behavior(message: BehaviorState) -> Value:
    return {
        "state": _STATES.get(message.state, "?"),
        "is_enabled": message.is_enabled,
        "activity": message.activity,
        "behavior": message.behavior_id,
        "reaction": message.reaction,
        "resuming": message.resuming_behavior_id,
        "suspended_by": message.suspended_by,
    }


def _game(message: GameState) -> Value:
    names = (*message.get_fields_and_field_types(),)
    return {name: getattr(message, name) for name in names if name != "header"}


def _game_request(message: GameRequest) -> Value:
    return {"game": message.game, "text": message.text, "timeout": message.timeout}


def _mood(message: Mood) -> Value:
    return {name: {"level": round(getattr(message, name), 2)} for name in _EMOTIONS}


def _needs(message: Needs) -> Value:
    return {
        name: {
            "level": round(getattr(message, name), 3),
            "state": _BRACKETS.get(getattr(message, f"{name}_bracket"), "?"),
        }
        for name in ("repair", "energy", "play")
    }


# -- tables

FEEDS: Mapping[str, Feed] = {
    "battery": Feed(BatteryState, "battery_state", _battery),
    "info": Feed(RobotInfo, "robot_info", _info, LATCHED),
    "status": Feed(RobotStatus, "status", _status),
    "face": Feed(Image, "display/image", _display, LATCHED),
    "cubes": Feed(CubeArray, "cubes", _cubes, LATCHED),
    "behavior": Feed(BehaviorState, "behavior/state", _behavior, LATCHED),
    "game": Feed(GameState, "game_state", _game, LATCHED),
    "game_request": Feed(GameRequest, "game_request", _game_request, LATCHED),
    "mood": Feed(Mood, "behavior/mood", _mood, LATCHED),
    "needs": Feed(Needs, "behavior/needs", _needs, LATCHED),
    "joints": Feed(JointState, "joint_states", _joints),
    "odom": Feed(Odometry, "odom", ros_values.odom),
    "imu": Feed(Imu, "imu/data_raw", ros_values.imu),
    "camera_info": Feed(CameraInfo, "camera/camera_info", ros_values.camera_info),
    "description": Feed(String, "robot_description", lambda message: message.data, LATCHED),
    "plan": Feed(Path, "plan", ros_values.plan),
    "hazards": Feed(PointCloud2, "hazards", ros_values.hazards),
    "objects": Feed(ObjectStates, "object_states", ros_values.objects, LATCHED),
    "markers": Feed(MarkerArray, "markers", ros_values.markers),
    "faces": Feed(FaceArray, "faces", ros_values.faces),
    "ground": Feed(OccupancyGrid, "map_memory", ros_values.ground, LATCHED),
    "landmarks": Feed(LandmarkMarkers, "landmark_markers", landmarks, LATCHED),
}
PICTURES: Mapping[str, Feed] = {
    "camera": Feed(
        CompressedImage, "camera/image_raw/compressed", lambda message: bytes(message.data)
    ),
}
"""Of messages with a ``header``; their values are encoded images."""
COMMANDS: Mapping[str, Command] = {
    "cmd_head": Command(Float64),
    "cmd_lift": Command(Float64),
    "face/image": Command(Image),
    "face/expression": Command(Expression),
    "backpack_lights": Command(BackpackLightsMessage, backpack_message),
    "cube_lights": Command(CubeLightsMessage, cube_lights_message),
}
NODES = (
    "cozmo_driver",
    "cozmo_face",
    "cozmo_behavior",
    "cozmo_vision",
    "cozmo_manipulation",
    "cozmo_cockpit",
)
"""Whose parameters may be read and set."""
SERVICES: Mapping[str, Any] = {
    "emergency_stop": Trigger,
    "release_stop": Trigger,
    "connect": Trigger,
    "disconnect": Trigger,
    "calibrate_motors": Trigger,
    "nv_read": NvRead,
    "set_head_light": SetBool,
    "set_volume": SetVolume,
    "list_animations": ListAnimations,
    "behavior/enable": SetBool,
    "behavior/list": ListBehaviors,
    "behavior/apply_need_action": ApplyNeedAction,
    "behavior/trigger_reaction": TriggerReaction,
    "list_games": ListGames,
    "answer_game": AnswerGame,
    "list_tricks": ListTricks,
    "list_songs": ListSongs,
    "list_faces": ListFaces,
    "forget_face": ForgetFace,
    **{f"{node}/get_parameters": GetParameters for node in NODES},
    **{f"{node}/list_parameters": ListParameters for node in NODES},
    **{f"{node}/describe_parameters": DescribeParameters for node in NODES},
    **{f"{node}/set_parameters": SetParameters for node in NODES},
}
MANIPULATION: Mapping[str, type] = {
    "dock_charger": DockCharger,
    "go_to_object": GoToObject,
    "pick_up_cube": PickUpCube,
    "place_cube": PlaceCube,
    "roll_cube": RollCube,
    "stack_cubes": StackCubes,
}
"""Actions of manipulation: their feedback has ``phase`` and ``attempt``."""
ACTIONS: Mapping[str, type] = {
    **MANIPULATION,
    "play_animation": PlayAnimation,
    "play_audio": PlayAudio,
    "say": Say,
    "behavior/run": RunBehavior,
    "play_game": PlayGame,
    "do_trick": DoTrick,
    "sing": Sing,
    "dance": Dance,
    "meet_person": MeetPerson,
    "go_to_pose": GoToPose,
    "localize": Localize,
    "move_head": MoveHead,
    "turn_in_place": TurnInPlace,
}
