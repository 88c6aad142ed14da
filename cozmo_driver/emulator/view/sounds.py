"""What the loudspeaker plays, cut into pieces as it goes on."""

from __future__ import annotations

from itertools import takewhile

from ..played import PlayedFrame, PlayedSound, Recording, decoded

_PAUSE = 15
"""Frames of silence, half a second, after which a piece has ended."""
LONGEST = 900
"""Frames of a piece, 30 s; what goes on longer goes on in the next one."""


class SoundPieces:
    """Follows one robot's recording; a piece has no missing frame and no long silence in it."""

    def __init__(self) -> None:
        """Begin with the first frame there is."""
        self._piece: list[PlayedFrame] = []
        self._last_slot = -1
        self._silent = 0
        """Frames of silence at the piece's end."""

    def take(self, recording: Recording, now: float) -> list[PlayedSound]:
        """Return the pieces that have ended since the last call."""
        newest = takewhile(lambda f: f.slot > self._last_slot, reversed(recording.frames))
        ended = [sound for frame in reversed([*newest]) for sound in self._add(frame, recording)]
        if self._piece and recording.time_of(self._last_slot + _PAUSE) < now:
            ended += self._end(recording)
        return ended

    def _add(self, frame: PlayedFrame, recording: Recording) -> list[PlayedSound]:
        is_next = frame.slot == self._last_slot + 1
        self._last_slot = frame.slot
        ended = [] if is_next else self._end(recording)
        if frame.codes or self._piece:
            self._piece.append(frame)
            self._silent = 0 if frame.codes else self._silent + 1
        if self._silent >= _PAUSE or len(self._piece) >= LONGEST:
            ended += self._end(recording)
        return ended

    def _end(self, recording: Recording) -> list[PlayedSound]:
        piece = self._piece[: len(self._piece) - self._silent]
        self._piece, self._silent = [], 0
        if not piece:
            return []
        sound = PlayedSound(recording.time_of(piece[0].slot), decoded(piece))
        return [sound] if sound.samples.any() else []
