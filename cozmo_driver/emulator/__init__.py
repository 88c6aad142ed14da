"""The robot's end of the wire: an emulated Cozmo for tests and for trying things without one."""

from __future__ import annotations

from .body import Pose2D, Posture
from .commands import COMMANDS, Command, CommandRefused
from .control import ControlError, ControlServer, ask, socket_path
from .firmware import EmulatorState, Firmware
from .hardware import DEFAULT_HARDWARE, FIGURES, HARDWARE, hardware_like, robot_file
from .options import EmulatorOptions, Identity, ImageEffects, ImpairmentOptions
from .running import RunningEmulator, running_emulator
from .server import DEFAULT_HOST, DEFAULT_PORT, EmulatorServer, Impairment
from .shaking import shaking_like
from .variation import DEFAULT_SERIAL, Lens, variation_like
from .view.folder import ViewFolder
from .view.terminal import TerminalView, picture_lines
from .wifi import WIFI
from .world import World, WorldFileError, find_world, load_layout
from .world.layout import Floor, Layout, Solid
from .world.layout_file import known_worlds
from .world.occupancy import occupancy_map, write_map
from .world.polygons import rectangle
