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
_VOTES = 6
_LEAST_VOTES = 2


@dataclass(frozen=True, slots=True)
class Face:
    """A face in an image."""

    id: int
    """Below 0: followed, not recognised; above 0: enrolled."""
    name: str
    """As enrolled, or empty."""
    score: float
    box: tuple[float, float, float, float]
    """Left and upper edge, width and height; pixels."""
    position: tuple[float, float, float]
    """Between the eyes, in the frame that the camera's pose is in; m."""
    distance: float
    """From the camera, m."""


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


@dataclass(frozen=True, slots=True, eq=False)
class _Sighting:
    detection: FaceDetection
    position: Floats
    distance: float


@dataclass(slots=True)
class Enrollment:
    """A face that is becoming known; ``person`` is set when it is."""

    name: str
    views: list[Features] = field(default_factory=list)
    track: int | None = None
    taken_at: float = -math.inf
    person: Person | None = None
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
        self._in_sight = False
        self.enrollment: Enrollment | None = None

    def is_due(self, stamp: float) -> bool:
        """Return whether an image of this time is to be searched."""
        period = PERIOD if self._in_sight or self.enrollment else IDLE_PERIOD
        return not self._last <= stamp < self._last + period - 0.01

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
        pairs = [pair for pair in pairs if pair[0].sightings >= _SIGHTINGS]
        for track, sighting in pairs:
            self._recognize(stamp, gray, track, sighting)
        if pairs and self.enrollment:
            self._enroll(stamp, gray, *pairs[0])
        return [_face(track, sighting) for track, sighting in pairs]

    @property
    def can_recognize(self) -> bool:
        return self._recognizer is not None and self._album is not None

    @property
    def names(self) -> list[str]:
        """Return who is known."""
        return self._album.names if self._album else []

    def start_enrollment(self, name: str) -> Enrollment:
        """Enrol the nearest face with the next images, in place of another that is under way.

        It must be able to recognise. Raises ``FaceAlbumError`` for a name that is none.
        """
        self.enrollment = Enrollment(checked_name(name))
        return self.enrollment

    def stop_enrollment(self) -> None:
        self.enrollment = None

    def forget(self, name: str = "") -> int:
        """Delete a person, or everybody, and return how many. Raises ``OSError``."""
        count = self._album.forget(name) if self._album else 0
        for track in self._tracks:
            if track.person and name in ("", track.person.name):
                track.person = None
                track.votes.clear()
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
                matched[index] = _Track(self._next_id, sighting.position, stamp)
                self._next_id -= 1
                self._tracks.append(matched[index])
            if index in matched:
                track = matched[index]
                track.position, track.seen_at, track.misses = sighting.position, stamp, 0
                pairs.append((track, sighting))
        return pairs

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
        assert recognizer is not None
        assert album is not None
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
                enrollment.person = track.person = album.add(
                    enrollment.name, np.stack(enrollment.views)
                )
            except (FaceAlbumError, OSError) as error:
                enrollment.error = str(error)
        if enrollment.person or enrollment.error:
            self.enrollment = None


def _face(track: _Track, sighting: _Sighting) -> Face:
    person, detection = track.person, sighting.detection
    x, y, z = (float(value) for value in sighting.position)
    return Face(
        person.id if person else track.id,
        person.name if person else "",
        detection.score,
        detection.box,
        (x, y, z),
        sighting.distance,
    )
