"""Faces around a robot: whose each is, from image to image (spec 21 §5, §8)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...perception import Face as FoundFace
from .faces import Face
from .sync import Synced

if TYPE_CHECKING:
    from ..engine import Engine
    from .robot import Robot


class SeenFaces(Synced):
    """The part of ``World`` that knows them."""

    face_factory: Any = Face
    _conn: Any
    _engine: Engine
    _robot: Robot

    def _init_faces(self) -> None:
        self._faces: dict[int, Face] = {}
        """By the program's numbers."""
        self._tracks: dict[int, Face] = {}
        self._people: dict[int, Face] = {}
        """By our perception's numbers: of what it follows, and of whom it knows."""
        self._face_ids = itertools.count(1)

    @property
    def visible_faces(self) -> Iterator[Face]:
        self._look_for_faces()
        return iter([face for face in self._faces.values() if face.is_visible])

    def visible_face_count(self) -> int:
        return len(list(self.visible_faces))

    def _look_for_faces(self) -> None:
        self._engine.post(self._engine.look_for_faces)

    def _on_faces(self, found: list[FoundFace]) -> None:
        """Take over the faces of an image; each has a number of its own from the first on."""
        tracks = {one.track for one in found}
        taken: list[Face] = []
        # A person who is recognised elsewhere is not who was taken for that one so far.
        for one in sorted(found, key=lambda one: one.id < 0):
            face = self._known_face(one)
            if face is None or face in taken:
                face = self._returning_face(tracks) or self._new_face()
            taken.append(face)
            self._tracks[one.track] = face
            if one.id > 0:
                self._people[one.id] = face
            face._found(one, self._robot._pose_of_face(*one.position))

    def _known_face(self, one: FoundFace) -> Face | None:
        """Return whose face it is: one that is followed may turn out to be somebody's."""
        followed = self._tracks.get(one.track)
        if one.id < 0:
            return followed
        known = self._people.get(one.id)
        if followed is None or followed in self._people.values():
            return known
        if known is not None:
            followed._turns_out_to_be(known)
        return known or followed

    def _returning_face(self, tracks: set[int]) -> Face | None:
        """Return who was seen last and is not in sight: without models nobody is known again."""
        if self._engine.faces.can_recognize:
            return None
        away = [
            (face.last_observed_time or 0.0, track)
            for track, face in self._tracks.items()
            if track not in tracks and not face.is_visible
        ]
        return self._tracks.pop(max(away)[1]) if away else None

    def _new_face(self) -> Face:
        face: Face = self._make_face()
        face.face_id = next(self._face_ids)
        self._faces[face.face_id] = face
        return face

    def _make_face(self) -> Any:
        return self.face_factory(self._conn, self, self._robot, dispatch_parent=self)
