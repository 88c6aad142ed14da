"""Choosing, scaling and mixing sounds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cozmo_driver.media.audio_codec import FRAME_SAMPLES, Samples
from cozmo_driver.resources.sound.sounds import (
    LIMIT,
    MOST_SOUNDS,
    Mixer,
    Sound,
    SoundSource,
    SoundSources,
    choose_event,
    gain_of_volume,
    scaled,
)


class Shelf:
    """A source with the given sounds; None for an event that makes none."""

    def __init__(self, **sounds: Sound | None) -> None:
        self.sounds = {int(name[1:]): sound for name, sound in sounds.items()}

    def has(self, event_id: int) -> bool:
        return event_id in self.sounds

    def sound_for(self, event_id: int, rng: random.Random) -> Sound | None:
        return self.sounds.get(event_id)

    def stopped_by(self, event_id: int) -> frozenset[int]:
        return frozenset({event_id * 10}) if event_id in self.sounds else frozenset()


def sound(value: int, count: int = 1000, nodes: frozenset[int] = frozenset()) -> Sound:
    return Sound(1, np.full(count, value, np.int16), nodes)


def frames(mixer: Mixer) -> Samples:
    pieces = []
    while (frame := mixer.frame()) is not None:
        assert len(frame) == FRAME_SAMPLES
        assert frame.dtype == np.int16
        pieces.append(frame)
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int16)


def test_the_first_source_that_knows_an_event_answers() -> None:
    low, high = sound(1), sound(2)
    sources: SoundSource = SoundSources([Shelf(e5=None), Shelf(e5=low, e6=low), Shelf(e7=high)])
    rng = random.Random(0)
    assert [sources.has(id_) for id_ in (5, 6, 7, 8)] == [True, True, True, False]
    assert [sources.sound_for(id_, rng) for id_ in (5, 6, 7, 8)] == [None, low, high, None]
    assert sources.stopped_by(7) == {70}
    assert sources.stopped_by(8) == frozenset()


def draws(event_ids: tuple[int, ...], chances: tuple[float, ...]) -> dict[int | None, float]:
    rng = random.Random(2)
    drawn = [choose_event(event_ids, chances, rng) for _ in range(4000)]
    return {one: drawn.count(one) / 4000 for one in set(drawn)}


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        ((0.5, 0.5), {7: 0.5, 8: 0.5}),
        ((0.2, 0.3), {7: 0.2, 8: 0.3, None: 0.5}),
        ((2.0, 6.0), {7: 0.25, 8: 0.75}),
        ((1.0,), {7: 1.0}),
        ((0.0, 1.0), {8: 1.0}),
        ((-3.0, 0.4), {8: 0.4, None: 0.6}),
        ((float("nan"), 1.0), {8: 1.0}),
        ((), {None: 1.0}),
    ],
)
def test_events_are_drawn_by_their_chances(
    chances: tuple[float, ...], expected: dict[int | None, float]
) -> None:
    assert draws((7, 8), chances) == pytest.approx(expected, abs=0.03)


def test_the_volume_of_a_keyframe_follows_a_sine() -> None:
    assert gain_of_volume(1.0) == 1.0
    assert gain_of_volume(0.5) == pytest.approx(0.7071, abs=1e-4)
    assert gain_of_volume(0.0) == gain_of_volume(-1.0) == gain_of_volume(float("nan")) == 0.0
    assert gain_of_volume(9.0) == 1.0


def test_scaling_rounds_and_stays_in_range() -> None:
    samples = np.array([3, -3, 20000, -20000], np.int16)
    assert scaled(samples, 0.5).tolist() == [2, -2, 10000, -10000]
    assert scaled(samples, 4.0).tolist() == [12, -12, 32767, -32767]
    assert scaled(samples, 1.0) is samples


def test_a_sound_comes_out_as_it_is_and_the_last_frame_is_filled_up() -> None:
    mixer = Mixer()
    wave = np.arange(1000, dtype=np.int16)
    mixer.start(Sound(1, wave))
    assert mixer.frames_left == 2
    out = frames(mixer)
    np.testing.assert_array_equal(out[:1000], wave)
    assert not out[1000:].any()
    assert len(out) == 2 * FRAME_SAMPLES


def test_sounds_add_up_and_each_ends_by_itself() -> None:
    mixer = Mixer()
    mixer.start(sound(1000, 100))
    mixer.start(sound(2000, 900), 0.5)
    out = frames(mixer)
    assert (out[:100] == 2000).all()
    assert (out[100:900] == 1000).all()
    assert not out[900:].any()


@pytest.mark.parametrize("value", [30000, -30000])
def test_a_mix_that_is_too_loud_is_cut_one_decibel_below_full_scale(value: int) -> None:
    mixer = Mixer()
    for _ in range(5):
        mixer.start(sound(value))
    frame = mixer.frame()
    assert frame is not None
    assert set(frame.tolist()) == {LIMIT if value > 0 else -LIMIT}
    assert pytest.approx(32767 * 10 ** (-1 / 20), abs=1) == LIMIT


def test_stopping_a_node_ends_only_its_sounds() -> None:
    mixer = Mixer()
    mixer.start(sound(1000, nodes=frozenset({5, 6})))
    mixer.start(sound(200))
    mixer.stop(frozenset({6, 9}))
    frame = mixer.frame()
    assert frame is not None
    assert frame[0] == 200


def test_with_too_many_sounds_the_oldest_ends() -> None:
    mixer = Mixer()
    mixer.start(sound(1000))
    for _ in range(MOST_SOUNDS):
        mixer.start(sound(1))
    frame = mixer.frame()
    assert frame is not None
    assert frame[0] == MOST_SOUNDS
