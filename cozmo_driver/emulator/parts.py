"""The parts of a robot that need no world: what the firmware is built on."""

from __future__ import annotations

from .battery import Battery
from .body import Body
from .core import Core
from .cube_radios import Cubes
from .firmware_update import FirmwareUpdates
from .ground import Ground
from .imu import Imu
from .joints import Joints
from .lights import Backpack, Display
from .options import EmulatorOptions
from .path import PathFollower
from .session import Session
from .shaking import Shaking
from .storage import Storage


class Parts:
    """Connection, body, joints, sensors, lights, radio and storage of one robot."""

    def __init__(self, options: EmulatorOptions, now: float, world_seed: int) -> None:
        """Switch on; ``world_seed`` decides where the floor has its joints."""
        hardware = options.own_hardware()
        self.variation = variation = options.own_variation()
        self.core = core = Core(now, options.seed, not options.ideal)
        self.body = Body(core)
        self.wheels = self.body.wheels
        self.path = PathFollower(core, self.body)
        self.ground = Ground(core, self.body, self.path, hardware.cliff)
        self.joints = Joints(core, hardware, options.calibration_time)
        self.joints.head.zero = variation.head_zero
        self.shaking = Shaking(core, self.body, options.shaking, world_seed)
        self.imu = Imu(core, self.body, self.joints.head, hardware, variation, self.shaking)
        self.battery = Battery(core, self.body, self.joints, options, hardware)
        self.backpack = Backpack(core)
        self.display = Display(core)
        self.session = Session(core, self.body, self.joints, options.identity, hardware)
        self.cubes = Cubes(core, options.identity.cubes, options.telemetry_needs_lights)
        self.storage = Storage(core, variation.calibration)
        self.update = FirmwareUpdates(core, self.session)
