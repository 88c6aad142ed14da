"""People's faces from image to image: followed, recognised, enrolled (spec 15 §6)."""

from __future__ import annotations

import math
from collections import Counter, deque
from dataclasses import dataclass, field

import numpy as np

from .camera import Camera, Floats
from .face_album import FaceAlbum, FaceAlbumError, Person, checked_name
from .face_models import Features, Recognizer
from .faces import Detector, FaceDetection, place_of
from .quads import Gray

PERIOD, IDLE_PERIOD = 0.2, 0.5
"""s between images that are searched, while a face is in sight and otherwise."""
FORGETTING = 15.0
"""s after which a face that is not seen is forgotten."""
VIEWS = 5
"""Of a face that is enrolled."""

_REACH, _SHARE = 0.25, 0.35
"""m, or share of the distance, that a face moves at most until it is seen again."""
_SIGHTINGS = 2
"""From which a face is one."""
_MISSES = 2
"""Images in a row without a face that was seen once, after which it was none."""
_RECOGNIZING = 1.0
_ENROLLING = 0.4
"""s between two views of a face to recognise it, and to enrol it."""
_LEAST_EYE_GAP = 16.0
"""Pixels, of a face that is enrolled."""
_NAMED_FOR = 600.0
"""s for which a name that was given by place waits there for its face, without a recogniser."""
_HURRY = 0.3
"""s for which every image is searched once something may have come into sight."""
_VOTES = 6
_LEAST_VOTES = 2


@dataclass(frozen=True, slots=True)
class Face:
    """A face in an image."""

    id: int
    """Below 0: followed, not recognised; above 0: enrolled."""
    name: str
    """As enrolled, or empty; of an id below 0 a guess by its place."""
    score: float
    box: tuple[float, float, float, float]
    """Left and upper edge, width and height; pixels."""
    position: tuple[float, float, float]
    """Between the eyes, in the frame that the camera's pose is in; m."""
    distance: float
    """From the camera, m."""
    track: int = 0
    """Below 0; the same as long as it is followed."""
    roll: float = math.nan
    """How far it leans to the image's right, rad; NaN where its eyes are not found."""


@dataclass(slots=True)
class _Track:
    id: int
    position: Floats
    seen_at: float
    sightings: int = 1
    misses: int = 0
    recognized_at: float = -math.inf
    votes: deque[int] = field(default_factory=lambda: deque(maxlen=_VOTES))
    person: Person | None = None
    given: str = ""
    """Its name by its place."""


@dataclass(frozen=True, slots=True, eq=False)
class _Sighting:
    detection: FaceDetection
    position: Floats
    distance: float


@dataclass(slots=True)
class Enrollment:
    """A face that is becoming known; ``face_id`` is set when it is."""

    name: str
    views: list[Features] = field(default_factory=list)
    track: int | None = None
    taken_at: float = -math.inf
    face_id: int = 0
    """Above 0 where it will be recognised, below 0 where only its place tells."""
    error: str = ""
    """Why it cannot be done."""


