"""From an event of a user's bank to the samples the robot gets."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from cozmo_driver.resources.sound import recordings
from cozmo_driver.resources.sound.bank_sounds import BankSounds
from cozmo_driver.resources.sound.resolver import MOST_PLAYS, Play
from cozmo_driver.resources.sound.sounds import Sound

from . import bank_writer as writer
from .bank_writer import BankWriter, pcm_wem, vorbis_wem

RNG = random.Random(1)


def level(value: int, count: int = 500) -> bytes:
    """A WEM file of one constant value: its level is told from the samples."""
    return pcm_wem(np.full(count, value, np.int16))


def bank(folder: Path, made: BankWriter, name: str = "Test.bnk") -> BankSounds:
    made.write(folder / name)
    return BankSounds(folder)


def heard(sounds: BankSounds, event_id: int, rng: random.Random = RNG) -> int:
    """Level of the event's first sample, 0 for silence."""
    sound = sounds.sound_for(event_id, rng)
    return 0 if sound is None else int(sound.samples[0])


def said(sounds: BankSounds, *parts: str) -> int:
    """Return how many causes were mentioned, in which all these words occur."""
    text = "\n".join(map(str, sounds.warnings))
    assert all(part in text for part in parts), text
    return len(sounds.warnings)


def near(value: float) -> object:
    return pytest.approx(value, abs=2)


@pytest.fixture
def made() -> BankWriter:
    return BankWriter(media={901: level(1000), 902: level(2000), 903: level(4000)})


def test_an_event_leads_through_its_action_to_a_sound(tmp_path: Path, made: BankWriter) -> None:
    made.event(1, 10)
    made.sound(10, 902)
    sounds = bank(tmp_path, made)
    assert sounds.has(1)
    assert not sounds.has(10)
    sound = sounds.sound_for(1, RNG)
    assert isinstance(sound, Sound)
    assert (sound.event_id, len(sound.samples)) == (1, 500)
    assert sound.samples[0] == near(2000)
    assert sound.nodes == {10}
    assert not sound.samples.flags.writeable
    assert not sounds.warnings


def test_volumes_of_all_parents_add_up(tmp_path: Path, made: BankWriter) -> None:
    made.event(1, 10)
    made.sound(10, 903, base=writer.node_base(20, -6.0206))
    made.add(5, 20, writer.container(10, base=writer.node_base(21)))
    made.add(7, 21, writer.mixer(20, base=writer.node_base(0, -6.0206)))
    sounds = bank(tmp_path, made)
    assert heard(sounds, 1) == near(1000)
    sound = sounds.sound_for(1, RNG)
    assert sound is not None
    assert sound.nodes == {10, 20, 21}


def test_a_random_volume_is_drawn_from_its_range(tmp_path: Path, made: BankWriter) -> None:
    made.event(1, 10)
    made.sound(10, 903, base=writer.node_base(0, None, (-6.0206, 0.0)))
    sounds = bank(tmp_path, made)
    levels = [heard(sounds, 1, random.Random(seed)) for seed in range(50)]
    assert 1990 < min(levels) < 2300
    assert 3600 < max(levels) < 4010


def test_a_continuous_sequence_is_one_sound(tmp_path: Path, made: BankWriter) -> None:
    made.event(1, 20)
    made.add(5, 20, writer.container(10, 11, sequence=True, continuous=True))
    made.sound(10, 901)
    made.sound(11, 903)
    sound = bank(tmp_path, made).sound_for(1, RNG)
    assert sound is not None
    assert len(sound.samples) == 1000
    assert (sound.samples[499], sound.samples[500]) == (near(1000), near(4000))


def test_a_switch_plays_its_default(tmp_path: Path, made: BankWriter) -> None:
    made.event(1, 20)
    made.add(6, 20, writer.switch(50, 51, {51: (10,), 52: (11, 12)}))
    for id_, media in ((10, 901), (11, 902), (12, 903)):
        made.sound(id_, media)
    made.event(2, 21)
    made.add(6, 21, writer.switch(50, 52, {51: (10,), 52: (11, 12)}))
    made.event(3, 22)
    made.add(6, 22, writer.switch(50, 53, {51: (10,)}))
    sounds = bank(tmp_path, made)
    assert heard(sounds, 1) == near(1000)
    assert heard(sounds, 2) == near(6000)
    assert sounds.sound_for(3, RNG) is None


def test_a_layer_plays_all_its_children(tmp_path: Path, made: BankWriter) -> None:
    made.event(1, 20)
    made.add(9, 20, writer.layer(10, 11))
    made.sound(10, 901)
    made.sound(11, 902)
    assert heard(bank(tmp_path, made), 1) == near(3000)


def test_an_event_stops_the_sounds_of_a_node(tmp_path: Path, made: BankWriter) -> None:
    made.add(4, 1, writer.event(5))
    made.add(3, 5, writer.action(20, writer.STOP))
    sounds = bank(tmp_path, made)
    assert sounds.stopped_by(1) == {20}
    assert sounds.stopped_by(99) == frozenset()
    assert sounds.sound_for(1, RNG) is None
    assert not sounds.warnings


def test_objects_are_found_in_other_banks(tmp_path: Path, made: BankWriter) -> None:
    events = BankWriter(bank_id=1)
    events.event(1, 10)
    events.write(tmp_path / "Events.bnk")
    below = tmp_path / "Language"
    below.mkdir()
    made.sound(10, 902)
    made.write(below / "Sounds.BNK")
    assert heard(BankSounds(tmp_path), 1) == near(2000)


