"""``cozmo face``: what it prints and draws, and what a robot shows of it."""

from __future__ import annotations

import json
import math
import signal
from pathlib import Path

import pytest

from cozmo_driver.emulator import running_emulator
from cozmo_driver.face.expressions import EXPRESSIONS, find
from cozmo_driver.face.parameters import Face, eye_to_app
from cozmo_driver.face.renderer import render
from cozmo_driver.protocol import DisconnectReason

from .command import DEADLINE, run, started

HOST = "127.0.0.1"


def write_face(path: str, face: Face, **changes) -> None:
    content = {
        "faceAngle": math.degrees(face.angle),
        "faceCenterX": face.center_x,
        "faceCenterY": face.center_y,
        "leftEye": eye_to_app(face.left_eye),
        "rightEye": eye_to_app(face.right_eye),
        **changes,
    }
    Path(path).write_text(json.dumps({k: v for k, v in content.items() if v is not None}))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_listed_face_can_be_given_back_and_looks_the_same():
    listed = json.loads(run("face", "list", "--json")[1])
    assert len(listed) == len(EXPRESSIONS)
    for content, expression in list(zip(listed, EXPRESSIONS, strict=True))[::6]:
        Path("face.json").write_text(json.dumps(content))
        name = f"{expression.name}.png"
        assert run("face", "render", expression.name.lower())[:2] == (0, f"{name}\n")
        assert run("face", "render", "--file", "face.json")[:2] == (0, "face.png\n")
        assert Path(name).read_bytes() == Path("face.png").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("render",), 2, "give the name of an expression or a --file"),
        (("render", "Grumpy"), 1, "there is no expression 'Grumpy'; there are Neutral, Anger"),
        (("render", "Fury", "--output", "x.gif"), 2, "x.gif: a picture is a .png"),
        (("render", "Fury", "--scale", "17"), 2, "--scale 17: it is from 1 to 16"),
        (("render", "--file", "nowhere.json"), 1, "nowhere.json: there is no such file"),
        (("render", "--file", "list.json"), 1, "list.json: it is no object"),
        (("render", "--file", "nan.json"), 1, "nan.json: NaN is no number of JSON"),
        (("render", "--file", "eyeless.json"), 1, "eyeless.json: there is no 'rightEye'"),
        (("render", "--file", "words.json"), 1, "words.json: could not convert string to float"),
        (("show", "Fury", "--seconds", "-1"), 2, "--seconds -1: it is 0 or more"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, code, reason):
    face = find("Fear").face
    write_face("face.json", face)
    write_face("eyeless.json", face, rightEye=None)
    write_face("nan.json", face, faceCenterX=math.nan)
    write_face("words.json", face, faceAngle="upwards")
    Path("list.json").write_text("[]")
    if arguments[0] == "show":
        arguments = (*arguments, "--robot", HOST)
    ended, _, errors = run("face", *arguments)
    assert ended == code
    assert errors.startswith(f"cozmo face: {reason}")
    assert errors.count("\n") == 1


def test_a_face_is_shown_as_it_is_drawn():
    face = find("Anger").face
    write_face("face.json", face)
    with running_emulator() as emulator:
        where = ("--robot", HOST, "--port", emulator.port, "--seconds", 1, "--still")
        assert run("face", "show", "--file", "face.json", *where)[0] == 0
        state = emulator.wait_for(lambda now: not now.connected)
        (_, picture) = emulator.played_pictures()[0]
    assert state.last_disconnect is DisconnectReason.REMOTE
    # Every second row is dark.
    lit = render(face, None)
    assert any((picture[parity::2] == lit[parity::2]).all() for parity in (0, 1))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_is_shown_until_somebody_interrupts(number, code):
    with running_emulator() as emulator:
        words = ("--seconds", 0, "--robot", HOST, "--port", emulator.port)
        with started("face", "show", "Surprise", *words) as process:
            emulator.wait_for(lambda state: state.animation.frames_played > 5, DEADLINE)
            outcome = process.end(number)
        state = emulator.wait_for(lambda now: not now.connected)
    assert outcome == (code, "showing Surprise\n", "")
    assert state.last_disconnect is DisconnectReason.REMOTE
