"""``sing`` and ``dance`` on the graph: what the emulated robot lets be heard."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cozmo_driver.media import frequency_of
from cozmo_driver.music import find_song, songs_by_name, user_songs
from cozmo_interfaces.action import Dance, Sing
from cozmo_interfaces.msg import Reason
from cozmo_interfaces.srv import ListSongs

from ..music.hearing import cents, middle, onset_near, pitch_of
from ..robot.sounds import tone_file
from .conftest import World
from .goals import Action
from .sounds import audible, wait_for_silence

SHORT = "title: Scale\nbpm: 120\nnotes: C4:1 E4:1 G4:1 C5:1\n"
NO_LEGS = Sing.Goal.TRACK_BODY


@pytest.fixture
def singer(world: World) -> Iterator[Action]:
    wait_for_silence(world)
    world.emulator.call(lambda firmware: firmware.animation.recording.clear())
    return Action(world.graph, Sing, "sing")


@pytest.mark.covers("sing")
def test_a_song_file_is_heard_in_tune_and_in_time(
    world: World, singer: Action, tmp_path: Path
) -> None:
    path = tmp_path / "scale.yaml"
    path.write_text(SHORT)
    goal = singer.send(song=str(path), excluded_tracks=NO_LEGS)
    end, result = goal.wait()
    assert (end, result.success, result.song) == ("succeeded", True, "Scale"), result.message
    assert result.position == pytest.approx(2.0, abs=0.05)
    beats = [message.beat for message in goal.feedback.messages]
    assert beats == sorted(beats)
    assert beats[-1] == 3
    wait_for_silence(world)
    samples = audible(world)
    for note in find_song(str(path)).sung_notes():
        held = middle(samples, note.start, note.duration)
        assert abs(cents(pitch_of(held), frequency_of(note.pitch))) < 20.0
        # Silence before the first note is cut off here.
        assert abs(onset_near(samples, note.start, note.duration) - note.start) < 0.02


@pytest.mark.covers("sing")
def test_a_goal_that_makes_no_sense_is_aborted_with_the_reason(
    singer: Action, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.mid"
    damaged.write_bytes(b"MThd" + bytes(100))
    for fields, reason in (
        ({"song": "no_such_song"}, Reason.NOT_FOUND),
        ({"song": str(tmp_path / "none.yaml")}, Reason.NOT_FOUND),
        ({"song": str(damaged)}, Reason.INVALID),
        ({"song": "twinkle", "bpm": float("nan")}, Reason.INVALID),
        ({"song": "twinkle", "transpose": 60}, Reason.INVALID),
        ({"song": "twinkle", "excluded_tracks": 128}, Reason.INVALID),
    ):
        end, result = singer.do(**fields)
        assert (end, result.reason) == ("aborted", reason), result.message


@pytest.mark.covers("sing")
def test_a_cancelled_song_is_silent_at_once(world: World, singer: Action) -> None:
    goal = singer.send(song="twinkle", excluded_tracks=NO_LEGS)
    goal.feedback.wait_for(lambda message: message.position > 1.0)
    goal.cancel()
    end, result = goal.wait()
    assert (end, result.reason) == ("canceled", Reason.CANCELED)
    assert 1.0 < result.position < 5.0
    wait_for_silence(world)


@pytest.fixture
def users_songs() -> Iterator[Path]:
    folder = user_songs()
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.covers("sing")
def test_any_song_is_one_that_can_be_sung(singer: Action, users_songs: Path) -> None:
    for name in songs_by_name():
        (users_songs / f"{name}.yaml").write_text("title: Torn\n")
    (users_songs / "scale.yaml").write_text(SHORT)
    end, result = singer.do(excluded_tracks=NO_LEGS)
    assert (end, result.song) == ("succeeded", "Scale"), result.message


@pytest.mark.covers("list_songs")
def test_songs_are_listed(world: World) -> None:
    answer = world.graph.call(ListSongs, "list_songs", ListSongs.Request(filter="t*"))
    assert answer.success
    assert list(answer.names) == sorted(answer.names)
    index = list(answer.names).index("twinkle")
    assert answer.titles[index] == "Twinkle, Twinkle, Little Star"
    assert answer.durations[index] == pytest.approx(28.8)


@pytest.mark.covers("dance")
def test_it_dances_to_a_bpm_and_to_a_file(world: World, singer: Action, tmp_path: Path) -> None:
    dancer = Action(world.graph, Dance, "dance")
    goal = dancer.send(bpm=150.0, duration=2.0, excluded_tracks=NO_LEGS)
    end, result = goal.wait()
    assert (end, result.bpm) == ("succeeded", 150.0), result.message
    assert result.position == pytest.approx(2.0, abs=0.05)
    assert goal.feedback.messages[-1].beat == 4
    for fields, reason in (
        ({}, Reason.INVALID),
        ({"bpm": 1000.0}, Reason.INVALID),
        ({"file": str(tmp_path / "none.wav")}, Reason.NOT_FOUND),
        ({"file": str(tone_file(tmp_path, 4.0))}, Reason.INVALID),
    ):
        end, result = dancer.do(**fields)
        assert (end, result.reason) == ("aborted", reason), result.message
    assert np.isfinite(result.position)
