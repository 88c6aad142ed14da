"""``cozmo songs``: what it lists, draws and imports, and what a robot lets be heard of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from cozmo_driver.emulator import running_emulator
from cozmo_driver.music import read_song

from ..music.test_songs import midi
from .command import run

HOST = "127.0.0.1"


def test_songs_are_listed_for_people_and_programs():
    code, text, _ = run("songs", "list")
    assert code == 0
    assert "twinkle" in text
    listed = json.loads(run("songs", "list", "--json")[1])
    assert {"name": "can_can", "title": "Can-Can", "seconds": 12.8, "bpm": 150.0} in listed
    assert len(listed) == len(text.splitlines())


def test_a_song_that_is_bad_is_said_and_the_rest_listed(folder):
    songs = folder / "data" / "cozmo_driver" / "songs"
    songs.mkdir(parents=True)
    (songs / "bad.yaml").write_text("title: x\nbpm: 100\nnotes: H4\n")
    (songs / "folder.yaml").mkdir()
    code, text, errors = run("songs", "list")
    assert code == 0
    assert "twinkle" in text
    assert errors.splitlines() == [
        f"{songs / 'bad.yaml'}: note 1 is none: it is C4, C4:2, F#4:1/2, Bb4:0.5:doo, "
        "or R:1 for a rest",
        f"{songs / 'folder.yaml'}: Is a directory",
    ]


def test_a_midi_file_becomes_a_song_file_that_is_not_overwritten():
    path = midi(Path(), (60, 0, 1), (64, 1, 2), (67, 2, 4))
    assert run("songs", "import", path)[:2] == (0, "tune.yaml: 3 notes, C4 to G4, 2.0 s\n")
    assert [note.pitch for note in read_song(Path("tune.yaml")).notes] == [60, 64, 67]
    code, _, errors = run("songs", "import", path)
    assert code == 2
    assert "tune.yaml exists" in errors


def test_what_cannot_be_sung_is_told_in_a_line():
    Path("bad.yaml").write_text("title: x\nbpm: 100\nnotes: C4:1 H4:1\n")
    for words, reason in (
        (("sing", "twinkel"), "twinkle"),
        (("sing", "bad.yaml"), "note 2 is none"),
        (("sing", "none.mid"), "no song file"),
        (("draw", "twinkle", "--output", "x.pdf"), ".png"),
        (("import", "none.mid"), "No such file"),
    ):
        code, _, errors = run("songs", *words)
        assert code in (1, 2)
        assert reason in errors
        assert errors.count("\n") == 1


def test_a_picture_shows_the_song():
    assert run("songs", "draw", "farmer_in_the_dell")[:2] == (0, "farmer_in_the_dell.png\n")
    with Image.open("farmer_in_the_dell.png") as image:
        colors = image.convert("RGB").getcolors(image.width * image.height)
    assert len(colors) > 100


def test_a_robot_sings_and_dances():
    Path("song.yaml").write_text("title: Two\nbpm: 120\nnotes: C4 G4\n")
    with running_emulator(calibration_time=0.0) as emulator:
        where = ("--robot", HOST, "--port", emulator.port)
        code, text, _ = run("songs", "sing", "song.yaml", *where)
        assert (code, text) == (0, "sang Two, 1.0 s at 120 beats per minute\n")
        sound = emulator.call(lambda firmware: firmware.animation.recording.sounds())
        assert max(np.abs(one.samples.astype(int)).max() for one in sound) > 8000
        code, text, _ = run("songs", "dance", "--bpm", 150, "--seconds", 1, *where)
        assert (code, text) == (0, "danced 1.0 s at 150 beats per minute\n")
        code, _, errors = run("songs", "dance", *where)
        assert code == 1
        assert "say the bpm" in errors
