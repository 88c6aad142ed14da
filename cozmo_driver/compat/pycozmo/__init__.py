"""PyCozmo as its programs know it: imported as ``pycozmo`` by programs that are run."""

from __future__ import annotations

from typing import NoReturn

from . import (
    audio,
    client,
    conn,
    event,
    exception,
    expressions,
    lights,
    object,
    procedural_face,
    protocol_encoder,
    robot,
    run,
    util,
)
from .client import Client
from .conn import ROBOT_ADDR
from .event import STATUS_EVENTS, Dispatcher, Event, Handler
from .logs import (
    logger,
    logger_animation,
    logger_behavior,
    logger_protocol,
    logger_reaction,
    logger_robot,
)
from .robot import (
    FRAME_RATE,
    LIFT_ARM_LENGTH,
    LIFT_PIVOT_HEIGHT,
    MAX_HEAD_ANGLE,
    MAX_HEAD_ANGLE_RAD,
    MAX_LIFT_ANGLE,
    MAX_LIFT_HEIGHT,
    MAX_LIFT_HEIGHT_MM,
    MAX_WHEEL_SPEED,
    MIN_HEAD_ANGLE,
    MIN_HEAD_ANGLE_RAD,
    MIN_LIFT_ANGLE,
    MIN_LIFT_HEIGHT,
    MIN_LIFT_HEIGHT_MM,
    TRACK_WIDTH,
    LiftPosition,
    RobotOrientation,
    RobotStatusFlag,
    RobotStatusFlagNames,
)
from .run import connect, run_program, setup_basic_logging

for _name, _value in vars(event).items():
    if _name.startswith("Evt"):
        globals()[_name] = _value

_NOT_HERE = {
    "activity": "behaviours of the app are behavior_node's",
    "anim": "clips are played by name: Client.play_anim",
    "anim_controller": "clips are played by name: Client.play_anim",
    "anim_encoder": "clips are read by cozmo anim",
    "audiokinetic": "sound banks are read by cozmo resources",
    "behavior": "behaviours of the app are behavior_node's",
    "brain": "behaviours of the app are behavior_node's",
    "camera": "images come as EvtNewRawCameraImage",
    "emotions": "moods are behavior_node's",
    "image_encoder": "pictures are encoded by Client.display_image",
    "protocol_declaration": "packets are in protocol_encoder",
    "window": "the connection is the driver's own",
}


def __getattr__(name: str) -> NoReturn:
    """Say what to use instead of a module that is not here."""
    instead = f": {_NOT_HERE[name]}" if name in _NOT_HERE else ""
    raise AttributeError(f"pycozmo.{name} is not here{instead}")