class FaceTracker:
    """Follows the faces that a detector finds; recognises people, if it has what that takes."""

    def __init__(
        self,
        detector: Detector,
        recognizer: Recognizer | None = None,
        album: FaceAlbum | None = None,
    ) -> None:
        """An album is of no use without a recogniser."""
        self._detector, self._recognizer, self._album = detector, recognizer, album
        self._tracks: list[_Track] = []
        self._next_id = -1
        self._last = -math.inf
        self._in_sight = self._is_unsure = False
        self._hurries_until = -math.inf
        self._places: dict[str, tuple[Floats, float]] = {}
        """Where those who are known by their place were seen, and when."""
        self.enrollment: Enrollment | None = None

    def is_due(self, stamp: float) -> bool:
        """Return whether an image of this time is to be searched."""
        if self._is_unsure or stamp < self._hurries_until:
            return True
        period = PERIOD if self._in_sight or self.enrollment else IDLE_PERIOD
        return not self._last <= stamp < self._last + period - 0.01

    def hurry(self, stamp: float) -> None:
        """Search every image for a moment: something moves, maybe somebody who has just come."""
        if not self._in_sight:
            self._hurries_until = stamp + _HURRY

    def update(self, stamp: float, gray: Gray, camera: Camera, view: Floats) -> list[Face]:
        """Return the faces in an image, the nearest first.

        ``stamp``: s; ``view``: pose of the optical frame in one whose z = 0 is the ground, 4x4.
        """
        if stamp < self._last:
            self._tracks.clear()
        self._last = stamp
        sightings = self._sightings(gray, camera, view)
        self._tracks = [
            track
            for track in self._tracks
            if stamp - track.seen_at <= FORGETTING
            and (track.sightings >= _SIGHTINGS or track.misses < _MISSES)
        ]
        pairs = self._match(stamp, sightings)
        self._in_sight = bool(pairs)
        self._is_unsure = any(track.sightings < _SIGHTINGS for track, _ in pairs)
        pairs = [pair for pair in pairs if pair[0].sightings >= _SIGHTINGS]
        for track, sighting in pairs:
            self._recognize(stamp, gray, track, sighting)
        if pairs and self.enrollment:
            self._enroll(stamp, gray, *pairs[0])
        for track, _ in pairs:
            if track.given:
                self._places[track.given] = track.position, stamp
        return [_face(track, sighting) for track, sighting in pairs]

    @property
    def can_recognize(self) -> bool:
        return self._recognizer is not None and self._album is not None

    @property
    def names(self) -> list[str]:
        """Return who is known."""
        return [*(self._album.names if self._album else []), *self._places]

    @property
    def people(self) -> list[tuple[str, int]]:
        """Return who is known with their ids; those who are known by their place have 0."""
        known = self._album.people if self._album else []
        return [*((one.name, one.id) for one in known), *((name, 0) for name in self._places)]

    def start_enrollment(self, name: str) -> Enrollment:
        """Enrol the nearest face with the next images, in place of another that is under way.

        Without a recogniser it is known by its place, until this ends. Raises
        ``FaceAlbumError`` for a name that is none.
        """
        self.enrollment = Enrollment(checked_name(name))
        return self.enrollment

    def stop_enrollment(self) -> None:
        self.enrollment = None

    def forget(self, name: str = "") -> int:
        """Delete a person, or everybody, and return how many. Raises ``OSError``."""
        count = self._album.forget(name) if self._album else 0
        for given in [one for one in self._places if name in ("", one)]:
            del self._places[given]
            count += 1
        for track in self._tracks:
            if track.person and name in ("", track.person.name):
                track.person = None
                track.votes.clear()
            if name in ("", track.given):
                track.given = ""
        return count

    def _sightings(self, gray: Gray, camera: Camera, view: Floats) -> list[_Sighting]:
        """Return the faces that are somewhere above the ground, the nearest first."""
        found = []
        for detection in self._detector.detect(gray):
            place = place_of(detection, camera)
            if place is None:
                continue
            position = view[:3, :3] @ place + view[:3, 3]
            if position[2] > 0.0:
                found.append(_Sighting(detection, position, float(np.linalg.norm(place))))
        return sorted(found, key=lambda sighting: sighting.distance)

    def _match(self, stamp: float, sightings: list[_Sighting]) -> list[tuple[_Track, _Sighting]]:
        """Return sightings with their tracks, which are new for clear faces without one."""
        distances = sorted(
            (float(np.linalg.norm(track.position - sighting.position)), t, s)
            for t, track in enumerate(self._tracks)
            for s, sighting in enumerate(sightings)
        )
        for track in self._tracks:
            track.misses += 1
        matched: dict[int, _Track] = {}
        used: set[int] = set()
        for distance, t, s in distances:
            reach = max(_REACH, _SHARE * sightings[s].distance)
            if distance <= reach and t not in used and s not in matched:
                used.add(t)
                track = matched[s] = self._tracks[t]
                track.sightings += 1
        pairs = []
        for index, sighting in enumerate(sightings):
            if index not in matched and sighting.detection.is_clear:
                given = self._name_at(sighting, stamp)
                matched[index] = _Track(self._next_id, sighting.position, stamp, given=given)
                self._next_id -= 1
                self._tracks.append(matched[index])
            if index in matched:
                track = matched[index]
                track.position, track.seen_at, track.misses = sighting.position, stamp, 0
                pairs.append((track, sighting))
        return pairs

    def _name_at(self, sighting: _Sighting, stamp: float) -> str:
        """Return whose face may be at a place, empty for nobody's."""
        taken = {track.given for track in self._tracks if track.misses == 0}
        reach = max(_REACH, _SHARE * sighting.distance)
        near = {
            name: float(np.linalg.norm(place - sighting.position))
            for name, (place, seen_at) in self._places.items()
            if name not in taken and stamp - seen_at <= _NAMED_FOR
        }
        name = min(near, key=near.__getitem__, default="")
        return name if name and near[name] <= reach else ""

    def _recognize(self, stamp: float, gray: Gray, track: _Track, sighting: _Sighting) -> None:
        """Name a track after whom most of its last views show."""
        if self._recognizer is None or self._album is None or not self._album.names:
            return
        if stamp - track.recognized_at < _RECOGNIZING:
            return
        features = self._recognizer.features(gray, sighting.detection)
        if features is None:
            return
        track.recognized_at = stamp
        person = self._album.find(features)
        track.votes.append(person.id if person else 0)
        number, count = Counter(track.votes).most_common(1)[0]
        if count < _LEAST_VOTES or 2 * count <= len(track.votes):
            return
        track.person = self._album.by_id(number)
        # Nobody is in two places.
        for other in self._tracks:
            if other is not track and other.person and other.person.id == number:
                other.person = None

    def _enroll(self, stamp: float, gray: Gray, track: _Track, sighting: _Sighting) -> None:
        """Add a view of the nearest face to those that are being enrolled."""
        enrollment, recognizer, album = self.enrollment, self._recognizer, self._album
        assert enrollment is not None
        if recognizer is None or album is None:
            for other in self._tracks:
                other.given = "" if other.given == enrollment.name else other.given
            self._places.pop(track.given, None)
            track.given, enrollment.face_id = enrollment.name, track.id
            self.enrollment = None
            return
        if sighting.detection.eye_gap < _LEAST_EYE_GAP or stamp - enrollment.taken_at < _ENROLLING:
            return
        features = recognizer.features(gray, sighting.detection)
        if features is None:
            return
        if enrollment.track != track.id:
            enrollment.track, enrollment.views = track.id, []
        enrollment.taken_at = stamp
        known = album.find(features)
        if known and known.name != enrollment.name:
            enrollment.error = f"this is {known.name}: forget that name first if it is not"
        else:
            enrollment.views.append(features)
        if len(enrollment.views) == VIEWS:
            try:
                track.person = album.add(enrollment.name, np.stack(enrollment.views))
                enrollment.face_id = track.person.id
            except (FaceAlbumError, OSError) as error:
                enrollment.error = str(error)
        if enrollment.face_id or enrollment.error:
            self.enrollment = None


def _face(track: _Track, sighting: _Sighting) -> Face:
    person, detection = track.person, sighting.detection
    x, y, z = (float(value) for value in sighting.position)
    return Face(
        person.id if person else track.id,
        person.name if person else track.given,
        detection.score,
        detection.box,
        (x, y, z),
        sighting.distance,
        track.id,
        detection.roll,
    )
