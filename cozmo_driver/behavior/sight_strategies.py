"""When what is seen wants a reaction (spec 12 §4, 17 §2). m, rad, s."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..robot import CubeEvent, Pose2D
from ..robot import CubeEventType as Cube
from .body import Event
from .reaction_map import MappedReaction
from .reaction_strategies import MOVING_LONG_ENOUGH, Candidate, Facts, Strategy
from .sight import NAMES, SeenFace, SeenObject, Sense

FACE_ASIDE, FACE_AWAY = 0.3, 0.4
"""m that a face moved across the line of sight, and along it, where its place is seen worse."""
BACK_AGAIN = 60.0
"""s out of sight after which a face is news again (spec 17 §0)."""
OBJECT_MOVED, OBJECT_TURNED = 0.080, math.radians(45.0)
_NEW = 1.0
"""s that a sighting is news."""
_PET_SIGHTINGS, _PET_AGAIN = 3, 60.0
_CUBE_NEAR = 0.050
"""m from the robot's turning point: nearer it is the robot that pushes."""
_VIEW = math.radians(45.0)
"""To both sides together: what moves there is seen, not wondered about."""


class FaceMoved(Strategy):
    """Wants a reaction to a face that is new, back again, or moved since the last reaction."""

    def __init__(self, entries: Sequence[MappedReaction]) -> None:
        super().__init__("a face that is new or has moved")
        self._entry = entries[0]
        self._answered: dict[int, SeenFace] = {}
        self._seen_at: dict[int, float] = {}
        self._fresh: list[SeenFace] = []

    def check(self, facts: Facts) -> Candidate | str | None:
        gone_since = facts.now - BACK_AGAIN - _NEW
        for gone in [one for one, at in self._seen_at.items() if at < gone_since]:
            del self._seen_at[gone]
            self._answered.pop(gone, None)
        self._fresh = [one for one in facts.sight.faces if facts.now - one.seen_at <= _NEW]
        for face in self._fresh:
            if face.id < 0 and face.id not in self._seen_at:
                self._succeed(face, facts)
            if face.seen_at - self._seen_at.get(face.id, -math.inf) > BACK_AGAIN:
                self._answered.pop(face.id, None)
            self._seen_at[face.id] = face.seen_at
        for face in self._fresh:
            before = self._answered.get(face.id)
            if before is None or _has_moved(before, face, facts.pose):
                return Candidate(f"it sees {face.name or 'somebody'}", self._entry)
        return super().check(facts)

    def _succeed(self, face: SeenFace, facts: Facts) -> None:
        """Take an unrecognised face where one was for that one: only its track is new."""
        for one, before in list(self._answered.items()):
            is_gone = facts.now - self._seen_at.get(one, -math.inf) > _NEW
            if one < 0 and is_gone and not _has_moved(before, face, facts.pose):
                self._answered[face.id] = self._answered.pop(one)
                self._seen_at[face.id] = self._seen_at.pop(one, -math.inf)
                return

    def ended(self, now: float) -> None:
        self.clear()

    def clear(self) -> None:
        """Let what is in sight be no news any more."""
        self._answered.update((face.id, face) for face in self._fresh)


def _has_moved(before: SeenFace, face: SeenFace, here: Pose2D) -> bool:
    line = math.atan2(face.y - here.y, face.x - here.x)
    x, y = face.x - before.x, face.y - before.y
    along = abs(x * math.cos(line) + y * math.sin(line))
    across = math.hypot(y * math.cos(line) - x * math.sin(line), face.z - before.z)
    return across > FACE_ASIDE or along > FACE_AWAY


