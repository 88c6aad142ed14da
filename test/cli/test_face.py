"""``cozmo face``: what it prints and draws, and what a robot shows of it."""

from __future__ import annotations

import json
import math
from pathlib import Path

from cozmo_driver.emulator import running_emulator
from cozmo_driver.face.expressions import EXPRESSIONS, find
from cozmo_driver.face.parameters import Face, eye_to_app
from cozmo_driver.face.renderer import render
from cozmo_driver.protocol import DisconnectReason

from .command import run

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


def test_a_listed_face_can_be_given_back_and_looks_the_same():
    listed = json.loads(run("face", "list", "--json")[1])
    assert len(listed) == len(EXPRESSIONS)
    for content, expression in list(zip(listed, EXPRESSIONS, strict=True))[::6]:
        Path("face.json").write_text(json.dumps(content))
        name = f"{expression.name}.png"
        assert run("face", "render", expression.name.lower())[:2] == (0, f"{name}\n")
        assert run("face", "render", "--file", "face.json")[:2] == (0, "face.png\n")
        assert Path(name).read_bytes() == Path("face.png").read_bytes()


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
