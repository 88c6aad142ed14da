"""``cozmo anim``: what it prints and writes, and what a robot plays of it."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.animation.assets import load_assets
from cozmo_driver.emulator import running_emulator
from cozmo_driver.protocol import DisconnectReason
from cozmo_driver.resources import read_clip_file
from cozmo_driver.resources.json_clips import write_json_clips as write_json

from ..animation.clips import face, face_clip, group, whole_clip, write_tree
from .command import DEADLINE, cozmo, run, started

HOST = "127.0.0.1"
MINE = face_clip("anim_mine", face(0, 10.0), face(330, -10.0))


@pytest.fixture
def tree(tmp_path):
    """A folder with the user's assets in it, which is where the command runs."""
    write_tree(
        tmp_path / "user" / "assets" / "cozmo_resources",
        [whole_clip("anim_whole"), MINE, face_clip("anim_look_01", face(0))],
        groups={
            "ag_mine": group(
                {"Name": "anim_mine", "Weight": 2.0, "CooldownTime_Sec": 5.0, "Mood": "Happy"},
                {
                    "Name": "anim_look_01",
                    "Weight": 1.0,
                    "UseHeadAngle": True,
                    "HeadAngleMin_Deg": -10,
                    "HeadAngleMax_Deg": 20,
                },
            )
        },
        triggers={"Mine": "ag_mine", "AlsoMine": "ag_mine"},
    )
    return tmp_path / "user"


@pytest.fixture
def emulator():
    with running_emulator() as running:
        yield running


def play(emulator, *arguments):
    return cozmo("anim", "play", *arguments, "--robot", HOST, "--port", emulator.port)


# -- list


def test_the_users_animations_are_listed_beside_the_own_ones(tree):
    code, text, errors = run("anim", "list", "--directory", tree)
    assert (code, errors) == (0, "")
    assert "  anim_whole " in text
    own = load_assets(tree).library.clips.names
    assert len(own) > 40
    assert all(f"  {name} " in text for name in own)


def test_a_pattern_is_of_any_case_and_every_kind_tells_what_matters(tree):
    code, text, _ = run("anim", "list", "*MINE", "--directory", tree)
    assert code == 0
    assert text.splitlines() == [
        "2 triggers",
        "  AlsoMine  -> ag_mine",
        "  Mine      -> ag_mine",
        "1 group",
        "  ag_mine  2 clips",
        "1 clip",
        "  anim_mine   0.33 s  face",
    ]


def test_a_name_that_cannot_be_printed_is_said_and_left_out(tree):
    assets = tree / "assets" / "cozmo_resources" / "assets"
    for number, name in enumerate((r"\ud800", r"\u001b[2J")):
        pair = f'{{"CladEvent": "{name}", "AnimName": "ag_mine"}}'
        (assets / "animationGroupMaps" / f"{number}.json").write_text(f'{{"Pairs": [{pair}]}}')
    code, text, errors = run("anim", "list", "--directory", tree)
    assert (code, "AlsoMine" in text, "\x1b" in text + errors) == (0, True, False)
    assert errors.count("has a character that cannot be printed\n") == 2


def test_what_is_damaged_is_said_and_the_rest_listed(tree):
    animations = tree / "assets" / "cozmo_resources" / "assets" / "animations"
    (animations / "bad.bin").write_bytes(b"\xff" * 40)
    code, text, errors = run("anim", "list", "--directory", tree)
    assert code == 0
    assert "anim_whole" in text
    assert errors.startswith(f"{animations / 'bad.bin'}: left out: ")


# -- info


def test_a_clip_is_told_with_everything_it_has(tree):
    code, text, _ = run("anim", "info", "anim_whole", "--directory", tree)
    assert code == 0
    file = tree / "assets" / "cozmo_resources" / "assets" / "animations" / "clips.bin"
    assert text.splitlines() == [
        "clip       anim_whole",
        "length     0.96 s, 30 frames",
        "keyframes  2 lift, 3 face, 2 head, 2 sound, 1 lights, 2 events, 2 body, 1 heading marks, "
        "1 turns back",
        "groups     none",
        f"file       {file}",
    ]


def test_a_group_is_told_with_the_rules_of_its_clips(tree):
    code, text, _ = run("anim", "info", "Mine", "--directory", tree)
    assert code == 0
    assert text.splitlines() == [
        "trigger    Mine",
        "group      ag_mine",
        "triggers   AlsoMine",
        "clip       anim_mine      0.33 s  weight 2, mood Happy, at most every 5 s",
        "clip       anim_look_01   0.00 s  weight 1, head at -10 to 20°",
    ]
    code, text, _ = run("anim", "info", "ag_mine", "--json", "--directory", tree)
    content = json.loads(text)
    assert content["kind"] == "group"
    assert content["triggers"] == ["AlsoMine", "Mine"]
    assert content["clips"][0]["cooldown"] == 5.0


