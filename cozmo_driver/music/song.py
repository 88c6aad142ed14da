"""Songs: notes in beats, written by people in YAML; see docs/songs.md."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..media import HIGHEST_NOTE, LOWEST_NOTE, SungNote, check_syllable
from ..plain_yaml import YamlError, load_texts
from ..whole_files import read_whole

LARGEST_FILE = 64 << 10
LONGEST = 60.0
"""s (spec 17 §4)."""
MOST_NOTES = 500
WIDEST = 24
"""Semitones from the lowest to the highest note (spec 17 §4)."""
SLOWEST, FASTEST = 30.0, 300.0
"""Beats per minute."""
SHORTEST = 0.06
"""s of a note or a rest: attack and release with something between them."""
DEFAULT_SYLLABLE = "la"
_MOST_BEATS = 16
"""In a bar."""
_LONGEST_TEXT = 200
_KEYS = (
    "title",
    "bpm",
    "beats_per_bar",
    "pickup",
    "transpose",
    "syllables",
    "notes",
    "licence",
    "source",
)
_SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
_NOTE = re.compile(r"(R|([A-G])([#b]?)([0-8]))(?::([0-9./]{1,16}))?(?::([a-z]{1,4}))?")


class SongError(ValueError):
    """A song cannot be sung; the text says which, and why."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note of so many beats; the pitch is a MIDI number, None for a rest."""

    pitch: int | None
    beats: float
    syllable: str = DEFAULT_SYLLABLE


@dataclass(frozen=True, slots=True)
class Song:
    """A melody. Raises ``SongError`` for what nobody can sing."""

    title: str
    notes: tuple[Note, ...]
    bpm: float = 100.0
    beats_per_bar: int = 4
    pickup: float = 0.0
    """Beats before the first bar."""
    transpose: int = 0
    """Semitones that are added to all notes."""
    licence: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        pitches = [note.pitch + self.transpose for note in self.notes if note.pitch is not None]
        if not pitches:
            raise SongError("the song has no notes")
        if len(self.notes) > MOST_NOTES:
            raise SongError(f"the song has {len(self.notes)} notes; up to {MOST_NOTES} are sung")
        _check("bpm", self.bpm, SLOWEST, FASTEST)
        _check("beats_per_bar", self.beats_per_bar, 1, _MOST_BEATS)
        _check("pickup", self.pickup, 0.0, self.beats_per_bar)
        beat = 60.0 / self.bpm
        for number, note in enumerate(self.notes, start=1):
            if not SHORTEST <= note.beats * beat <= LONGEST:
                raise SongError(
                    f"note {number} lasts {note.beats * beat:.3g} s; a note or rest is from "
                    f"{SHORTEST:g} to {LONGEST:g} s"
                )
            _sung(note.syllable, f"note {number}")
        if self.duration > LONGEST:
            raise SongError(f"the song lasts {self.duration:.0f} s; up to {LONGEST:g} s are sung")
        lowest, highest = min(pitches), max(pitches)
        if highest - lowest > WIDEST:
            raise SongError(
                f"the song goes from {note_name(lowest)} to {note_name(highest)}; "
                "two octaves are sung"
            )
        if lowest < LOWEST_NOTE or highest > HIGHEST_NOTE:
            raise SongError(
                f"the song goes from {note_name(lowest)} to {note_name(highest)}, the voice from "
                f"{note_name(LOWEST_NOTE)} to {note_name(HIGHEST_NOTE)}: transpose it by "
                f"{_into_range(lowest, highest):+d} semitones"
            )

    @property
    def beats(self) -> float:
        return math.fsum(note.beats for note in self.notes)

    @property
    def duration(self) -> float:
        """In s."""
        return self.beats * 60.0 / self.bpm

    def beat_times(self) -> list[float]:
        """Return when the beats are, s; those of bars that begin after a pickup."""
        first = self.pickup % 1.0
        beat = 60.0 / self.bpm
        return [(first + number) * beat for number in range(math.ceil(self.beats - first - 1e-6))]

    def sung_notes(self) -> list[SungNote]:
        """Return the notes with their times in s, without rests."""
        beat, at, sung = 60.0 / self.bpm, 0.0, []
        for note in self.notes:
            if note.pitch is not None:
                pitch = float(note.pitch + self.transpose)
                sung.append(SungNote(at * beat, note.beats * beat, pitch, note.syllable))
            at += note.beats
        return sung


def note_name(pitch: int) -> str:
    """Return the name of a MIDI number: C4 for 60."""
    return f"{_NAMES[pitch % 12]}{pitch // 12 - 1}"


def read_song(path: Path) -> Song:
    """Read a song file. Raises ``SongError`` with the file's name, ``OSError``.

    No error has a word of the file: it may be none of ours.
    """
    data = read_whole(path, LARGEST_FILE)
    try:
        return song_of(load_texts(data))
    except YamlError as error:
        raise SongError(f"{path}: {error}") from None
    except SongError as error:
        raise SongError(f"{path}: {error}") from None