def test_streamed_media_comes_from_its_file_and_never_from_its_beginning(
    tmp_path: Path, made: BankWriter
) -> None:
    made.event(1, 10)
    made.sound(10, 901, stream=2)
    sounds = bank(tmp_path, made)
    assert sounds.sound_for(1, RNG) is None
    assert said(sounds, "no file 901.wem") == 1
    (tmp_path / "901.wem").write_bytes(level(3000))
    assert heard(BankSounds(tmp_path), 1) == near(3000)


@pytest.mark.parametrize("kind", ["ogg", "wav"])
@pytest.mark.parametrize("where", [".", "converted"])
def test_vorbis_is_played_from_the_converted_file(kind: str, where: str, tmp_path: Path) -> None:
    made = BankWriter()
    made.event(1, 10)
    made.sound(10, 555, stream=1)
    banks = tmp_path / "banks"
    banks.mkdir()
    made.write(banks / "Test.bnk")
    (banks / "555.wem").write_bytes(vorbis_wem())
    folder = banks / where
    folder.mkdir(exist_ok=True)

    refused = BankSounds(banks)
    assert refused.sound_for(1, RNG) is None
    (warning,) = refused.warnings
    assert "put it beside the banks as 555.ogg or 555.wav" in warning.text

    tone = 0.4 * np.sin(2 * np.pi * 500 * np.arange(48000) / 48000)
    soundfile.write(folder / f"555.{kind}", tone, 48000)
    sounds = BankSounds(banks)
    sound = sounds.sound_for(1, RNG)
    assert sound is not None
    assert sound.duration == pytest.approx(1.0, abs=0.01)
    spectrum = np.abs(np.fft.rfft(sound.samples))
    assert np.argmax(spectrum) / sound.duration == pytest.approx(500, abs=1)
    assert not sounds.warnings


def test_what_is_missing_is_silence_and_mentioned_once(tmp_path: Path) -> None:
    made = BankWriter(media={5: b"no wem at all"})
    made.event(1, 404)
    made.event(2, 20)
    made.event(3, 10)
    made.event(4, 11)
    made.add(4, 6, writer.event(61))
    made.add(3, 61, writer.action(7, 0x1901))
    made.add(13, 20, bytes(30))
    made.sound(10, 5)
    made.sound(11, 6)
    made.add(2, 12, b"short")
    made.event(5, 12)
    sounds = bank(tmp_path, made)
    for _ in range(2):
        assert [sounds.sound_for(event, RNG) for event in range(1, 8)] == [None] * 7
    assert said(sounds, "in no bank", "is music", "left out", "no file 6.wem", "carried out") == 6


def test_an_empty_folder_or_none_has_no_sounds(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        sounds = BankSounds(folder)
        assert sounds.event_ids == frozenset()
        assert sounds.sound_for(1, RNG) is None


def test_a_pipe_with_the_name_of_a_sound_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "Init.bnk")
    os.mkfifo(tmp_path / "5.wem")
    made = BankWriter()
    made.event(1, 10)
    made.sound(10, 5, stream=1)
    sounds = bank(tmp_path, made)
    assert sounds.sound_for(1, RNG) is None
    assert said(sounds, "5.wem: left out: ") == 1


def test_banks_that_go_in_circles_are_left(tmp_path: Path, made: BankWriter) -> None:
    made.event(1, 20)
    made.add(5, 20, writer.container(21, base=writer.node_base(21)))
    made.add(5, 21, writer.container(20, base=writer.node_base(20)))
    made.event(2, 10)
    made.sound(10, 901, base=writer.node_base(20, -6.0206))
    sounds = bank(tmp_path, made)
    assert sounds.sound_for(1, RNG) is None
    assert said(sounds, "contains itself or too much") == 1
    assert heard(sounds, 2) == near(501)


def test_a_bank_that_multiplies_itself_plays_no_more_than_is_allowed(
    tmp_path: Path, made: BankWriter
) -> None:
    made.event(1, 100)
    for id_ in range(100, 130):
        made.add(9, id_, writer.layer(*[id_ + 1] * 40))
    made.sound(130, 901)
    sounds = bank(tmp_path, made)
    plan = sounds.plan(1, RNG)
    assert plan is not None
    stack, plays = [plan], 0
    while stack:
        one = stack.pop()
        plays += isinstance(one, Play)
        stack.extend(() if isinstance(one, Play) else one.parts)
    assert 1 <= plays <= MOST_PLAYS
    assert 0 < said(sounds, "too much") < 200


def test_recordings_are_decoded_once_and_forgotten_when_there_are_too_many(
    tmp_path: Path, made: BankWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "CACHE_BYTES", 2500)
    for number, media in enumerate((901, 902, 903)):
        made.event(number, 10 + number)
        made.sound(10 + number, media)
    sounds = bank(tmp_path, made)
    first = sounds.recordings.samples(901)
    assert sounds.recordings.samples(901) is first
    sounds.recordings.samples(902)
    sounds.recordings.samples(903)
    again = sounds.recordings.samples(901)
    assert again is not first
    np.testing.assert_array_equal(again, first)


def test_a_missing_library_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = BankWriter()
    made.event(1, 10)
    made.sound(10, 5)
    (tmp_path / "5.ogg").write_bytes(b"OggS")
    sounds = bank(tmp_path, made)
    monkeypatch.setitem(sys.modules, "soundfile", None)
    assert sounds.sound_for(1, RNG) is None
    assert said(sounds, "need the Python package soundfile") == 1


def test_a_codec_that_nobody_knows_is_said(tmp_path: Path) -> None:
    made = BankWriter(media={5: writer.wem(0x69, 1, 22050, 36, 4, bytes(36))})
    made.event(1, 10)
    made.sound(10, 5)
    sounds = bank(tmp_path, made)
    assert sounds.sound_for(1, RNG) is None
    assert said(sounds, "0x0069") == 1
