"""A house whose robot has eyes and hands: people who sit down, a cat, cubes to handle, a way home.

It sees what is in its camera's view and remembers it; a tenth of what it does with cubes fails.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Iterable
from dataclasses import replace

from cozmo_driver.behavior.body import Skill
from cozmo_driver.behavior.sight import (
    NAMES,
    Recollection,
    SeenFace,
    SeenMap,
    SeenMotion,
    SeenObject,
    SeenPet,
    Sense,
    Sight,
)
from cozmo_driver.robot import Cube, OffTreads, Pose2D, Reason, RobotError, RobotEventType

from .house import HALF, House, _to_edge

CHARGER = Pose2D(-0.35, 0.0)
_LOOK, _ACROSS, _NEAR, _FAR, _FACE_FAR = 0.25, 0.5, 0.3, 0.45, 1.5
"""s between two looks; rad to a side, m to a cube that is placed well, to one, and to a face."""
_FAILS = 0.1
_FAILURES = (Reason.MISSED, Reason.NOT_SEEN, Reason.NO_PATH)
_TIMES = {Skill.PICK_UP: 6.0, Skill.PUT_DOWN: 3.0, Skill.PYRAMID: 60.0, Skill.STACK: 20.0}
_TIME, _SPEED = 5.0, 0.1
_AWAY, _STAYS = 900.0, 420.0
"""s on average until somebody sits down, and until they go."""
_CELL = 0.05


class SeeingHouse(House):
    """``places`` are where cubes truly are; it knows those that it has seen there."""

    def __init__(self, rng: random.Random, triggers: Iterable[str], cubes: Iterable[Cube]) -> None:
        super().__init__(rng, triggers, cubes)
        self.skills, self.can_go_home = set(Skill), True
        self.met = Recollection()
        self.motion: SeenMotion | None = None
        self.homecomings: list[tuple[float, bool]] = []
        """When it was driven home, and whether it got there."""
        self._known: dict[str, SeenObject] = {}
        self._facts: dict[str, dict[str, object]] = {name: {} for name in NAMES.values()}
        """Of cubes that lie, stand on another one or are on the lift: fields of ``SeenObject``."""
        self._map = _map_of_table()
        for cube in self.cubes:
            self.places[cube.factory_id] = self._spot()

    def put(self, cube: Cube, place: Pose2D | None, **facts: object) -> None:
        """See ``House``; ``facts`` are fields of ``SeenObject``."""
        super().put(cube, place, **facts)
        if self._facts[NAMES[cube.kind]].get("is_carried"):
            self.feel(is_carrying=False)
        self._facts[NAMES[cube.kind]] = facts

    @property
    def sight(self) -> Sight:
        return Sight(
            frozenset(Sense),
            dict(self._known),
            self.met.faces(self.now),
            self.met.pets(self.now),
            self.motion,
            _to_edge(self.felt.pose),
            self._map if Sense.MAP in self.watched else None,
        )

    def _spot(self) -> Pose2D:
        x, y = (self._rng.uniform(-0.6, 0.6) * half for half in HALF)
        return Pose2D(x, y, self._rng.uniform(-0.7, 0.7))

    def _sees(self, x: float, y: float, far: float) -> bool:
        there = self.felt.pose.inverse().compose(Pose2D(x, y))
        is_ahead = abs(math.atan2(there.y, there.x)) < _ACROSS
        return self.felt.is_connected and is_ahead and math.hypot(there.x, there.y) < far

    # -- what there is to see

    async def look(self) -> None:
        """See, until cancelled."""
        person: tuple[float, float, float] | None = None
        changes_at = cat_at = moves_at = 0.0
        while True:
            await asyncio.sleep(_LOOK)
            now, rng = self.now, self._rng
            self._look_for_cubes(now)
            if now >= changes_at:
                is_going = person is not None
                changes_at = now + rng.expovariate(1.0 / (_AWAY if is_going else _STAYS))
                person = None if is_going else (rng.uniform(0.3, 0.9), rng.uniform(-0.6, 0.6), 0.3)
            if person is not None and self._sees(person[0], person[1], _FACE_FAR):
                self.met.see_faces([SeenFace(1, *person, "Ann", now)])
                if now >= moves_at:
                    hand = self.felt.pose.compose(Pose2D(0.12, rng.uniform(-0.03, 0.03)))
                    self.motion = SeenMotion(now, 0.01, 0.05, (hand.x, hand.y))
                    moves_at = now + rng.expovariate(1.0 / 40.0)
            if now >= cat_at:
                self.met.see_pets([SeenPet(1, "cat", self.felt.pose.yaw + 0.2, 0.0, now)])
                if rng.random() < 0.1:
                    cat_at = now + rng.expovariate(1.0 / 3600.0)

    def _look_for_cubes(self, now: float) -> None:
        for cube in self.cubes:
            name, place = NAMES[cube.kind], self.places.get(cube.factory_id)
            facts, known = self._facts[name], self._known.get(name)
            if facts.get("is_carried"):
                ahead = self.felt.pose.compose(Pose2D(0.06))
                self.places[cube.factory_id] = ahead
                self._known[name] = SeenObject(name, ahead, is_visible=False, is_carried=True)
            elif place is not None and self._sees_cube(place, _FAR):
                was_sure = known is not None and known.is_sure and known.place == place
                is_sure = was_sure or self._sees_cube(place, _NEAR)
                seen = SeenObject(name, place, is_sure=is_sure, seen_at=now)
                self._known[name] = replace(seen, **facts)  # type: ignore[arg-type]
            elif known is not None and self._sees_cube(known.place, _FAR):
                del self._known[name]
            elif known is not None:
                self._known[name] = replace(known, is_visible=False)

    def _sees_cube(self, place: Pose2D, far: float) -> bool:
        return not self.felt.is_off_ground and self._sees(place.x, place.y, far)

    # -- what it does

    async def use(
        self, skill: Skill, name: str = "", base: str = "", place: Pose2D | None = None
    ) -> None:
        """See ``Body``; it stands before the cube afterwards."""
        here, what = self.felt.pose, " ".join(filter(None, ("use", skill.value, name, base)))
        target = self._known.get(base or name)
        spot = place or (here if target is None else target.place)
        way = math.hypot(spot.x - here.x, spot.y - here.y)
        await self._move(what, _TIMES.get(skill, _TIME) + way / _SPEED)
        heading = math.atan2(spot.y - here.y, spot.x - here.x)
        if way > 0.1:
            self.feel(pose=Pose2D(spot.x, spot.y, heading).compose(Pose2D(-0.1)))
        if self._rng.random() < _FAILS:
            reason = self._rng.choice(_FAILURES)
            raise RobotError(reason, f"{what} failed: {reason.value}")
        self._change(skill, name, base)

    def _change(self, skill: Skill, name: str, base: str) -> None:
        carried = next((one for one, facts in self._facts.items() if facts.get("is_carried")), "")
        if skill is Skill.PICK_UP:
            self._facts[name] = {"is_carried": True}
        elif skill in (Skill.PUT_DOWN, Skill.PUT_BESIDE) and carried:
            self._facts[carried] = {}
        elif skill in (Skill.PUT_ON, Skill.STACK):
            self._put_on(name if skill is Skill.STACK else carried, base)
        elif skill is Skill.KNOCK_OVER:
            for one, facts in self._facts.items():
                if facts.get("on_top_of"):
                    self._facts[one] = {"is_upright": False}
                    self._move_cube(one, self._spot())
        elif skill is Skill.ROLL:
            self._facts[name] = {}
        elif skill is Skill.PYRAMID:
            self._put_on(name, base)
        elif skill is Skill.WHEELIE:
            self.feel(off_treads=OffTreads.ON_BACK)
            asyncio.get_running_loop().call_later(8.0, self._stand_up)
        is_carrying = any(facts.get("is_carried") for facts in self._facts.values())
        self.feel(is_carrying=is_carrying)

    def _stand_up(self) -> None:
        if self.felt.off_treads is OffTreads.ON_BACK:
            self.feel(off_treads=OffTreads.ON_TREADS)

    def _put_on(self, name: str, base: str) -> None:
        if not (name and base):
            return
        if base not in self._known:
            raise RobotError(Reason.NOT_SEEN, f"{base} is gone")
        self._facts[name] = {"on_top_of": base, "height": 0.066}
        self._move_cube(name, self._known[base].place)

    def _move_cube(self, name: str, place: Pose2D) -> None:
        number = next(cube.factory_id for cube in self.cubes if NAMES[cube.kind] == name)
        self.places[number] = place

    async def go_home(self) -> None:
        """See ``Body``."""
        here = self.felt.pose
        try:
            way = math.hypot(here.x - CHARGER.x, here.y - CHARGER.y)
            await self._move("go_home", 15.0 + way / _SPEED)
            if self._rng.random() < _FAILS:
                raise RobotError(Reason.NOT_FOUND, "the charger is not where it was")
        except RobotError:
            self.homecomings.append((self.now, False))
            raise
        self.homecomings.append((self.now, True))
        self.feel(is_on_charger=True, is_charging=True, pose=CHARGER)
        self.happen(RobotEventType.PLACED_ON_CHARGER)


def _map_of_table() -> SeenMap:
    """Return the map of the table: free, with edges around, nothing known beyond."""
    origin = (-HALF[0] - _CELL, -HALF[1] - _CELL)
    width, rows = (round(2 * half / _CELL) + 2 for half in HALF)
    cells = [
        90 if row in (0, rows - 1) or column in (0, width - 1) else 0
        for row in range(rows)
        for column in range(width)
    ]
    return SeenMap(origin, _CELL, width, cells)
