"""Who is who: features of the people who agreed to be known, in a file of the user (spec 15 §6).

Features only, never images; without anybody in it there is no file.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...whole_files import read_whole, write_whole
from .face_models import FEATURES, SAME_PERSON, Features

FACES_FILE = "faces.json"
"""In the user's data directory."""
LONGEST_NAME = 40
MOST_PEOPLE, MOST_VIEWS = 100, 30
"""Views of a person; the oldest ones go first."""

_FORMAT, _VERSION = "cozmo_driver faces", 1
_LARGEST_FILE = MOST_PEOPLE * (MOST_VIEWS * (FEATURES * 16 // 3 + 20) + 500)


class FaceAlbumError(ValueError):
    """A file, name or face that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """Somebody who is known."""

    id: int
    name: str
    views: Features
    """(n, 128) unit vectors."""


class FaceAlbum:
    """People by their features, as in its file."""

    def __init__(self, path: Path) -> None:
        """Read a file, if there is one. Raises ``FaceAlbumError``."""
        self.path = path
        self._people = _load(path)
        self._read = _state_of(path)

    @property
    def people(self) -> list[Person]:
        self._refresh()
        return list(self._people)

    @property
    def names(self) -> list[str]:
        return [person.name for person in self.people]

    def _refresh(self) -> None:
        """Read the file anew where another program, such as ``cozmo people``, has changed it."""
        state = _state_of(self.path)
        if state != self._read:
            self._people, self._read = _load(self.path), state

    def find(self, features: Features) -> Person | None:
        """Return whose face has these features, or None."""
        people = self.people
        scores = [float((person.views @ features).max()) for person in people]
        if not scores or max(scores) < SAME_PERSON:
            return None
        return people[int(np.argmax(scores))]

    def by_id(self, number: int) -> Person | None:
        return next((person for person in self._people if person.id == number), None)

    def add(self, name: str, views: Features) -> Person:
        """Add views of a person and write the file. Raises ``FaceAlbumError`` and ``OSError``."""
        name = checked_name(name)
        self._refresh()
        old = next((person for person in self._people if person.name == name), None)
        if old is None and len(self._people) >= MOST_PEOPLE:
            raise FaceAlbumError(f"{MOST_PEOPLE} people are known: forget some first")
        number = old.id if old else 1 + max((person.id for person in self._people), default=0)
        kept = views if old is None else np.concatenate((old.views, views))
        new = Person(number, name, kept[-MOST_VIEWS:])
        self._replace([*(person for person in self._people if person is not old), new])
        return new

    def forget(self, name: str = "") -> int:
        """Delete a person, or everybody, and return how many. Raises ``OSError``."""
        self._refresh()
        kept = [person for person in self._people if name and person.name != name]
        count = len(self._people) - len(kept)
        # A file that nobody is in, or that could not be read, goes as well.
        if count or not name:
            self._replace(kept)
        return count

    def _replace(self, people: list[Person]) -> None:
        if people:
            content = {
                "format": _FORMAT,
                "version": _VERSION,
                "people": [
                    {
                        "id": person.id,
                        "name": person.name,
                        "views": [base64.b64encode(_bytes(view)).decode() for view in person.views],
                    }
                    for person in people
                ],
            }
            write_whole(self.path, json.dumps(content, indent=1), 0o600)
        else:
            self.path.unlink(missing_ok=True)
        self._people, self._read = people, _state_of(self.path)


def _state_of(path: Path) -> tuple[int, int, int] | None:
    """Return what changes with a file's content, None without a file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def checked_name(name: str) -> str:
    """Return a person's name without blanks around it. Raises ``FaceAlbumError``."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise FaceAlbumError(f"a name has 1 to {LONGEST_NAME} printable characters")
    return name


def _bytes(view: Features) -> bytes:
    return view.astype("<f4").tobytes()


def _load(path: Path) -> list[Person]:
    try:
        content = json.loads(read_whole(path, _LARGEST_FILE))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise FaceAlbumError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise FaceAlbumError(f"{path} is damaged: it is no JSON ({error}); delete it") from None
    try:
        return _people_in(content)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise FaceAlbumError(f"{path} is damaged: {what}; delete it and enrol again") from None


def _people_in(content: Any) -> list[Person]:
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError("it holds no faces")
    if content["version"] != _VERSION:
        raise ValueError(f"its version is {content['version']}, {_VERSION} is needed")
    entries = content["people"]
    if not isinstance(entries, list) or len(entries) > MOST_PEOPLE:
        raise ValueError(f"people is no list of at most {MOST_PEOPLE}")
    people = [_person_in(entry) for entry in entries]
    for values in ({one.id for one in people}, {one.name for one in people}):
        if len(values) != len(people):
            raise ValueError("two people have the same id or name")
    return people


def _person_in(entry: Any) -> Person:
    if not isinstance(entry, dict):
        raise ValueError("a person is no object")
    number, name, views = entry["id"], entry["name"], entry["views"]
    if type(number) is not int or not 0 < number < 1 << 31:
        raise ValueError("an id is no whole number above 0")
    if not isinstance(name, str) or checked_name(name) != name:
        raise ValueError("a name is none")
    if not isinstance(views, list) or not 1 <= len(views) <= MOST_VIEWS:
        raise ValueError(f"views is no list of 1 to {MOST_VIEWS}")
    return Person(number, name, np.stack([_view_in(view) for view in views]))


def _view_in(text: Any) -> Features:
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"the features of a face are unreadable: {error}") from None
    if len(data) != 4 * FEATURES:
        raise ValueError(f"a face has {len(data)} bytes instead of {4 * FEATURES}")
    view = np.frombuffer(data, "<f4").astype(np.float32)
    if not abs(float(np.linalg.norm(view)) - 1.0) < 0.01:
        raise ValueError("the features of a face are no unit vector")
    return view
