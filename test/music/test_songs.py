"""Song files: what they say, and what is refused of them."""

from __future__ import annotations

import random
import resource
import struct
import sys
import time
from pathlib import Path

import mido
import pytest

from cozmo_driver.media import LibraryMissing
from cozmo_driver.music import (
    Note,
    Song,
    SongError,
    SongNotFound,
    find_song,
    open_song,
    read_song,
    song_from_midi,
    songs_by_name,
    text_of,
)
from cozmo_driver.music.song import LARGEST_FILE, LONGEST, MOST_NOTES

HEAD = "title: A song\nbpm: 120\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "song.yaml"
    path.write_text(text)
    return path


def test_a_song_file_is_read(tmp_path):
    text = HEAD + (
        "beats_per_bar: 3\npickup: 1\ntranspose: 2\nsyllables: la doo\nlicence: mine\n"
        "source: me\nnotes: >-\n  C4 D#4:1/2 | R:2 Bb4:0.5:mm A4:1\n"
    )
    song = read_song(written(tmp_path, text))
    assert song == Song(
        "A song",
        (
            Note(60, 1.0, "la"),
            Note(63, 0.5, "doo"),
            Note(None, 2.0),
            Note(70, 0.5, "mm"),
            Note(69, 1.0, "doo"),
        ),
        120.0, 3, 1.0, 2, "mine", "me",
    )  # fmt: skip
    sung = song.sung_notes()
    assert [note.pitch for note in sung] == [62.0, 65.0, 72.0, 71.0]
    assert [note.start for note in sung] == pytest.approx([0.0, 0.5, 1.75, 2.0])
    assert song.duration == pytest.approx(2.5)
    assert song.beat_times() == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0])