class ObjectMoved(Strategy):
    """Wants a reaction to a cube that is new, or elsewhere since the last reaction."""

    def __init__(self, entries: Sequence[MappedReaction]) -> None:
        super().__init__("a cube that is new or has moved")
        self._entry = entries[0]
        self._known: dict[str, SeenObject] = {}
        self._facts: Facts | None = None

    def check(self, facts: Facts) -> Candidate | str | None:
        self._facts = facts
        for seen in facts.sight.cubes:
            if seen.is_visible and seen.is_sure and self._is_news(seen):
                return Candidate(f"it sees {seen.name}", self._entry)
        return super().check(facts)

    def ended(self, now: float) -> None:
        self.clear()

    def clear(self) -> None:
        """Let what is known now be no news: it was reacted to, or the robot itself moved it."""
        if self._facts is not None:
            self._known.update((one.name, one) for one in self._facts.sight.objects.values())

    def _is_news(self, seen: SeenObject) -> bool:
        before = self._known.get(seen.name)
        if before is None:
            return True
        away = math.hypot(seen.place.x - before.place.x, seen.place.y - before.place.y)
        # A quarter turn of a cube looks like none.
        turn = abs(math.remainder(seen.place.yaw - before.place.yaw, math.pi / 2))
        is_elsewhere = math.hypot(away, seen.height - before.height) > OBJECT_MOVED
        return is_elsewhere or turn > OBJECT_TURNED or seen.is_upright is not before.is_upright


class PetSeen(Strategy):
    """Wants a reaction to a cat or a dog that is seen for the first time, or again."""

    def __init__(self, entries: Sequence[MappedReaction]) -> None:
        super().__init__("a cat or a dog")
        self._entry = entries[0]
        self._met: dict[int, float] = {}
        self._wanted: int | None = None

    def check(self, facts: Facts) -> Candidate | str | None:
        for pet in facts.sight.pets:
            is_again = facts.now - self._met.get(pet.id, -math.inf) > _PET_AGAIN
            if pet.sightings >= _PET_SIGHTINGS and is_again and facts.now - pet.seen_at <= _NEW:
                self._wanted = pet.id
                return Candidate(f"it sees a {pet.kind}", self._entry)
        return super().check(facts)

    def on_fired(self, now: float) -> None:
        if self._wanted is not None:
            self._met = {pet: at for pet, at in self._met.items() if now - at <= _PET_AGAIN}
            self._met[self._wanted] = now


class CubeMotion(Strategy):
    """Wants a reaction when a cube was moved for some time, or turned over, out of its sight.

    Where nobody looks for cubes, when any cube was moved.
    """

    def __init__(self, entries: Sequence[MappedReaction]) -> None:
        super().__init__()
        self._entry = entries[0]
        self._moving: dict[int, tuple[float, CubeEvent]] = {}
        self._turned: dict[int, tuple[float, CubeEvent]] = {}

    def on_event(self, event: Event, now: float) -> None:
        if not isinstance(event, CubeEvent):
            return
        cube, kind = event.cube.factory_id, event.type
        if kind is Cube.MOVED:
            self._moving.setdefault(cube, (now, event))
        elif kind in (Cube.STOPPED, Cube.DISCONNECTED):
            self._moving.pop(cube, None)
        if kind is Cube.UP_AXIS_CHANGED:
            self._turned[cube] = (now, event)

    def check(self, facts: Facts) -> Candidate | str | None:
        has_eyes = Sense.OBJECTS in facts.sight.looks_for
        for turned_at, event in self._turned.values():
            is_news = facts.now - turned_at <= MOVING_LONG_ENOUGH
            if is_news and has_eyes and self._is_out_of_sight(event, facts):
                return Candidate(event.text, self._entry)
        unseen = [one for one in self._moving.values() if self._is_out_of_sight(one[1], facts)]
        if not unseen:
            return None
        since, event = min(unseen, key=lambda one: one[0])
        left = since + MOVING_LONG_ENOUGH - facts.now
        if left > 0:
            return f"the cube to move for {left:.1f} s more"
        return Candidate(event.text, self._entry)

    def clear(self) -> None:
        self._moving.clear()
        self._turned.clear()

    def _is_out_of_sight(self, event: CubeEvent, facts: Facts) -> bool:
        if Sense.OBJECTS not in facts.sight.looks_for:
            return True
        seen = facts.sight.objects.get(NAMES.get(event.cube.kind, ""))
        if seen is None or seen.is_carried or seen.is_visible:
            return False
        there = facts.pose.inverse().compose(seen.place)
        is_in_view = abs(math.atan2(there.y, there.x)) < _VIEW / 2
        return math.hypot(there.x, there.y) > _CUBE_NEAR and not is_in_view
