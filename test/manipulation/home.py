"""A robot that stood on its charger, in virtual time."""

from __future__ import annotations

import math
from dataclasses import replace

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.emulator.world import Layout, World
from cozmo_driver.emulator.world.layout import Floor, charger_plate, charger_wall
from cozmo_driver.manipulation.charger_memory import ChargerMemory
from cozmo_driver.manipulation.obstacle_avoidance import charger_box, go_to
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.protocol.messages import EnableStopOnCliff
from cozmo_driver.robot import Pose2D

START = WorldPose(-60.0, 0.0, 0.0)
"""Where a docked robot's origin is, mm."""
_FLOOR = Floor(((-2000.0, -2000.0), (2000.0, -2000.0), (2000.0, 2000.0), (-2000.0, 2000.0)))
LAYOUT = Layout("home", floors=(_FLOOR,), charger=WorldPose(-30.0, 0.0, math.pi), robots=(START,))


def emulated(seed: int = 0, *, ideal: bool = False) -> dict[str, object]:
    """Return the emulator's options: a robot on its charger, on a floor that it slips on."""
    return {"world": lambda: World(LAYOUT, seed=seed, ideal=ideal), "seed": seed, "ideal": ideal}


class Home:
    """A connected robot with what it knows of its charger."""

    def __init__(self, world, eyes=None):
        self.world, self.robot = world, world.robot
        self.body = RobotManipulator(world.robot, eyes and eyes.world)
        self.memory = ChargerMemory()
        if world.firmware.place.world.ideal:
            # It turns as it reports.
            self.memory.guess_again()
        self.phases: list[tuple[str, int]] = []
        world.robot.on_state.connect(lambda _: self.memory.update(self.body.state))

    async def undock(self) -> Pose2D:
        """Drive off the charger; return where it is, as remembered."""
        await self.world.until(lambda: self.memory.pose(self.body.state))
        await self.world.robot.maneuvers.undock()
        return self.charger

    @property
    def charger(self) -> Pose2D:
        pose = self.memory.pose(self.body.state)
        assert pose is not None
        return pose

    async def go(self, goal: Pose2D) -> None:
        """Drive to a pose as seen from the charger's lip."""
        await go_to(self.body, [self.charger.compose(goal)], [charger_box(self.charger)])

    def move_charger(self, x: float, y: float, angle: float) -> None:
        """Let somebody move the charger, mm and rad as seen from where it is."""
        firmware, world = self.world.firmware, self.world.firmware.place.world
        place = world.charger.then(WorldPose(x, y, angle))
        world.layout = replace(world.layout, charger=place)
        world.charger, world._plate = place, charger_plate(place)
        world.solids = (*world.layout.solids, charger_wall(place))
        firmware.battery.fix_charger(world.dock)
        firmware.camera.eye._renderer = None

    def on_phase(self, phase: str, attempt: int) -> None:
        self.phases.append((phase, attempt))

    @property
    def is_docked(self) -> bool:
        return self.world.firmware.battery.on_charger

    @property
    def is_still(self) -> bool:
        return not self.world.firmware.wheels.moving

    @property
    def stops_at_cliffs(self) -> bool:
        """What the robot was told last."""
        return self.world.wire.received(EnableStopOnCliff)[-1].enable
