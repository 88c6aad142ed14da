"""Songs and dances at the emulated robot, in virtual time: what is heard, seen and left behind."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cozmo_driver.animation import Player, load_assets
from cozmo_driver.media import frequency_of
from cozmo_driver.music import Performer, find_song

from ..robot.sounds import silent, sounds, truth
from ..robot.virtual import in_virtual_time
from .hearing import cents, middle, onset_near, pitch_of


def performer(world):
    assets = load_assets()
    player = Player(world.robot, assets.library, assets.sounds, random.Random(1), world.loop.time)
    return Performer(world.robot, player)


def heard(world):
    """All that the robot played since it first made a sound."""
    (sound,) = [one for one in sounds(world) if np.abs(one.samples).max() > 0]
    return sound.samples


@in_virtual_time()
async def test_the_robot_plays_every_note_in_tune_and_in_time(world):
    song = find_song("twinkle")
    received = []
    performed = await performer(world).sing(song, on_progress=received.append)
    await silent(world)
    samples = heard(world)
    notes = song.sung_notes()
    errors = [
        abs(cents(pitch_of(middle(samples, n.start, n.duration)), frequency_of(n.pitch)))
        for n in notes
    ]
    late = [abs(onset_near(samples, n.start, n.duration) - n.start) for n in notes]
    print(max(errors), max(late), len(notes), performed)
    assert max(errors) < 20.0
    assert max(late) < 0.02
    assert performed.position == pytest.approx(song.duration, abs=0.05)
    assert [one.beat for one in received][-1] == song.beats - 1
    assert truth(world).overflows == 0
