"""Where the robot is on the map, from odometry and sightings of landmarks, whenever they come.

Pure: no clock, no pixels, no ROS. Odometry carries the pose on; ``odom`` itself never jumps.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ..perception import AS_DRAWN, DOCKED, HISTORY, Drop, Matrix, Mount, PoseHistory, StampedState
from .album import Album
from .docking import Contacts, bind_to_charger, is_charger_elsewhere
from .estimate import OF_DROP, Doubt, Estimate, Rejection, Report, Settings, Status, checked_pose
from .hypotheses import Hypotheses
from .map_filter import Fit, MapFilter
from .mapping import Mapping
from .motion import Priors
from .noise import NoiseFactors
from .sightings import Sighting
from .smoothing import SmoothCorrection
from .tag_map import CHARGER, TagMap
from .timeline import HORIZON, KEPT, Timeline, is_inside
from .trust import Trust
from .views import APART, APART_SEARCHING, Views

_DRIVEN_EVERY = 0.2
"""s of odometry that poses which are possible follow at once."""


class Localizer:
    """Give it every state of the robot, and what each image shows."""

    def __init__(self, tag_map: TagMap | None = None, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.rejected: Counter[Rejection] = Counter(dict.fromkeys(Rejection, 0))
        self.used = 0
        """Sightings that corrected the pose or the map."""
        self._history = PoseHistory(KEPT)
        self._smooth = SmoothCorrection()
        self._mount: Mount | None = None
        """What was measured of the camera; else it begins with what the first state says."""
        self._map = tag_map or TagMap()
        self._mapping = Mapping(self._map)
        self._trust = Trust(self._map.tags)
        self._timeline = Timeline(self._history, self._new_filter(None))
        self._search: Hypotheses | None = None
        """While the pose is not known, and landmarks were seen."""
        self._is_known = False
        self._searched_to = self._seen_at = -math.inf
        self._views = Views()
        self._contacts = Contacts()
        self._noise = NoiseFactors()

    @property
    def _filter(self) -> MapFilter:
        return self._timeline.filter

    # -- what is known

    @property
    def status(self) -> Status:
        return self.estimate.status

    @property
    def reports(self) -> Sequence[Report]:
        """Landmarks that are not believed, and why."""
        return self._trust.reports

    @property
    def estimate(self) -> Estimate:
        """Return the pose as of the last state of odometry."""
        last = self._history.last
        stamp = last.stamp if last else math.nan
        if not self._is_known or last is None:
            is_searching = self._search is not None and bool(self._search.known)
            return Estimate(stamp, Status.AMBIGUOUS if is_searching else Status.UNKNOWN)
        return Estimate.of(stamp, self._timeline.place, self._timeline.covariance, self._seen_at)

    @property
    def map_from_odom(self) -> Matrix | None:
        """Return the pose of odom on the map, 4x4: smooth in time, but after the pose was lost.

        None until it was known once; then the last one while it is not known.
        """
        return self._smooth.matrix

    @property
    def tag_map(self) -> TagMap:
        """Return the map as it is known now, in the frame that the localizer works in."""
        return self._mapping.tag_map(self._filter)

    def learn(self) -> None:
        """Place tags that are not on the map from now on, for ``learnt_map``."""
        self.settings = replace(self.settings, maps=True)
        self._mapping = Mapping(self.tag_map, Album())

    def learnt_map(self, origin: str = "") -> TagMap:
        """Return what fits best to all that was seen since ``learn``; it takes some seconds.

        Without landmarks that hang twice. ``origin``: the one at the map's origin, looking along x.
        Raises ``KeyError`` for none.
        """
        base, doubted = self._new_filter(self._history.last), frozenset(self._trust.banned)
        return self._mapping.learnt(base, self._filter, origin, doubted)

    @property
    def sizes(self) -> dict[str, float]:
        """Return the sizes of what is on the map, m; the charger's is 0."""
        return {name: self._mapping.sizes.get(name, 0.0) for name in self._filter.names}

    # -- inputs

    def set_map(self, tag_map: TagMap, is_same_frame: bool = False) -> None:
        """Know another map from now on; where the robot is must be found anew.

        ``is_same_frame``: it is in the frame of the one before, so that a pose stays known.
        """
        self._map, self._mapping, self._trust = tag_map, Mapping(tag_map), Trust(tag_map.tags)
        made = self._new_filter(self._history.last)
        made.copy_calibration(self._filter)
        stays_known = is_same_frame and self._is_known
        if stays_known:
            made.copy_pose(self._filter)
        self._timeline.restart(made)
        if stays_known:
            self._reset_memory()
        else:
            self._lose(None)

    def calibrate(
        self, mount: Mount, deviations: tuple[float, float, float], priors: Priors
    ) -> None:
        """Begin with what was measured of the robot: how its camera is turned, and how well.

        Once landmarks were used it changes nothing: they tell more.
        """
        begun = self._mount, self.settings.mount_deviations, self.settings.priors
        # What is known of pose and scales together would be forgotten with each state.
        if self.used or (mount, deviations, priors) == begun:
            return
        self.settings = replace(self.settings, priors=priors, mount_deviations=deviations)
        self._mount = mount
        angles = np.array([mount.pitch, mount.roll, mount.yaw])
        self._filter.set_calibration(priors, angles, deviations)
        self._timeline.restart(self._filter)

    def set_pose(self, stamp: float, place: tuple[float, float, float], covariance: Matrix) -> None:
        """Take where somebody says that the robot was at a time: x, y, yaw; covariance 3x3.

        Raises ``ValueError`` for what is no pose, or is of a time that is not remembered.
        """
        values, spread = checked_pose(place, covariance)
        state = self._history.at(stamp)
        if isinstance(state, Drop):
            raise ValueError(f"the pose's time is {state.value}")
        self._filter.stamp = stamp
        # Of no pose that somebody points at is more known than a millimetre.
        self._filter.set_pose(values, spread + np.diag([1e-6, 1e-6, 1e-6]))
        self._on_found(self._filter)

    def on_landmark_moved(self, name: str) -> None:
        """Forget where a landmark is, as a cube that was picked up."""
        if name in self._filter.places:
            self._filter.remove(name)
            self._mapping.forget(name)
            self._timeline.seal()
            if self._search is not None:
                self._search.forget(name)

    def on_odometry(self, state: StampedState) -> None:
        """Take a state; of those of ``perception``, with origin, tilt and mount."""
        numbers = (state.x, state.y, state.yaw, state.head, state.tilt)
        before, restarts = self._history.last, self._history.restarts
        if not all(map(math.isfinite, numbers)) or not self._history.add(state):
            return
        if self._history.restarts > restarts:
            self._on_clock_step(state)
        if before is None:
            self._on_first(state)
        elif before.origin != state.origin:
            if before.origin_id != state.origin_id:
                self._filter.doubt_mount()
            self._lose(None)
        elif self._is_known:
            self._timeline.on_state(before, state)
        elif self._search is not None and state.stamp - self._searched_to > HORIZON + _DRIVEN_EVERY:
            # Odometry is soon forgotten; what is possible must not be.
            self._searched_to = state.stamp - HORIZON
            self._search.drive(self._history, self._searched_to)
        self._on_contacts(state)
        self._smooth.update(state, self.estimate)
        self._mapping.on_state(state)

    def on_sightings(self, stamp: float, sightings: Iterable[Sighting]) -> int:
        """Take what an image shows, in any order of time; return how many were used."""
        last = self._history.last
        kept = self._trust.usable(last.stamp if last else 0.0, list(sightings), self.rejected)
        is_late = last is not None and stamp < last.stamp - HISTORY
        state = Drop.STALE if is_late else self._history.at(stamp)
        if isinstance(state, Drop):
            return self._reject(OF_DROP[state], len(kept))
        if not state.is_on_treads or last is None or not last.is_on_treads:
            return self._reject(Rejection.OFF_TREADS, len(kept))
        if not kept:
            return 0
        if not self._is_known:
            return self._look_for_pose(state, kept)
        return self._track(state, kept)

    def _on_contacts(self, state: StampedState) -> None:
        """Take what the charger's contacts tell, once for each time that the robot stands there."""
        if not self._contacts.have_docked(state):
            return
        is_mapped = CHARGER in self._filter.places
        if not is_mapped and not (self._is_known and self.settings.maps):
            return
        is_tracking = self.status is Status.TRACKING
        self._timeline.go_to(state.stamp)
        if is_mapped and is_tracking and is_charger_elsewhere(self._filter):
            self._trust.report(state.stamp, CHARGER, Doubt.MOVED)
            self.on_landmark_moved(CHARGER)
            if not self.settings.maps:
                self._timeline.restart(self._filter)
                return
        if CHARGER not in self._filter.places:
            self._mapping.add_charger(self._filter, DOCKED)
        is_found = bind_to_charger(self._filter, self._is_known)
        self._mapping.on_docked(self._filter, state)
        self._filter.stamp = self._seen_at = state.stamp
        if is_found:
            self._on_found(self._filter)
        else:
            self._timeline.restart(self._filter)

    # -- while the pose is known

    def _track(self, state: StampedState, sightings: Sequence[Sighting]) -> int:
        later = self._timeline.go_to(state.stamp)
        mapped = [one for one in sightings if one.name in self._filter.places]
        accepted, rejected = self._sort(mapped, state)
        is_lost = self._trust.on_image(
            state.stamp, {fit.sighting.name for fit in accepted}, rejected
        )
        if is_lost:
            self._trust.on_contradiction(state.stamp)
            self._lose(self._filter)
            return self._look_for_pose(state, sightings)
        for name in self._trust.moved(state.stamp):
            self.on_landmark_moved(name)
        fresh = self._views.fresh([fit.sighting for fit in accepted], state, APART)
        self._reject(Rejection.SAME_VIEW, len(accepted) - len(fresh))
        if fresh:
            largest = max(fresh, key=lambda one: one.pixels).name
            self._learn_noise(next(fit for fit in accepted if fit.sighting.name == largest))
        self._timeline.update(fresh, state, self._noise.sightings)
        self._mapping.on_image(self._filter, sightings, state, rejected)
        if accepted:
            self._seen_at = max(self._seen_at, state.stamp)
        used = len(fresh) + self._map_new(state, [one for one in sightings if one not in mapped])
        self.used += used
        self._timeline.remember(state, fresh, self._noise.sightings, later)
        if (last := self._history.last) is not None:
            self._smooth.update(last, self.estimate)
        return used

    def _sort(
        self, mapped: Sequence[Sighting], state: StampedState
    ) -> tuple[list[Fit], dict[str, Fit | None]]:
        """Return what fits, and what does not, None for what cannot be there."""
        accepted, rejected = [], dict[str, Fit | None]()
        for one in mapped:
            fit = self._filter.fit(one, state, self._noise.sightings)
            if is_inside(fit):
                accepted.append(fit)
            else:
                self._reject(Rejection.INNOVATION, 1)
                rejected[one.name] = fit
        return accepted, rejected

    def _learn_noise(self, fit: Fit) -> None:
        slopes, noise, known = fit.prediction.by_robot, self._noise, self._filter
        parts = slopes @ known.leg @ slopes.T, noise.sightings * fit.prediction.noise
        noise.learn(fit.prediction.residual, parts, fit.covariance, fit.sighting.noise > 1.0)
        known.odometry_factor = noise.odometry

    def _map_new(self, state: StampedState, unmapped: Sequence[Sighting]) -> int:
        if not self.settings.maps:
            return self._reject(Rejection.UNMAPPED, len(unmapped))
        placed = 0
        for one in unmapped:
            if one.name in self._trust.banned:
                self._reject(Rejection.DISTRUSTED, 1)
            elif self._mapping.add(self._filter, one, state):
                placed += 1
                self._filter.keep([one], state, self._noise.sightings)
                self._timeline.seal()
            else:
                self._reject(Rejection.UNDECIDED, 1)
        return placed

    # -- lost and found

    def _look_for_pose(self, state: StampedState, sightings: Sequence[Sighting]) -> int:
        known = [one for one in sightings if one.name in self._filter.places]
        self._reject(Rejection.UNMAPPED, len(sightings) - len(known))
        if not known:
            return 0
        if self._search is None:
            self._search = Hypotheses(self._filter)
        if state.stamp < self._searched_to:
            return self._reject(Rejection.SEARCHING, len(known))
        self._search.drive(self._history, state.stamp)
        self._searched_to = state.stamp
        # A view that was used before makes no hypothesis surer, and costs the most time.
        fresh = self._views.fresh(known, state, APART_SEARCHING)
        self._reject(Rejection.SAME_VIEW, len(known) - len(fresh))
        if not fresh:
            return 0
        self._search.take(fresh, state)
        found = self._search.decided()
        if found is not None:
            found.stamp = state.stamp
            self._seen_at = state.stamp
            self._on_found(found)
        self.used += len(fresh)
        return len(fresh)

    def _lose(self, held: MapFilter | None) -> None:
        """Know no longer where the robot is; ``held`` may be right nevertheless."""
        last = self._history.last
        self._search, self._searched_to = None, -math.inf
        if held is not None:
            self._search = Hypotheses(self._filter, held)
            self._searched_to = held.stamp
        else:
            # Contacts that the robot stands on tell again where it is.
            self._contacts = Contacts()
        self._is_known = False
        self._reset_memory()
        self._smooth.lose()
        if last is not None and held is None:
            self._filter.stamp = last.stamp
            self._start_at_origin(last)

    def _on_found(self, found: MapFilter) -> None:
        self._search, self._is_known = None, True
        self._noise = NoiseFactors()
        found.odometry_factor = self._noise.odometry
        self._timeline.restart(found)
        self._reset_memory()
        if (last := self._history.last) is not None:
            self._smooth.jump(last, self._timeline.place)

    def _reset_memory(self) -> None:
        self._timeline.seal()
        self._views.clear()
        self._trust.forget_contradictions()
        self._mapping.forget_candidates()

    # -- beginnings

    def _new_filter(self, state: StampedState | None) -> MapFilter:
        mount = self._mount or (state.mount if state is not None else AS_DRAWN)
        angles = np.array([mount.pitch, mount.roll, mount.yaw])
        made = MapFilter(self.settings.priors, angles, self.settings.mount_deviations)
        self._mapping.fill(made)
        return made

    def _on_first(self, state: StampedState) -> None:
        self._timeline.restart(self._new_filter(state))
        self._filter.stamp = state.stamp
        self._start_at_origin(state)

    def _start_at_origin(self, state: StampedState) -> None:
        if self.settings.starts_at_origin and not self._filter.places:
            self._filter.stamp = state.stamp
            self._filter.set_pose((state.x, state.y, state.yaw), np.zeros((3, 3)))
            self._seen_at = state.stamp
            self._on_found(self._filter)

    def _on_clock_step(self, state: StampedState) -> None:
        """Go on from the same pose in a time that begins anew."""
        if self._is_known:
            self._timeline.settle(state.stamp)
        self._filter.stamp = state.stamp
        self._seen_at = min(self._seen_at, state.stamp)
        self._searched_to = -math.inf
        self._search = None
        self._reset_memory()

    # -- what is left out

    def _reject(self, why: Rejection, count: int) -> int:
        self.rejected[why] += count
        return 0
