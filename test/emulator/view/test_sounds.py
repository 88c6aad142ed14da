"""Cutting what the loudspeaker plays into pieces while it goes on."""

from __future__ import annotations

import numpy as np

from cozmo_driver.emulator.animation import PlayedFrame, Recording
from cozmo_driver.emulator.view.folder import LONGEST, SoundPieces
from cozmo_driver.media import audio_codec
from cozmo_driver.media.audio_codec import FRAME_SAMPLES, FRAME_TIME

SOUND = audio_codec.encode(np.full(FRAME_SAMPLES, 5000, np.int16))
SILENCE = b""


class Speaker:
    """A recording that grows, and what became of it."""

    def __init__(self) -> None:
        self.recording, self.pieces, self._slot = Recording(0.0), SoundPieces(), 0

    def play(self, *codes: bytes) -> list[tuple[float, int]]:
        """Play frames; return begin and length in frames of the pieces that ended."""
        for code in codes:
            self.recording.frames.append(PlayedFrame(self._slot, code))
            self._slot += 1
        return self._take()

    def wait(self, frames: int) -> list[tuple[float, int]]:
        self._slot += frames
        return self._take()

    def _take(self) -> list[tuple[float, int]]:
        taken = self.pieces.update(self.recording, self._slot * FRAME_TIME)
        return [(sound.start / FRAME_TIME, len(sound.samples) // FRAME_SAMPLES) for sound in taken]


def test_a_piece_ends_when_nothing_comes_for_half_a_second() -> None:
    speaker = Speaker()
    assert speaker.play(*[SOUND] * 5) == []
    assert speaker.wait(5) == []
    assert speaker.wait(15) == [(0, 5)]
    assert speaker.wait(100) == []


def test_half_a_second_of_silence_ends_a_piece_and_is_not_part_of_it() -> None:
    speaker = Speaker()
    assert speaker.play(SILENCE, SILENCE, SOUND, SILENCE, SOUND, *[SILENCE] * 15) == [(2, 3)]
    assert speaker.play(*[SILENCE] * 100) == []
    assert speaker.play(SOUND, *[SILENCE] * 15) == [(120, 1)]


def test_a_missing_frame_breaks_a_piece() -> None:
    speaker = Speaker()
    speaker.play(SOUND, SOUND)
    speaker.wait(1)
    assert speaker.play(SOUND) == [(0, 2)]
    assert speaker.wait(20) == [(3, 1)]


def test_what_never_ends_is_cut_after_half_a_minute_without_a_loss() -> None:
    speaker = Speaker()
    ended = [piece for _ in range(20) for piece in speaker.play(*[SOUND] * 100)]
    assert ended == [(0, LONGEST), (LONGEST, LONGEST)]
    assert speaker.wait(20) == [(2 * LONGEST, 2000 - 2 * LONGEST)]
