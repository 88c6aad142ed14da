"""What stands where: objects, how well their places are known, and what changes that (spec 15 §3).

Give it the robot's states, what was seen in images, and what the cubes' radio reports, each with
its time; an image is placed with the state of its own time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from operator import attrgetter

import numpy as np

from ..detection.camera import Camera
from .averaging import CornerAverager
from .camera_tracker import CameraTracker
from .facing import FacingTracker
from .frames import Matrix, angle_between, inverse, squared
from .localizing import RESTING_FLAT, CubeLocalizer, correction, has_stayed, lies_alike, shift_of
from .objects import (
    DOCKED,
    DRAWN,
    TAP_SETTLES,
    Candidate,
    Kind,
    LocatedObject,
    ObjectModel,
    PoseState,
    Print,
    TrackedObject,
    charger_model,
    cube_model,
    detection_error,
)
from .placing import MarkerObservation, Placement, places
from .pose_history import SETTLING, ImageGate, PoseHistory, StampedState
from .stacks import base_of, rests, robot_overlaps, stacked_on
from .visibility import should_be_seen

KNOWN_WITHIN = 0.250
"""m; what is farther away is not seen well enough to be KNOWN."""
VISIBLE_FOR = 0.4
"""s after the last sighting."""
_MISSES, _HIDDEN = 2, 6.0
"""Images in a row without an object after which it is gone; and s without a cube whose radio is
silent, or with it elsewhere. What hides it is something nobody knows of, as a hand; but moves can
be missed, too: those before it was linked or lit, and what its radio lost. The time is a guess."""
_CORRECTED, _CORRECTED_ANGLE = 0.005, math.radians(5.0)
"""m; a lower cube that is seen elsewhere by more makes what stands on it DIRTY."""
_MISSING_RATE = math.radians(10.0)
_ELSEWHERE, _PUSHED = 6, 3
"""Sightings in a row that move a charger, and a cube seen while the robot drives."""
_DOCKED_WITHIN = 0.002
"""m; how well the contacts tell where the charger is."""
_NAME = attrgetter("name")


class WorldModel:
    """Knows cubes 1 to 3, the charger, and the objects that are defined."""

    def __init__(self, settling: float = SETTLING, localizes: bool = False) -> None:
        """``settling``: s at a stream's start that are not looked at; ``localizes``: on cubes."""
        self.intrinsics = Camera()
        self.history = PoseHistory()
        self.gate = ImageGate(self.history, settling)
        self.localizer = CubeLocalizer() if localizes else None
        self.camera = CameraTracker()
        """Where the camera is and looks, and how well that is known."""
        self._facing = FacingTracker()
        self._lag = 0.0
        """s by which the last image was older than the robot's last state."""
        self._averager = CornerAverager()
        self.rejected: Counter[str] = Counter()
        """Sightings that made no sense, by object."""
        self.doubled: Counter[str] = Counter()
        """Images in which it was in two places, by object."""
        self.on_state: Callable[[str, PoseState, PoseState], None] = lambda *_: None
        """Called with an object's name, its state before and its state now."""
        models = (*(cube_model(number) for number in (1, 2, 3)), charger_model())
        self._objects = {model.name: TrackedObject(model) for model in models}
        self._fixed = frozenset(self._objects)

    # -- what is known

    def objects(self, now: float) -> list[LocatedObject]:
        """Return every object, also those whose place is UNKNOWN."""
        return [self._view(thing, now) for thing in self._objects.values()]

    def object(self, name: str, now: float) -> LocatedObject:
        """Return one object. Raises ``KeyError`` for one that is not defined."""
        return self._view(self._objects[name], now)

    def define(self, model: ObjectModel) -> None:
        """Add an object of the user, or replace one. Raises ``ValueError`` for taken names."""
        if model.name in self._fixed:
            raise ValueError(f"{model.name} is the name of a known object: choose another one")
        self._objects[model.name] = TrackedObject(model)

    def undefine(self, name: str) -> None:
        """Forget an object of the user altogether. Raises ``KeyError``."""
        self.forget(name)
        del self._objects[name]

    def forget(self, name: str | None = None) -> None:
        """Forget where an object is, or all are. Raises ``KeyError`` for a name not defined."""
        for thing in [self._objects[name]] if name else self._objects.values():
            thing.candidate, thing.is_carried = None, False
            self._set_state(thing, PoseState.UNKNOWN)

    def expect(self, name: str, pose: Matrix) -> None:
        """Take an object that is not located to be where a map has it, in odom: DIRTY."""
        thing, robot = self._objects[name], self.history.last
        if robot is not None and not thing.is_located(robot.origin):
            thing.expect(pose, robot.origin)
            self._set_state(thing, PoseState.DIRTY)

    # -- the robot

    def on_robot(self, robot: StampedState) -> None:
        """Remember a state of the robot; carried cubes, the charger under it follow."""
        before, restarts = self.history.last, self.history.restarts
        robot = self.camera.on_robot(robot)
        if not self.history.add(robot):
            return
        self._facing.on_robot(robot)
        if self.history.restarts > restarts:
            self._on_restart()
        if before is not None and before.origin != robot.origin:
            self._on_delocalized(robot)
        for thing in self._objects.values():
            if before is not None:
                thing.drift(before, robot)
            if thing.is_carried:
                thing.pose = thing.carried_pose(robot)
        if robot.is_on_charger and not robot.is_moving:
            self._on_docked(robot)
        elif robot.is_moving:
            self._check_overlap(robot)

    def on_picked_up(self, name: str) -> None:
        """Let a cube be carried: its place is that of the lift."""
        thing, robot = self._objects[name], self.history.last
        if robot is None:
            return
        turn = np.eye(3)
        if thing.pose is not None:
            turn = squared(robot.base[:3, :3].T @ thing.pose[:3, :3])
        thing.is_carried, thing.carried_turn = True, turn
        thing.candidate, thing.origin = None, robot.origin
        thing.pose = thing.carried_pose(robot)
        self._set_state(thing, PoseState.KNOWN)

    def on_put_down(self, name: str) -> None:
        """Leave a carried cube where it is, DIRTY; where it would hang in the air, UNKNOWN."""
        thing = self._objects[name]
        if thing.is_carried:
            thing.is_carried = False
            is_resting = rests(thing, self._objects.values())
            self._set_state(thing, PoseState.DIRTY if is_resting else PoseState.UNKNOWN)

    # -- the cubes' radio

    def on_connection(
        self, name: str, slot: int | None, up: str = "", prints: Mapping[str, Print] = DRAWN
    ) -> None:
        """Remember a cube's slot, None without a link, which side is ``up``, and its ``prints``."""
        self._objects[name].link(slot, up, prints)

    def on_moved(self, name: str, stamp: float) -> None:
        thing = self._objects[name]
        if stamp - thing.tapped_at < TAP_SETTLES:
            return
        thing.is_moving, thing.moved_at = True, stamp
        if thing.state is PoseState.KNOWN and not thing.is_carried:
            self._set_state(thing, PoseState.DIRTY)

    def on_stopped(self, name: str, stamp: float) -> None:
        thing = self._objects[name]
        thing.is_moving, thing.moved_at = False, stamp

    def on_tapped(self, name: str, stamp: float) -> None:
        self._objects[name].tapped_at = stamp

    # -- images

    def on_markers(self, robot: StampedState, markers: Iterable[MarkerObservation]) -> None:
        """Take over all that was seen in an image which the gate has admitted."""
        seen: list[TrackedObject] = []
        self._lag = 0.0 if self.history.last is None else self.history.last.stamp - robot.stamp
        ours = self._averager.averaged((m for m in markers if m.name in self._objects), robot)
        for name, observations in groupby(sorted(ours, key=_NAME), key=_NAME):
            thing = self._objects[name]
            found = places(thing.model, list(observations), robot.camera, thing.pose, thing.side_up)
            if not found:
                self.rejected[thing.name] += 1
                continue
            seen.append(thing)
            if len(found) > 1:
                # Which one it is nobody can tell, unless one is where it was.
                self.doubled[thing.name] += 1
                found = [one for one in found if thing.is_at(one.pose, robot.origin)]
                if len(found) != 1:
                    continue
            placement = found[0]
            if thing.model.is_upright:
                placement = self._facing.turned(placement, robot)
            self.camera.learn(thing, placement, robot)
            self._on_sighting(thing, self.camera.settled(thing, placement), robot)
        self._check_missing(seen, robot)

    def _on_sighting(self, thing: TrackedObject, seen: Placement, robot: StampedState) -> None:
        """Believe what is seen where it is expected; elsewhere it must be seen twice."""
        thing.last_seen, thing.seen_from, thing.misses = robot.stamp, robot, 0
        # An image that was taken before a cube stopped may be searched after that was reported.
        has_stopped = not thing.is_moving and robot.stamp >= thing.moved_at
        is_standing = robot.is_on_treads and not robot.is_moving and has_stopped
        is_near, was_known = seen.distance <= KNOWN_WITHIN, thing.state is PoseState.KNOWN
        is_charger = thing.model.kind is Kind.CHARGER
        is_better = was_known and not is_charger and thing.has_drifted(seen.distance, robot.origin)
        is_sure = is_standing and (is_near or is_better)
        # What the charger's pose is averaged from weighs by its distance.
        averages = is_charger and not robot.is_moving
        is_known = is_sure or (averages and was_known)
        state = PoseState.KNOWN if is_known else PoseState.DIRTY
        is_beside = was_known and not is_known and thing.is_beside(seen.pose, seen.distance)
        if thing.is_at(seen.pose, robot.origin) and (thing.is_watched or not is_beside):
            thing.candidate = None
            if not thing.is_carried and (is_known or not was_known):
                self._locate(thing, seen, robot, state)
            return
        candidate = thing.candidate
        if candidate is not None and thing.model.is_same_pose(candidate.pose, seen.pose):
            candidate.count += 1
        else:
            candidate = thing.candidate = Candidate(seen.pose, robot.stamp)
        # A radio would have told a move; what is seen for long counts for more.
        is_told = thing.is_watched and robot.stamp - candidate.since < _HIDDEN
        # What is seen from afar or while driving moves nothing KNOWN but a cube that the lift lost
        # or that was pushed, and a charger that is elsewhere again and again: the treads slipped.
        is_held_back = (
            not (is_sure or (averages and candidate.count >= _ELSEWHERE))
            and not (is_beside and candidate.count >= _PUSHED and not is_told)
            and was_known
            and thing.origin == robot.origin
            and not thing.is_carried
        )
        if candidate.count >= 2 and not is_held_back:
            was_carried = thing.is_carried
            thing.candidate, thing.is_carried, thing.deviation = None, False, math.inf
            self._locate(thing, seen, robot, PoseState.DIRTY if was_carried else state)

    def _locate(
        self, thing: TrackedObject, seen: Placement, robot: StampedState, state: PoseState
    ) -> None:
        """Put an object where it was seen, with what stands on it."""
        before = thing.pose if thing.state is not PoseState.UNKNOWN else None
        origin = thing.origin
        change = self._localize(thing, seen, robot, state)
        if change is not None:
            self._bring_along(thing, change, robot)
        elif before is not None and origin == robot.origin:
            self._carry_along(thing, before, seen.pose, robot)
        if thing.model.kind is Kind.CHARGER and origin == robot.origin:
            thing.pose = thing.average(seen.pose, seen.distance)
        else:
            thing.pose, thing.deviation = seen.pose, detection_error(seen.distance)
        thing.origin = robot.origin
        self._set_state(thing, state)

    def _localize(
        self, thing: TrackedObject, seen: Placement, robot: StampedState, state: PoseState
    ) -> Matrix | None:
        """Correct odom by a cube that stays; return what the places of others in odom change by.

        So it does for those of the old origin after the robot was carried.
        """
        if state is not PoseState.KNOWN or seen.distance > KNOWN_WITHIN:
            return None
        is_usable = has_stayed(thing, seen, robot.stamp)
        if is_usable and seen.tilt > RESTING_FLAT:
            return None
        thing.is_watched = thing.slot is not None
        if self.localizer is not None:
            before = self.localizer.map_from_odom
            if self.localizer.on_cube(thing.name, seen.pose, robot, is_usable):
                return shift_of(before, self.localizer.map_from_odom)
        is_found_again = thing.origin != robot.origin and is_usable
        return correction(seen.pose, thing.place) if is_found_again else None

    def _bring_along(self, thing: TrackedObject, change: Matrix, robot: StampedState) -> None:
        """Change the places of the others by as much; those of another origin are DIRTY there."""
        for other in self._objects.values():
            if other is thing or other.origin != thing.origin or other.is_carried:
                continue
            other.pose = None if other.pose is None else change @ other.pose
            if thing.origin != robot.origin:
                other.origin, other.deviation = robot.origin, math.inf
                if other.state is PoseState.KNOWN:
                    self._set_state(other, PoseState.DIRTY)

    def _carry_along(
        self, lower: TrackedObject, before: Matrix, after: Matrix, robot: StampedState
    ) -> None:
        change = after @ inverse(before)
        apart = float(np.linalg.norm(after[:3, 3] - before[:3, 3]))
        is_small = apart < _CORRECTED and angle_between(before, after) < _CORRECTED_ANGLE
        for upper in stacked_on(lower, self._objects.values()):
            if upper.last_seen >= robot.stamp:
                continue
            if not lies_alike(before, after):
                self._set_state(upper, PoseState.UNKNOWN)
                continue
            upper.pose = change @ upper.place
            if not is_small:
                self._set_state(upper, PoseState.DIRTY)

    def _check_missing(self, seen: list[TrackedObject], robot: StampedState) -> None:
        """Count objects that should have been in an image; after some they are gone."""
        rates = robot.yaw_rate or 0.0, robot.head_rate or 0.0
        if robot.is_moving or max(map(abs, rates)) > _MISSING_RATE:
            return
        for thing in self._objects.values():
            if thing in seen or thing.is_carried or not thing.is_located(robot.origin):
                continue
            # Also what is too near, or turned too far, to be seen itself hides what is behind it.
            others = [
                other
                for other in self._objects.values()
                if other is not thing
                and (other.misses == 0 or other.has_not_moved)
                and not other.is_carried
                and other.is_located(robot.origin)
            ]
            doubt = self.camera.doubt(thing, robot)
            if not should_be_seen(thing, robot, self.intrinsics, others, doubt):
                thing.misses = 0
                continue
            if not thing.misses:
                thing.missed_since = robot.stamp
            thing.misses += 1
            is_hidden = thing.has_not_moved and robot.stamp - thing.missed_since < _HIDDEN
            if thing.misses >= _MISSES and not is_hidden:
                self._set_state(thing, PoseState.UNKNOWN)

    # -- consequences

    def _set_state(self, thing: TrackedObject, state: PoseState) -> None:
        """Change an object's state; what stands on it follows it down."""
        before = thing.state
        goes_down = state is not PoseState.KNOWN and before is not PoseState.UNKNOWN
        stacked = stacked_on(thing, self._objects.values()) if goes_down else []
        thing.state = state
        if state is PoseState.UNKNOWN:
            thing.misses, thing.deviation = 0, math.inf
            if self.localizer is not None:
                self.localizer.forget(thing.name)
        if before is not state:
            self.on_state(thing.name, before, state)
        for upper in stacked:
            if state is PoseState.UNKNOWN or upper.state is PoseState.KNOWN:
                self._set_state(upper, state)

    def _check_overlap(self, robot: StampedState) -> None:
        """Doubt cubes that would be where the robot is, unless the last images show them."""
        for thing in self._objects.values():
            is_free = thing.model.kind is not Kind.CHARGER and not thing.is_carried
            is_unseen = robot.stamp - self._lag - thing.last_seen > VISIBLE_FOR
            is_known = thing.state is PoseState.KNOWN and thing.origin == robot.origin
            if is_free and is_unseen and is_known and robot_overlaps(thing, robot):
                self._set_state(thing, PoseState.DIRTY)

    def _on_docked(self, robot: StampedState) -> None:
        charger = self._objects["charger"]
        charger.pose, charger.origin = robot.base @ inverse(DOCKED), robot.origin
        charger.candidate, charger.deviation = None, _DOCKED_WITHIN
        self._set_state(charger, PoseState.KNOWN)

    def _on_restart(self) -> None:
        """Forget what was seen before the clock jumped back, as when a recording begins again."""
        self.forget()
        for thing in self._objects.values():
            thing.last_seen = thing.moved_at = thing.tapped_at = -math.inf

    def _on_delocalized(self, robot: StampedState) -> None:
        """Begin anew elsewhere: objects stay in the old origin, but for what is carried."""
        for thing in self._objects.values():
            thing.candidate, thing.misses = None, 0
            if thing.is_carried:
                thing.origin = robot.origin

    def _view(self, thing: TrackedObject, now: float) -> LocatedObject:
        last = self.history.last
        is_here = thing.is_located(last.origin if last else thing.origin)
        base = base_of(thing, self._objects.values()) if is_here else None
        is_visible = is_here and 0.0 <= now - thing.last_seen <= VISIBLE_FOR
        return thing.view(is_here, is_visible, base.name if base else None)