@pytest.mark.parametrize("name", songs_by_name())
def test_every_song_of_the_package_is_free_and_read_as_it_was_written(name, tmp_path):
    song = find_song(name)
    assert song.licence == "public domain"
    assert song.source
    again = read_song(written(tmp_path, text_of(song)))
    assert text_of(again) == text_of(song)
    assert again.duration == pytest.approx(song.duration, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "title, bpm and notes"),
        ("- C4\n", "title, bpm and notes"),
        ("title: x\nbpm: 100\n", "notes is missing"),
        ("title: x\nnotes: C4\n", "bpm is missing"),
        ("title: [x]\nbpm: 100\nnotes: C4\n", "title is one text"),
        (HEAD + "notes: {a: b}\n", "notes is one text"),
        (HEAD + "notes: C4\ntempo: 3\n", "key 4 is unknown"),
        (HEAD + "notes: C4\nnotes: D4\n", "stands twice"),
        (HEAD + "notes: &a C4\n", "anchors"),
        (HEAD + "notes: !!python/object:os.system C4\n", "tag"),
        (HEAD + "notes: [[[", "line"),
        ("title: x\nbpm: .nan\nnotes: C4\n", "bpm is no number"),
        ("title: x\nbpm: nan\nnotes: C4\n", "bpm is nan"),
        ("title: x\nbpm: inf\nnotes: C4\n", "bpm is inf"),
        ("title: x\nbpm: -100\nnotes: C4\n", "bpm is -100"),
        (HEAD + "notes: H4\n", "note 1 is none"),
        (HEAD + "notes: C4:-1\n", "note 1 is none"),
        (HEAD + "notes: C4:nan\n", "note 1: it cannot be sung"),
        (HEAD + "notes: C4:0\n", "the length of note 1 is 0"),
        (HEAD + "notes: C4:1/0\n", "note 1 has no length in beats"),
        (HEAD + "notes: C4:1e999\n", "note 1 is none"),
        (HEAD + "notes: C4:0.001\n", "note 1 lasts 0.0005 s"),
        (HEAD + "notes: C4:999999\n", "note 1 lasts"),
        (HEAD + "notes: " + "C4:60 " * 3 + "\n", "lasts 90 s; up to 60 s"),
        (HEAD + "notes: R:1 R:1\n", "no notes"),
        (HEAD + "notes: C2\n", r"transpose it by \+12"),
        (HEAD + "notes: C7\n", "transpose it by -12"),
        (HEAD + "notes: C4\ntranspose: 99999999999\n", "no small whole number"),
        (HEAD + "notes: C4\nbeats_per_bar: 0\n", "beats_per_bar is 0"),
        (HEAD + "notes: C4\npickup: 5\n", "pickup is 5"),
        (HEAD + "notes: C3 D5:1\n", "two octaves"),
        (HEAD + "notes: C4:1:xyz\n", "cannot be sung"),
        (HEAD + "notes: C4\nsyllables: la shush\n", "syllable 2: it cannot"),
        (HEAD + "notes: " + "C4:0.2 " * (MOST_NOTES + 1) + "\n", "more than 500 notes"),
        ('title: "\\e[2J"\nbpm: 100\nnotes: C4\n', "title has a character that cannot be printed"),
        ('title: "\\ud800"\nbpm: 100\nnotes: C4\n', "title has a character"),
        ("title: !%1b[2J x\n", "the tag '!.x1b"),
        ("title: " + "x" * 300 + "\nbpm: 100\nnotes: C4\n", "title has more than"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_with_the_reason(tmp_path, text, reason):
    with pytest.raises(SongError, match=reason) as refused:
        read_song(written(tmp_path, text))
    assert str(refused.value).startswith(str(tmp_path))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00" * 100, bytes(range(256))])
def test_a_file_that_is_no_text_is_refused(tmp_path, content):
    path = tmp_path / "song.yaml"
    path.write_bytes(content)
    with pytest.raises(SongError):
        read_song(path)


def test_a_huge_file_or_a_pipe_is_not_read(tmp_path):
    path = written(tmp_path, HEAD + "notes: C4\n#" + "x" * LARGEST_FILE)
    with pytest.raises(OSError, match="more than"):
        read_song(path)
    with pytest.raises(OSError, match="no regular file"):
        read_song(Path("/dev/zero"))


def test_an_unknown_song_is_answered_with_those_like_it():
    with pytest.raises(SongNotFound, match="twinkle"):
        find_song("twinkel")
    with pytest.raises(SongNotFound, match="no song file"):
        find_song("none.yaml")


def test_songs_of_the_user_stand_in_for_those_of_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "cozmo_driver" / "songs"
    folder.mkdir(parents=True)
    (folder / "twinkle.yaml").write_text(HEAD + "notes: C4\n")
    (folder / "mine.yml").write_text(HEAD + "notes: D4\n")
    (folder / "notes.txt").write_text("no song")
    assert find_song("twinkle").title == "A song"
    assert {"mine", "sakura"} < set(songs_by_name())
    assert "notes" not in songs_by_name()


# -- MIDI


def midi(folder: Path, *events, ticks=480, tempo=500_000, channel=0) -> Path:
    """A file of notes as (pitch, start, end) in beats."""
    track = mido.MidiTrack([mido.MetaMessage("set_tempo", tempo=tempo)])
    timed = [(start, "note_on", pitch) for pitch, start, _ in events]
    timed += [(end, "note_off", pitch) for pitch, _, end in events]
    before = 0
    for time_, kind, pitch in sorted(timed):
        tick = round(time_ * ticks)
        message = mido.Message(kind, note=pitch, time=tick - before, channel=channel)
        track.append(message)
        before = tick
    path = folder / "tune.mid"
    file = mido.MidiFile(ticks_per_beat=ticks)
    file.tracks.append(track)
    file.save(path)
    return path


def test_the_highest_voice_of_a_midi_file_is_sung(tmp_path):
    path = midi(
        tmp_path, (60, 0, 1), (64, 0, 1), (67, 1, 2.5), (65, 2, 3), (36, 2, 3), (72, 4, 6),
        tempo=600_000,
    )  # fmt: skip
    song = song_from_midi(path)
    assert song.bpm == pytest.approx(100.0)
    assert song.notes == (
        Note(64, 1.0), Note(67, 1.0), Note(65, 1.0), Note(None, 1.0), Note(72, 2.0),
    )  # fmt: skip
    assert open_song(path) == song
    part = song_from_midi(path, start=1.0, beats=2.0)
    assert part.notes == (Note(67, 1.0), Note(65, 1.0))


def test_gaps_and_ornaments_of_people_who_play_are_no_rests_and_no_notes(tmp_path):
    path = midi(
        tmp_path, (60, 0, 0.96), (62, 1, 1.03), (66, 1.95, 2), (64, 2, 2.9), (65, 3.5, 3.52),
    )  # fmt: skip
    song = song_from_midi(path)
    assert [note.pitch for note in song.notes] == [60, 62, None, 64, None, 65]
    beats = [note.beats for note in song.notes]
    assert beats == pytest.approx([1.0, 0.1212, 0.8788, 0.9, 0.6, 0.1212], abs=0.01)


def test_a_midi_file_that_is_too_low_is_sung_octaves_higher(tmp_path):
    song = song_from_midi(midi(tmp_path, (40, 0, 1), (45, 1, 2)))
    assert song.transpose == 24
    assert [note.pitch for note in song.sung_notes()] == [64.0, 69.0]


def test_drums_and_files_without_notes_are_refused(tmp_path):
    with pytest.raises(SongError, match="no notes"):
        song_from_midi(midi(tmp_path, (40, 0, 1), channel=9))
    with pytest.raises(SongError, match="channel 3 has no notes; there are 0"):
        song_from_midi(midi(tmp_path, (60, 0, 1)), channel=3)
    for part in ({"start": 16.0}, {"beats": 0.01}):
        with pytest.raises(SongError, match=r"tune\.mid: there are no notes in this part"):
            song_from_midi(midi(tmp_path, (60, 0, 1)), **part)


def test_without_the_library_a_midi_file_says_what_to_install(tmp_path, monkeypatch):
    path = midi(tmp_path, (60, 0, 1))
    monkeypatch.setitem(sys.modules, "mido", None)
    with pytest.raises(LibraryMissing, match=r"install it: .* -m pip install .*mido$"):
        song_from_midi(path)


def big_midi(folder: Path, notes: int) -> Path:
    """A file of so many notes, three bytes for each event by running status."""
    body = bytes([0, 0x90, 60, 100]) + bytes([96, 60, 0, 0, 60, 100]) * notes
    path = folder / "big.mid"
    track = b"MTrk" + struct.pack(">I", len(body)) + body
    path.write_bytes(b"MThd" + struct.pack(">IHHH", 6, 0, 1, 480) + track)
    return path


HOSTILE = {
    "a million notes": lambda f: big_midi(f, 1_000_000),
    "as many notes as are read": lambda f: big_midi(f, 43_000),
    "no beats": lambda f: midi(f, (60, 0, 1), ticks=480) and _patched(f, 12, b"\x00\x00"),
    "times of films": lambda f: midi(f, (60, 0, 1)) and _patched(f, 12, b"\xe7\x28"),
    "a track longer than the file": lambda f: midi(f, (60, 0, 1)) and _patched(f, 18, b"\x7f"),
    "many tracks": lambda f: midi(f, (60, 0, 1)) and _patched(f, 10, b"\xff\xff"),
    "cut off": lambda f: _cut(midi(f, (60, 0, 1), (62, 1, 2))),
    "nothing behind its head": lambda f: _patched(f, 0, b"MThd") if midi(f) else None,
    "tempo 0": lambda f: midi(f, (60, 0, 1), tempo=0),
    "a note of years": lambda f: midi(f, (60, 0, 500_000)),
    "no MIDI": lambda f: _patched(f, 0, b"RIFF") if midi(f, (60, 0, 1)) else None,
}


def _patched(folder, offset, data):
    path = folder / "tune.mid"
    content = bytearray(path.read_bytes())
    content[offset : offset + len(data)] = data
    path.write_bytes(content)
    return path


def _cut(path):
    path.write_bytes(path.read_bytes()[:-9])
    return path


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_midi_file_is_refused_quickly_and_in_little_memory(tmp_path, what):
    path = HOSTILE[what](tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    with pytest.raises((SongError, OSError)) as refused:
        song_from_midi(path)
    assert time.process_time() - started < 5.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB
    assert len(str(refused.value)) < 300


def test_random_damage_never_fails_otherwise(tmp_path):
    path = midi(tmp_path, *((60 + n % 12, n, n + 1) for n in range(20)))
    whole = path.read_bytes()
    choose = random.Random(4)
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(choose.randint(1, 6)):
            content[choose.randrange(4, len(content))] = choose.randrange(256)
        path.write_bytes(content)
        try:
            song = song_from_midi(path)
        except SongError:
            continue
        assert 0.0 < song.duration <= LONGEST