def song_of(content: Any) -> Song:
    """Return the song that a file's texts describe. Raises ``SongError``."""
    if not isinstance(content, Mapping):
        raise SongError("a song file has title, bpm and notes, one a line")
    for number, (key, value) in enumerate(content.items(), start=1):
        if key not in _KEYS:
            raise SongError(f"key {number} is unknown; there are {', '.join(_KEYS)}")
        if not isinstance(value, str):
            raise SongError(f"{key} is one text, not a list or several lines with keys")
    for key in ("title", "bpm", "notes"):
        if not content.get(key, "").strip():
            raise SongError(f"{key} is missing")
    for key in ("title", "licence", "source"):
        if len(content.get(key, "")) > _LONGEST_TEXT:
            raise SongError(f"{key} has more than {_LONGEST_TEXT} characters")
        if not " ".join(content.get(key, "").split()).isprintable():
            raise SongError(f"{key} has a character that cannot be printed")
    return Song(
        " ".join(content["title"].split()),
        notes_of(content["notes"], content.get("syllables", "")),
        _number("bpm", content["bpm"]),
        _whole("beats_per_bar", content.get("beats_per_bar", "4")),
        _number("pickup", content.get("pickup", "0")),
        _whole("transpose", content.get("transpose", "0")),
        " ".join(content.get("licence", "").split()),
        " ".join(content.get("source", "").split()),
    )


def notes_of(text: str, syllables: str = "") -> tuple[Note, ...]:
    """Return the notes of a text as ``C4:1 F#4:1/2:doo R:2``; bar lines | are only for the eye.

    Notes without a syllable of their own take the next of ``syllables``, over and over again.
    Raises ``SongError``.
    """
    sung = [_sung(one, f"syllable {n}") for n, one in enumerate(syllables.split(), start=1)]
    sung = sung or [DEFAULT_SYLLABLE]
    notes: list[Note] = []
    count = 0
    for number, word in enumerate(text.replace("|", " ").split(), start=1):
        if len(notes) >= MOST_NOTES:
            raise SongError(f"the song has more than {MOST_NOTES} notes")
        match = _NOTE.fullmatch(word)
        if match is None:
            raise SongError(
                f"note {number} is none: it is C4, C4:2, F#4:1/2, Bb4:0.5:doo, or R:1 for a rest"
            )
        name, letter, accidental, octave, length, syllable = match.groups()
        beats = _beats(number, length or "1")
        if name == "R":
            notes.append(Note(None, beats))
            continue
        pitch = 12 * (int(octave) + 1) + _SEMITONES[letter]
        pitch += {"#": 1, "b": -1, "": 0}[accidental]
        syllable = _sung(syllable, f"note {number}") if syllable else sung[count % len(sung)]
        notes.append(Note(pitch, beats, syllable))
        count += 1
    return tuple(notes)


def text_of(song: Song) -> str:
    """Return a song file with this song."""

    def word(note: Note) -> str:
        name = "R" if note.pitch is None else note_name(note.pitch)
        syllable = "" if note.syllable == DEFAULT_SYLLABLE else f":{note.syllable}"
        return f"{name}:{note.beats:.12g}{syllable}"

    lines = [
        f"title: {_quoted(song.title)}",
        f"bpm: {song.bpm:.12g}",
        f"beats_per_bar: {song.beats_per_bar}",
        f"pickup: {song.pickup:.12g}",
        f"transpose: {song.transpose}",
        f"licence: {_quoted(song.licence)}",
        f"source: {_quoted(song.source)}",
        "notes: >-",
    ]
    words = [word(note) for note in song.notes]
    lines += ["  " + " ".join(words[first : first + 12]) for first in range(0, len(words), 12)]
    return "\n".join(lines) + "\n"


def into_range(pitches: list[int]) -> int:
    """Return the whole octaves, in semitones, that bring pitches nearest to the voice's middle."""
    middle = (LOWEST_NOTE + HIGHEST_NOTE) / 2
    return 12 * round((middle - (min(pitches) + max(pitches)) / 2) / 12)


def _into_range(lowest: int, highest: int) -> int:
    return LOWEST_NOTE - lowest if lowest < LOWEST_NOTE else HIGHEST_NOTE - highest


def _quoted(text: str) -> str:
    printable = "".join(one for one in text if one.isprintable())
    return "'" + printable.replace("'", "''") + "'"


def _sung(syllable: str, where: str) -> str:
    try:
        return check_syllable(syllable)
    except ValueError as error:
        raise SongError(f"{where}: {error}") from None


def _check(key: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise SongError(f"{key} is {value:g}; it is from {low:g} to {high:g}")


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SongError(f"{key} is no number") from None


def _whole(key: str, text: str) -> int:
    number = _number(key, text)
    if not (abs(number) < 1000 and number == int(number)):
        raise SongError(f"{key} is no small whole number")
    return int(number)


def _beats(number: int, text: str) -> float:
    above, slash, below = text.partition("/")
    try:
        beats = float(above) / (float(below) if slash else 1.0)
    except (ValueError, ZeroDivisionError):
        raise SongError(f"note {number} has no length in beats, such as 1, 0.5 or 1/3") from None
    if not 0.0 < beats < math.inf:
        raise SongError(f"the length of note {number} is {beats:g} beats")
    return beats
