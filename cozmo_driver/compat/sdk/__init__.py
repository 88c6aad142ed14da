"""The maker's SDK as its programs know it: imported as ``cozmo`` by programs that are run."""

from __future__ import annotations

from . import (
    action,
    anim,
    annotate,
    audio,
    base,
    behavior,
    camera,
    conn,
    event,
    exceptions,
    faces,
    lights,
    nav_memory_map,
    objects,
    oled_face,
    opengl,
    pets,
    robot,
    robot_alignment,
    run,
    song,
    tkview,
    util,
    world,
)
from .exceptions import (
    ActionError,
    AnimationsNotLoaded,
    CannotPlaceObjectsOnThis,
    ConnectionAborted,
    ConnectionCheckFailed,
    ConnectionError,
    CozmoSDKException,
    InvalidOpenGLGlutImplementation,
    NoDevicesFound,
    NotPickupable,
    RobotBusy,
    SDKShutdown,
    SDKVersionMismatch,
    StopPropogation,
)
from .logs import logger, logger_protocol
from .run import (
    AndroidConnector,
    DeviceConnector,
    FirstAvailableConnector,
    IOSConnector,
    TCPConnector,
    connect,
    connect_on_loop,
    connect_with_3dviewer,
    connect_with_tkviewer,
    run_program,
    setup_basic_logging,
)

__version__ = "1.4.10"
