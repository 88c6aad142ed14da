"""PyCozmo as its programs know it: imported as ``pycozmo`` by programs that are run."""

from __future__ import annotations

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
    MAX_LIFT_ANGLE,
    MAX_LIFT_HEIGHT,
    MAX_WHEEL_SPEED,
    MIN_HEAD_ANGLE,
    MIN_LIFT_ANGLE,
    MIN_LIFT_HEIGHT,
    TRACK_WIDTH,
    LiftPosition,
    RobotOrientation,
    RobotStatusFlag,
    RobotStatusFlagNames,
)
from .run import connect, setup_basic_logging

for _name, _value in vars(event).items():
    if _name.startswith("Evt"):
        globals()[_name] = _value
