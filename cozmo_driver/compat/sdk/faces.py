"""``cozmo.faces``: people's faces (spec 21 §5, §8)."""

from __future__ import annotations

from typing import Any

from . import logs
from .event import Event
from .objects import ObservableElement
from .pose import Vector2
from .util import ImageBox

FACE_VISIBILITY_TIMEOUT = 0.8
"""s. Images are searched every 0.2 s, and a face is missed now and then."""
_LEFT_EYE, _RIGHT_EYE, _NOSE, _MOUTH = (0.32, 0.38), (0.68, 0.38), (0.5, 0.58), (0.5, 0.78)
"""Where they are in most faces, in widths and heights of the box."""
FACIAL_EXPRESSION_UNKNOWN = "unknown"
FACIAL_EXPRESSION_NEUTRAL = "neutral"
FACIAL_EXPRESSION_HAPPY = "happy"
FACIAL_EXPRESSION_SURPRISED = "surprised"
FACIAL_EXPRESSION_ANGRY = "angry"
FACIAL_EXPRESSION_SAD = "sad"


class EvtErasedEnrolledFace(Event):
    """Triggered when a known face was erased."""

    face = "The face"
    old_name = "Its name"


class EvtFaceIdChanged(Event):
    """Triggered when a face was recognised as one that was seen before."""

    face = "The face"
    old_id = "The number it had"
    new_id = "The number it has"


class EvtFaceObserved(Event):
    """Triggered whenever a face is seen in an image."""

    face = "The face"
    updated = "The names of what has changed"
    image_box = "Where it is in the image"
    name = "Its name, empty for an unknown one"
    pose = "Its pose"


class EvtFaceAppeared(Event):
    """Triggered whenever a face comes into sight."""

    face = "The face"
    updated = "The names of what has changed"
    image_box = "Where it is in the image"
    name = "Its name, empty for an unknown one"
    pose = "Its pose"


class EvtFaceDisappeared(Event):
    """Triggered whenever a face has gone out of sight."""

    face = "The face"


class EvtFaceRenamed(Event):
    """Triggered when a known face got another name."""

    face = "The face"
    old_name = "The name it had"
    new_name = "The name it has"


class Face(ObservableElement):
    """A face (docs/old_programs.md)."""

    visibility_timeout = FACE_VISIBILITY_TIMEOUT
    _events = EvtFaceObserved, EvtFaceAppeared, EvtFaceDisappeared
    _name = "face"

    def __init__(
        self,
        conn: Any = None,
        world: Any = None,
        robot: Any = None,
        face_id: int = -1,
        **named: Any,
    ) -> None:
        super().__init__(conn, world, robot, **named)
        self._face_id = face_id
        self._updated_face_id: int | None = None
        self._seen_name = ""
        self._given_name: str | None = None
        self.left_eye: list[Vector2] = []
        self.right_eye: list[Vector2] = []
        self.nose: list[Vector2] = []
        self.mouth: list[Vector2] = []

    def _found(self, found: Any, pose: Any) -> None:
        """Take one of our faces, and where it is."""
        self._seen_name = found.name or self._seen_name
        box = ImageBox(*found.box)
        for part, (right, down) in (
            (self.left_eye, _LEFT_EYE),
            (self.right_eye, _RIGHT_EYE),
            (self.nose, _NOSE),
            (self.mouth, _MOUTH),
        ):
            part[:] = [Vector2(box.left_x + right * box.width, box.top_y + down * box.height)]
        self._seen(box, pose, {"pose", "image_box", "last_observed_time"})

    def _turns_out_to_be(self, known: Face) -> None:
        """Give way to the face of somebody who was seen before."""
        self._updated_face_id = known.face_id
        self.dispatch_event(EvtFaceIdChanged(face=self, old_id=self.face_id, new_id=known.face_id))

    def _repr_values(self) -> str:
        return f"face_id={self.face_id} name={self.name}"

    @property
    def face_id(self) -> int:
        return self._face_id

    @face_id.setter
    def face_id(self, value: int) -> None:
        self._face_id = value

    @property
    def has_updated_face_id(self) -> bool:
        return self._updated_face_id is not None

    @property
    def updated_face_id(self) -> int:
        return self.face_id if self._updated_face_id is None else self._updated_face_id

    @property
    def name(self) -> str:
        """As the program gave it, else as it is recognised."""
        return self._seen_name if self._given_name is None else self._given_name

    @property
    def expression(self) -> str:
        return FACIAL_EXPRESSION_UNKNOWN

    @property
    def expression_score(self) -> int:
        return 0

    @property
    def known_expression(self) -> str:
        return ""

    @property
    def known_expression_score(self) -> int:
        return 0

    def name_face(self, name: str) -> Any:
        """Give a face a name of letters. Raises ``ValueError``."""
        if not (name.isascii() and name.isalpha()):
            raise ValueError(f"a name is of the letters a to z, not {name!r}")
        from .behavior import BehaviorTypes

        robot: Any = self._robot
        if not robot._engine.faces.can_recognize:
            logs.note("faces keep their names in this run only, as long as they are followed")
        self._given_name = name
        robot._engine.name_to_enroll = name
        return robot.start_behavior(BehaviorTypes._EnrollFace)  # type: ignore[attr-defined]

    def rename_face(self, new_name: str) -> None:
        if not (new_name.isascii() and new_name.isalpha()):
            raise ValueError(f"a name is of the letters a to z, not {new_name!r}")
        old_name, self._given_name = self.name, new_name
        self.dispatch_event(EvtFaceRenamed(face=self, old_name=old_name, new_name=new_name))

    def erase_enrolled_face(self) -> None:
        old_name, self._given_name = self.name, ""
        self.dispatch_event(EvtErasedEnrolledFace(face=self, old_name=old_name))


def _faces_of(conn: Any) -> dict[int, Face]:
    """Return the faces that a connection's robot has seen, by their numbers."""
    return {} if conn._robot is None else dict(conn._robot.world._faces)


def erase_all_enrolled_faces(conn: Any) -> None:
    """Forget the names of this run."""
    for face in _faces_of(conn).values():
        if face.name:
            face.erase_enrolled_face()


def erase_enrolled_face_by_id(conn: Any, face_id: int) -> None:
    """Forget a name of this run."""
    face = _faces_of(conn).get(face_id)
    if face is not None:
        face.erase_enrolled_face()


def update_enrolled_face_by_id(conn: Any, face_id: int, old_name: str, new_name: str) -> None:
    """Change a name of this run, if it is ``old_name``."""
    face = _faces_of(conn).get(face_id)
    if face is not None and face.name == old_name:
        face.rename_face(new_name)
