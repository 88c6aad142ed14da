"""Whether landmarks are where they should be, or the robot is not where it believes to be."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from .estimate import Doubt, Rejection, Report
from .map_filter import Fit
from .sightings import Sighting

_REJECTED, _ACCEPTED = 6, 3
"""Images, 0.3 s apart, in which a landmark is elsewhere, and sightings of others that fit in the
meantime, until it counts as moved."""
_WITNESSES = 2
"""Other landmarks that must fit: of two that contradict each other nobody knows which has moved."""
_CONTESTED = 15
"""Images in which a landmark contradicts the only other one, until the pose is not believed."""
_LOST_NAMES, _LOST_IMAGES = 2, 3
"""Landmarks, and images in a row, that contradict the pose until it is no longer believed."""
_STARED, _STARED_FOR = 10, 3.0
"""Images and s in which the only landmark in sight contradicts, likewise."""
_PROVEN, _SEEN_EVERY = 12, 0.3
"""Sightings that fitted, so many s apart, from which on a landmark that was learnt here counts like
one of the map; before, what contradicts it tells that it was placed wrong: all images of one view
err alike, for up to 2 s (simulated by rendered images; no real camera)."""
_MOVES = 2
"""Times that a landmark has moved after which there are two of it, or somebody plays with it."""
_WRONG_MAP = 0.5
"""Share of the map's landmarks that were seen whose doubts mean that the map is wrong."""
_CONTRADICTIONS, _CONTRADICTED = 3, 600.0
"""Poses lost to sightings that do not fit, within so many s, until the map is doubted: none in ten
minutes with a map that is right."""
_IN_PLACE = 0.5
"""Of its side, that a landmark is seen beside where it should be and need not have moved: errors of
its shape alone are less, what somebody moves is mostly more."""
_SIZE_OFF, _SIZE_SIGHTINGS = 0.06, 5
"""Share by which it seems larger or smaller in so many sightings, until its size is wrong."""


