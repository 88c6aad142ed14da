"""What a person does to a robot and its cubes: the handle of tests and of ``cozmo emulator ctl``.

In mm and rad, in the world's frame. Everything takes effect as on the robot: what is carried is
in the hand for half a second.
"""

from __future__ import annotations

from ...protocol import State
from ...protocol.enums import UpAxis
from ..battery import Battery
from ..body import Body, Pose2D
from ..core import Core
from ..postures import Posture
from .place import Place

CARRY_TIME = 0.5
"""s that the robot is in the hand while it is carried."""


class Handling:
    """One robot's handling; methods raise ``ValueError`` for what cannot be done there."""

    def __init__(self, core: Core, body: Body, battery: Battery, place: Place) -> None:
        """Handle the robot that stands in ``place``."""
        self._core, self._body, self._battery, self._place = core, body, battery, place
        self._hands, self._world = place.hands, place.world
        self._carries = 0

    # -- the robot

    def pick_up(self) -> None:
        """Lift the robot and hold it level."""
        self._carries += 1
        self._hands.put(Posture.HELD)

    def put_down(self, where: Pose2D | None = None) -> None:
        """Set the robot on its treads, where it is or elsewhere; it is lifted first if need be.

        Where the robot is in the way of something, or there is no floor, it is not put.
        """
        where = self._body.world_pose if where is None else where
        self._place.check_place(where)
        self._carries += 1
        if self._body.is_held or self._core.connection.state is not State.CONNECTED:
            self._hands.put(Posture.FLAT, where)
            return
        self._hands.put(Posture.HELD)
        carry = self._carries

        def arrive() -> None:
            if carry == self._carries:
                self._hands.put(Posture.FLAT, where)

        self._core.after(CARRY_TIME, arrive)

    def turn_over(self, posture: Posture = Posture.BACK) -> None:
        """Lay the robot on its back, a side or its face, or set it on a slope."""
        self._carries += 1
        self._hands.put(posture)

    def let_fall(self, impact: float = 1500.0, landing: Posture = Posture.FACE) -> None:
        """Drop the robot: it falls for 0.3 s and lies where it lands."""
        self._carries += 1
        self._hands.let_fall(impact, landing)

    def shake(self, seconds: float = 2.0) -> None:
        """Shake the robot for a while, as it is."""
        self._hands.shake(seconds)

    def poke(self) -> None:
        """Nudge the robot."""
        self._hands.poke()

    def press_button(self) -> None:
        """Press the button on the robot's back shortly."""
        self._hands.press_button()

    def put_on_charger(self, on: bool) -> None:
        """Carry the robot onto the charger, or off it to where it started.

        In a world without a charger one is put under the robot, or taken away.
        """
        dock = self._world.dock
        if dock is None:
            self._battery.put_on_charger(on)
        elif on:
            self.put_down(dock)
        elif self._battery.on_charger:
            self.put_down(self._world.start_of(self._place.index))

    def set_battery(self, voltage: float) -> None:
        """Put in a cell that has ``voltage`` V at rest."""
        self._battery.set_charge(voltage)

    # -- cubes, by their number

    def tap(self, number: int, intensity: int = 97) -> bool:
        """Tap a cube; return whether the engine was told (it is connected and has lights)."""
        return self._place.cubes.tap(self._factory_id(number), intensity)

    def move_cube(self, number: int, where: Pose2D) -> None:
        """Put a cube elsewhere on the floor."""
        self._world.move_cube(number, where)

    def flip_cube(self, number: int, up_axis: UpAxis) -> bool:
        """Turn a cube over so that another axis points up; return as ``tap``."""
        return self._place.cubes.flip(self._factory_id(number), up_axis)

    def _factory_id(self, number: int) -> int:
        cubes = self._place.cubes
        factory_id = cubes.of_kind(number)
        if factory_id is None or not cubes.cubes[factory_id].in_reach:
            raise ValueError(f"the robot has no cube {number} in reach: choose another one")
        return factory_id
