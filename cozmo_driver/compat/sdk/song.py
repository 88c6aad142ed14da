"""``cozmo.song``: notes that the robot sings (spec 21 §7)."""

from __future__ import annotations

from typing import NamedTuple

from .names import named_values


class _NoteType(NamedTuple):
    name: str
    id: int


class _NoteDuration(NamedTuple):
    name: str
    id: int


class NoteTypes:
    """Pitches, and a rest."""


class NoteDurations:
    """Lengths."""


for _name, _id in named_values("note_types").items():
    setattr(NoteTypes, _name, _NoteType(_name, _id))
for _name, _id in named_values("note_durations").items():
    setattr(NoteDurations, _name, _NoteDuration(_name, _id))


class SongNote:
    """A pitch with a length."""

    MIN_NOTE_DURATION = 0.25

    def __init__(
        self,
        noteType: _NoteType = NoteTypes.C2,  # type: ignore[attr-defined]
        noteDuration: _NoteDuration = NoteDurations.Whole,  # type: ignore[attr-defined]
    ) -> None:
        self.noteType, self.noteDuration = noteType, noteDuration