@dataclass(slots=True)
class _Suspicion:
    latest: float = -math.inf
    images: int = 0
    others: Counter[str] = field(default_factory=Counter)
    """Sightings of others that were accepted since."""
    ratios: list[float] = field(default_factory=list)
    """How large it is seen, of how large it should be."""
    asides: list[float] = field(default_factory=list)
    """How far from where it should be, in its sides."""

    @property
    def is_in_place(self) -> bool:
        return sorted(self.asides)[len(self.asides) // 2] < _IN_PLACE

    @property
    def is_witnessed(self) -> bool:
        return len(self.others) >= _WITNESSES and self.others.total() >= _ACCEPTED


class Trust:
    """Follows what was accepted and rejected, image by image."""

    def __init__(self, given: Collection[str] = ()) -> None:
        """``given``: landmarks of a map that was not learnt here."""
        self._given = frozenset(given)
        self.reports: list[Report] = []
        """What is wrong with the map, the newest last; one for each landmark and doubt."""
        self.banned: set[str] = set()
        """Landmarks that are not believed any more."""
        self._suspicions: dict[str, _Suspicion] = {}
        self._moves: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        """Sightings that fitted, of every landmark that was seen."""
        self._counted_at: dict[str, float] = {}
        self._contradictions: list[float] = []
        self._against: set[str] = set()
        self._against_since = math.inf
        self._against_images = 0

    def report(self, stamp: float, name: str, doubt: Doubt, detail: str = "") -> None:
        if not any(one.name == name and one.doubt is doubt for one in self.reports):
            self.reports.append(Report(stamp, name, doubt, detail))

    def usable(
        self, now: float, sightings: Sequence[Sighting], rejected: Counter[Rejection]
    ) -> list[Sighting]:
        """Return the sightings that make sense: finite, and each number once; count the others."""
        sane = [one for one in sightings if one.is_sane]
        rejected[Rejection.DAMAGED] += len(sightings) - len(sane)
        counts = Counter(one.name for one in sane)
        for name, count in counts.items():
            if count > 1:
                rejected[Rejection.TWICE] += count
                self.report(now, name, Doubt.TWICE)
                self.banned.add(name)
        kept = [one for one in sane if counts[one.name] == 1]
        trusted = [one for one in kept if one.name not in self.banned]
        rejected[Rejection.DISTRUSTED] += len(kept) - len(trusted)
        return trusted

    def forget_contradictions(self) -> None:
        """Begin anew after the pose was lost or found."""
        self._suspicions.clear()
        self._against.clear()
        self._against_images = 0

    def on_contradiction(self, stamp: float) -> None:
        """Take that the pose was lost though nobody carried the robot."""
        recent = [one for one in self._contradictions if 0.0 <= stamp - one < _CONTRADICTED]
        self._contradictions = [*recent, stamp]
        if len(self._contradictions) >= _CONTRADICTIONS:
            self.report(stamp, "the map", Doubt.MAP, "its tags contradict each other")

    def on_image(
        self, stamp: float, accepted: set[str], rejected: Mapping[str, Fit | None]
    ) -> bool:
        """Take what fitted and what did not; return whether the pose is not believed now.

        None: where it is seen it cannot be.
        """
        self._seen.update(dict.fromkeys(rejected, 0))
        for name in accepted:
            if not 0.0 <= stamp - self._counted_at.get(name, -math.inf) < _SEEN_EVERY:
                self._counted_at[name] = stamp
                self._seen[name] += 1
            self._suspicions.pop(name, None)
        for name, fit in rejected.items():
            aside = math.inf if fit is None else fit.aside
            if fit is not None and aside < _IN_PLACE and not fit.sighting.is_large:
                # Its shape alone tells nothing: it speaks against the pose only.
                continue
            one = self._suspicions.setdefault(name, _Suspicion())
            if not 0.0 <= stamp - one.latest < _SEEN_EVERY:
                one.images, one.latest = one.images + 1, stamp
            one.ratios.append(1.0 if fit is None else fit.size_ratio)
            one.asides.append(aside)
        for suspicion in self._suspicions.values():
            suspicion.others.update(accepted)
        if accepted:
            self._against.clear()
            self._against_images = 0
            return any(
                one.images >= _CONTESTED and len(one.others) < _WITNESSES
                for one in self._suspicions.values()
            )
        against = {name for name in rejected if self._is_proven(name)}
        if not against:
            return False
        if not self._against_images:
            self._against_since = stamp
        self._against |= against
        self._against_images += 1
        is_several = len(self._against) >= _LOST_NAMES and self._against_images >= _LOST_IMAGES
        is_stared_at = (
            self._against_images >= _STARED and stamp - self._against_since >= _STARED_FOR
        )
        return is_several or is_stared_at

    def moved(self, stamp: float) -> list[str]:
        """Return the landmarks that are elsewhere, and report those that have moved."""
        found = [
            name
            for name, one in self._suspicions.items()
            if one.images >= _REJECTED and (one.is_witnessed or not self._is_proven(name))
        ]
        for name in found:
            suspicion = self._suspicions.pop(name)
            # What is learnt is not known well at first: it is placed anew.
            is_learnt_badly = name not in self._given and suspicion.is_in_place
            if self._is_proven(name) and not is_learnt_badly:
                self._judge(stamp, name, suspicion)
            self._seen[name] = 0
        doubted = {one.name for one in self.reports} & self._given
        seen = self._seen.keys() & self._given
        if len(doubted) >= 3 and len(doubted) > _WRONG_MAP * len(seen):
            self.report(stamp, "the map", Doubt.MAP, f"{len(doubted)} of {len(seen)} tags")
        return found

    def _is_proven(self, name: str) -> bool:
        return name in self._given or self._seen[name] >= _PROVEN

    def _judge(self, stamp: float, name: str, one: _Suspicion) -> None:
        self._moves[name] += 1
        ratios = sorted(one.ratios)
        ratio = ratios[len(ratios) // 2]
        is_size = (
            len(ratios) >= _SIZE_SIGHTINGS
            and abs(ratio - 1.0) > _SIZE_OFF
            and ratios[-1] - ratios[0] < abs(ratio - 1.0)
        )
        if self._moves[name] >= _MOVES:
            self.banned.add(name)
            self.report(stamp, name, Doubt.TWICE)
        elif is_size:
            self.report(stamp, name, Doubt.SIZE, f"it looks {ratio:.2f} times as large")
        else:
            self.report(stamp, name, Doubt.MOVED)