def test_what_of_a_clip_is_left_out_is_told_and_is_a_failure(tree):
    clip = json.loads(write_json([MINE]))
    clip["clips"][0]["keyframes"]["HeadAngleKeyFrame"] = [{"triggerTime_ms": 0, "angle_deg": 900}]
    Path("bad.json").write_text(json.dumps(clip))
    code, text, _ = run("anim", "info", "--file", "bad.json")
    assert code == 1
    assert "keyframes  2 face\n" in text
    assert "warning    bad.json: clip 'anim_mine': HeadAngleKeyFrame ends before keyframe 0" in text
    code, text, _ = run("anim", "info", "--file", "bad.json", "--json")
    assert code == 1
    assert len(json.loads(text)["warnings"]) == 1


# -- render


def test_a_clip_is_drawn_as_a_strip_and_as_a_moving_picture(tree):
    code, text, _ = run("anim", "render", "anim_mine", "--directory", tree)
    assert code == 0
    assert text == "anim_mine.png\nanim_mine.gif\n"
    with Image.open("anim_mine.png") as strip:
        assert strip.n_frames == 1
    with Image.open("anim_mine.gif") as moving:
        assert moving.n_frames == 6
        assert moving.info["loop"] == 0


def test_size_and_number_of_the_moments_are_chosen(tree):
    sizes = []
    for cells, scale in ((3, 1), (6, 1), (3, 2)):
        name = f"{cells}_{scale}.png"
        arguments = ("--cells", cells, "--scale", scale, "--output", name, "--directory", tree)
        assert run("anim", "render", "anim_whole", *arguments)[0] == 0
        with Image.open(name) as strip:
            sizes.append(strip.size)
    (width, height), (wider, _), larger = sizes
    assert wider > 1.9 * width
    assert larger == (2 * width, 2 * height)


def test_a_clip_that_is_called_like_a_path_is_drawn_only_where_it_is_told_to(tmp_path):
    photo = tmp_path / "photo.png"
    photo.write_text("precious")
    clip = face_clip(str(photo.with_suffix("")), face(0))
    Path("hostile.json").write_text(write_json([clip]))
    code, _, errors = run("anim", "render", "--file", "hostile.json")
    assert (code, "is no name for a picture; say one by --output" in errors) == (2, True)
    assert photo.read_text() == "precious"
    assert run("anim", "render", "--file", "hostile.json", "--output", "clip.png")[0] == 0


# -- convert


def test_a_clip_goes_into_the_other_format_and_back_unchanged(tree):
    clips = [whole_clip("anim_whole"), MINE]
    Path("a.json").write_text(write_json(clips))
    code, text, errors = run("anim", "convert", "a.json", "b.bin")
    size = Path("b.bin").stat().st_size
    assert (code, text, errors) == (0, f"b.bin: 2 clips, {size} bytes\n", "")
    assert run("anim", "convert", "b.bin", "c.json")[0] == 0
    for path in ("b.bin", "c.json"):
        loaded, warnings = read_clip_file(Path(path))
        assert [one.clip for one in loaded] == clips
        assert not warnings


def test_what_a_binary_file_cannot_keep_is_said(tree):
    content = json.loads(write_json([MINE]))
    content["clips"][0]["author"] = "somebody"
    Path("a.json").write_text(json.dumps(content))
    code, text, errors = run("anim", "convert", "a.json", "b.bin")
    assert code == 1
    assert text.startswith("b.bin: 1 clip, ")
    assert errors == "a.json: clip 'anim_mine': a .bin keeps nothing but keyframes\n"


# -- play


def test_a_clip_is_played_and_the_robot_left_neutral(tree, emulator):
    result = play(emulator, "anim_mine", "--directory", tree)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "played anim_mine\n"
    state = emulator.wait_for(lambda now: not now.connected)
    assert state.last_disconnect is DisconnectReason.REMOTE
    assert state.animation.overflows == 0
    assert state.received["StartOfAnimation"] == 1
    *_, (_, last) = emulator.played_pictures()
    assert np.nonzero(last.any(axis=0))[0].mean() == pytest.approx(63.5, abs=1.0)


def test_tracks_are_left_out_and_rounds_counted(tree, emulator):
    arguments = ("--loops", 2, "--without", "head,face,body,audio", "--directory", tree)
    result = play(emulator, "anim_whole", *arguments)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "played anim_whole, 2 times\n"
    received = emulator.state().received
    assert received["LiftHeight"] == 4
    assert not {"HeadAngle", "BodyMotion", "AudioSample"} & set(received)


def test_an_interrupted_clip_leaves_the_robot_still_and_says_goodbye(tree, emulator):
    words = ["--loops", "0", "--directory", tree, "--robot", HOST, "--port", emulator.port]
    with started("anim", "play", "anim_whole", *words) as process:
        emulator.wait_for(lambda state: state.animation.frames_played > 40, DEADLINE)
        ending, _, errors = process.end(signal.SIGTERM)
    state = emulator.wait_for(lambda now: not now.connected)
    assert ending == 143
    assert "Traceback" not in errors
    assert state.last_disconnect is DisconnectReason.REMOTE
    assert not state.animation.is_playing
