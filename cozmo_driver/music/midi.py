"""The melody of a Standard MIDI File, read by mido."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from io import BytesIO
from pathlib import Path
from typing import Any

from ..installation import pip_install
from ..media import LibraryMissing
from ..whole_files import read_whole
from .song import FASTEST, MOST_NOTES, SHORTEST, SLOWEST, Note, Song, SongError, into_range

MIDI_SUFFIXES = (".mid", ".midi")
LARGEST_FILE = 256 << 10
"""Bytes: an orchestra's hour has fewer, and mido needs some s for more."""
_DRUMS = 9
_TEMPO = 500_000
"""us of a beat where the file says nothing."""
_MARGIN = 1.01
"""Over the shortest note of a song: beats are no exact numbers."""


def song_from_midi(
    path: Path, *, channel: int | None = None, start: float = 0.0, beats: float | None = None
) -> Song:
    """Return the highest voice of a channel, 0 to 15, by default of the one that sings most.

    ``beats`` of it from the beat ``start`` on, by default all from its first note. Its tempo is
    that of the beginning. Raises ``SongError`` with the file's name, ``OSError``,
    ``LibraryMissing``.
    """
    data = read_whole(path, LARGEST_FILE)
    try:
        file = _parsed(data)
        spans = _spans(file)
        if channel is None:
            counts = Counter({number: len(notes) for number, notes in spans.items()})
            counts.pop(_DRUMS, None)
            if not counts:
                raise SongError("it has no notes")
            channel = counts.most_common(1)[0][0]
        if not spans.get(channel):
            known = ", ".join(map(str, sorted(spans))) or "none"
            raise SongError(f"channel {channel} has no notes; there are {known}")
        melody = _skyline(spans[channel])
        tempo, bar = _tempo_and_bar(file)
        notes = _cut(melody, start, beats, _MARGIN * SHORTEST * tempo / 60.0)
        pitches = [note.pitch for note in notes if note.pitch is not None]
        return Song(path.stem, notes, tempo, bar, transpose=into_range(pitches), source=path.name)
    except SongError as error:
        raise SongError(f"{path}: {error}") from None


def _parsed(data: bytes) -> Any:
    try:
        import mido  # type: ignore[import-untyped]
    except ImportError as error:
        raise LibraryMissing(
            f"MIDI files need the Python package mido ({error}); install it: {pip_install('mido')}"
        ) from error
    if not data.startswith(b"MThd"):
        raise SongError("it is no MIDI file")
    try:
        file = mido.MidiFile(file=BytesIO(data), clip=True)
    # A damaged file fails in whichever line of mido meets it.
    except Exception as error:
        raise SongError("it is damaged") from error
    # The highest bit stands for times of films, which have no beats.
    if not 0 < file.ticks_per_beat < 0x8000:
        raise SongError("its times are not in beats")
    return file


Span = tuple[float, float, int]
"""Start and end in beats, pitch."""


def _spans(file: Any) -> dict[int, list[Span]]:
    """Return the notes of each channel; one that never ends is left out."""
    spans: dict[int, list[Span]] = defaultdict(list)
    for track in file.tracks:
        tick = 0
        sounding: dict[tuple[int, int], int] = {}
        for message in track:
            tick += message.time
            if message.type not in ("note_on", "note_off"):
                continue
            key = (message.channel, message.note)
            began = sounding.pop(key, None)
            if began is not None and tick > began:
                span = (began / file.ticks_per_beat, tick / file.ticks_per_beat, message.note)
                spans[message.channel].append(span)
            if message.type == "note_on" and message.velocity:
                sounding[key] = tick
    return spans


def _skyline(spans: list[Span]) -> list[Span]:
    """Return one voice: of notes that begin together the highest, each up to the next one."""
    highest: dict[float, Span] = {}
    for span in spans:
        if span[0] not in highest or highest[span[0]][2] < span[2]:
            highest[span[0]] = span
    return [highest[start] for start in sorted(highest)]


def _cut(melody: list[Span], start: float, beats: float | None, least: float) -> tuple[Note, ...]:
    """Return the notes that begin in a part of the melody, with rests between them.

    No note or rest is shorter than ``least`` beats: what is played before that, as an ornament, is
    left out, and a note is held over a shorter gap. Raises ``SongError`` for a part without notes.
    """
    begin = max(start, melody[0][0])
    end = math.inf if beats is None else begin + beats
    kept: list[Span] = []
    for span in melody:
        if begin <= span[0] and span[0] + least <= end:
            if kept and span[0] - kept[-1][0] < least:
                kept.pop()
            kept.append(span)
    if not kept:
        raise SongError("there are no notes in this part of it")
    notes: list[Note] = []
    at = begin
    following = [span[0] for span in kept[1:]] + [end]
    for (first, last, pitch), after in zip(kept, following, strict=True):
        if len(notes) >= MOST_NOTES:
            raise SongError(
                f"it has more than {MOST_NOTES} notes: import a part of it, by start and beats"
            )
        if first - at >= least:
            notes.append(Note(None, first - at))
        at = min(max(last, first + least), after)
        if after - at < least:
            at = after
        notes.append(Note(pitch, at - first))
    return tuple(notes)


def _tempo_and_bar(file: Any) -> tuple[float, int]:
    events = [message for track in file.tracks for message in track if message.is_meta]
    tempo = next((one.tempo for one in events if one.type == "set_tempo"), _TEMPO)
    bar = next((one.numerator for one in events if one.type == "time_signature"), 4)
    bpm = 60e6 / max(tempo, 1)
    if not SLOWEST <= bpm <= FASTEST:
        raise SongError(
            f"its tempo is {bpm:.3g} beats per minute; {SLOWEST:g} to {FASTEST:g} are sung"
        )
    return bpm, min(max(bar, 1), 16)
