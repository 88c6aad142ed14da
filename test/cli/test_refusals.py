"""What every command refuses: its exit code, and one line that names what is wrong."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from PIL import Image

from benchmarks.vision.scenes import Cube, cube_facing
from cozmo_driver.face.expressions import find
from cozmo_driver.face.parameters import eye_to_app
from cozmo_driver.resources.binary_clips import write_binary_clips
from cozmo_driver.resources.keyframes import HeadAngle

from ..animation.clips import face, face_clip, whole_clip
from ..perception.pictures import seen
from ..resources.app_tree import archive
from ..robot import firmware_files
from .command import cozmo

_SESSION = Path(__file__).parents[1] / "data" / "captures" / "session_fw2457_start.log"
_CASES = {
    "anim list 'xyz*'": (1, "'xyz*'"),
    "anim list --file bad.bin": (1, "bad.bin"),
    "anim list --file empty.bin": (1, "empty.bin"),
    "anim info": (2, "name"),
    "anim info anim_nodd_01": (1, "did you mean"),
    "anim info --file two.bin": (2, "anim_mine, anim_whole"),
    "anim render Greeting": (1, "anim_gree"),
    "anim render anim_nod_01 --output x.bmp": (2, "x.bmp"),
    "anim render anim_nod_01 --scale 0": (2, "--scale 0"),
    "anim render --file long.bin": (1, "anim_long"),
    "anim convert two.bin x.txt": (2, "x.txt"),
    "anim convert two.bin two.bin": (2, "two.bin"),
    "anim convert bad.bin x.json": (1, "bad.bin, byte "),
    "anim play anim_nod_01 --loops -1 --robot 127.0.0.1": (2, "--loops -1"),
    "anim play anim_nod_01 --without nose --robot 127.0.0.1": (2, "nose"),
    "behavior list 'Flies*'": (1, "Flies*"),
    "behavior trace none.jsonl": (1, "none.jsonl"),
    "behavior graph --now": (1, "nobody knows what runs"),
    "behavior graph --activity Flying": (1, "Flying"),
    "behavior graph --output x.gif": (2, "x.gif"),
    "decode nowhere.log": (1, "nowhere.log: No such file"),
    "decode /": (1, "Is a directory"),
    "doctor --robot cozmo.local": (2, "cozmo.local"),
    "doctor --port 0": (2, "--port 0"),
    "dump": (2, "FILE"),
    "dump a.pcap --interface lo": (2, "FILE"),
    "dump nowhere.pcap": (1, "nowhere.pcap: No such file"),
    "dump session.log --absolute": (2, "--absolute"),
    "emulator --loss 2": (2, "--loss 2"),
    "emulator --port 70000": (2, "70000"),
    "emulator --host no.such.host.invalid": (1, "no.such.host.invalid"),
    "emulator --world moon": (2, "maze, room, table"),
    "emulator --speed 0": (2, "speed"),
    "emulator --serial 0": (2, "--serial 0"),
    "emulator --world maze --robots 3 --port 0": (2, "places for 2 robots"),
    "emulator --view terminal": (2, "not a terminal"),
    "emulator --view /dev/null/folder": (1, "/dev/null/folder"),
    "emulator --truth /dev/null/file": (1, "/dev/null/file"),
    "emulator ctl --port 1 poke": (1, "port 1"),
    "emulator map room --output room.png": (2, "room.png"),
    "emulator map room --output /dev/null/room.yaml": (1, "/dev/null/room.yaml"),
    "face render": (2, "--file"),
    "face render Grumpy": (1, "'Grumpy'"),
    "face render Fury --output x.gif": (2, "x.gif"),
    "face render --file nowhere.json": (1, "nowhere.json"),
    "face render --file list.json": (1, "list.json"),
    "face render --file nan.json": (1, "NaN"),
    "face render --file eyeless.json": (1, "'rightEye'"),
    "face render --file words.json": (1, "words.json"),
    "face show Fury --seconds -1 --robot 127.0.0.1": (2, "--seconds -1"),
    "linktest --robot cozmo.local": (1, "'cozmo.local'"),
    "linktest --count 0": (2, "--count 0"),
    "linktest --rate -5": (2, "--rate -5"),
    "mcp --max-speed 0.3": (2, "speed"),
    "mcp --max-distance 0": (2, "--max-distance 0"),
    "mcp --http 65536": (2, "--http 65536"),
    "nv backup saved.json --port 0": (2, "--port 0"),
    # What can never be done needs no robot to be refused.
    "nv erase camera_calib --yes": (1, "factory"),
    "nv write birth_certificate big.bin --yes": (1, "factory"),
    "nv write game_unlocks big.bin --yes": (1, "big.bin does not fit"),
    "nv write game_unlocks none.bin --yes": (1, "none.bin: No such file"),
    "nv restore hostile.json --yes --force": (1, "it holds no entries"),
    "record a.pcap --seconds 0": (2, "--seconds 0"),
    "record a.pcap --size nan": (2, "--size nan"),
    "record a.pcap --listen 127.0.0.1:x": (2, "'127.0.0.1:x'"),
    "record a.pcap --listen 127.0.0.1:0 --robot cozmo.local": (1, "'cozmo.local'"),
    "replay session.log --serve 127.0.0.1:0 --speed 0": (2, "--speed 0"),
    "replay session.log --serve 127.0.0.1:0 --session 3": (1, "session 3"),
    "replay session.log --serve nowhere:70000": (2, "nowhere:70000"),
    # A real robot moves only where somebody agrees.
    "replay session.log --engine-to 172.31.1.1": (2, "--yes"),
    "resources import other.zip": (1, "other.zip"),
    "trace": (2, "FILE"),
    "trace --live 127.0.0.1 --seconds 0": (2, "--seconds 0"),
    "trace nowhere.pcap": (1, "nowhere.pcap: No such file"),
    "map draw nowhere.yaml": (1, "nowhere.yaml"),
    "map draw /dev/null": (1, "no regular file"),
    "map grid nowhere.yaml": (1, "nowhere.yaml"),
    "map grid nowhere.yaml --output room.png": (2, "room.png"),
    "map grid nowhere.yaml --corners 1,2": (2, "three corners"),
    "map grid nowhere.yaml --corners 1,x 2,2 3,3": (2, "1,x is no corner"),
    "map learn --origin 4x4_50:99": (2, "0 to 49"),
    "map learn --spots 0": (2, "--spots"),
    "map learn --step nan": (2, "--step"),
    "map learn --size 5": (2, "10 to 500 mm"),
    "map learn --by-hand -1": (2, "--by-hand"),
    "map learn --output tags.txt": (2, "tags.txt"),
    "map learn --output session.log/a.yaml": (2, "session.log/a.yaml cannot be written: Not a dir"),
    "trace session.log --session 2": (1, "no frame"),
    "trace session.log --picture session.txt": (1, "'txt'"),
    "update old.safe --yes": (1, "2158"),
    "update recovery.safe --check": (1, "FACTORY"),
    "update zeros.safe --yes": (1, "damaged"),
    "vision print": (2, "--cube"),
    "vision print --side top": (2, "--side"),
    "vision print --tag 36h11:999": (2, "0 to 586"),
    "vision print --cube 1 --size nan": (2, "--size nan"),
    "vision print --cube 1 --size 120": (2, "more than a page"),
    "vision print --tags 0": (2, "--tags 0"),
    "vision print --tags 9 --cube 1": (2, "--cube"),
    "vision print --tags 9 --first 4x4_50:45": (2, "0 to 49"),
    "vision print --tags 9 --output page.png": (2, ".pdf"),
    "vision print --cube 1 --output page.txt": (2, "page.txt"),
    "vision locate --objects bad.yaml one.png": (1, "objects"),
    "vision locate --objects broken.yaml one.png": (1, "broken.yaml"),
    "vision locate --head nan one.png": (2, "--head nan"),
    "vision locate --calibration bad.yaml one.png": (1, "'camera_matrix'"),
    "vision locate --calibration broken.yaml one.png": (1, "broken.yaml"),
    "vision locate --templates bad.yaml one.png": (1, "bad.yaml"),
    "vision learn --cube 1 room.png": (1, "room.png"),
    "vision learn --cube 1 --side inside one.png": (2, "'inside'"),
    "vision watch": (2, "--output"),
    "vision watch --output seen --count -1": (2, "--count -1"),
    "vision watch --output seen --head inf": (2, "--head inf"),
}


def _clips(folder: Path) -> None:
    mine = face_clip("anim_mine", face(0, 10.0), face(330, -10.0))
    long = dataclasses.replace(mine, name="anim_long", head_angle=(HeadAngle(0, 2**32 - 1),))
    for name, clips in (("two", [mine, whole_clip("anim_whole")]), ("empty", []), ("long", [long])):
        (folder / f"{name}.bin").write_bytes(write_binary_clips(clips))
    (folder / "bad.bin").write_bytes(b"\xff" * 40)


def _faces(folder: Path) -> None:
    fear = find("Fear").face
    eyes = {"leftEye": eye_to_app(fear.left_eye), "rightEye": eye_to_app(fear.right_eye)}
    for name, content in {
        "list": [],
        "eyeless": {"leftEye": eyes["leftEye"]},
        "nan": {**eyes, "faceCenterX": math.nan},
        "words": {**eyes, "faceAngle": "upwards"},
    }.items():
        (folder / f"{name}.json").write_text(json.dumps(content))


def _storage(folder: Path) -> None:
    (folder / "big.bin").write_bytes(bytes(4081))
    backup = {
        "format": "cozmo_driver storage backup",
        "version": 1,
        "created": "2026-01-31T12:00:00+00:00",
        "head_serial": "0x45a1b2c3",
        "firmware_version": 2457,
        "entries": [],
    }
    (folder / "hostile.json").write_text(json.dumps(backup))


def _firmware(folder: Path) -> None:
    for name, content in {
        "old": firmware_files.content(version=2158),
        "recovery": firmware_files.content(build="FACTORY"),
        "zeros": firmware_files.content()[:1024] + bytes(20_000),
    }.items():
        (folder / f"{name}.safe").write_bytes(content)


@functools.cache
def _pictures() -> dict[str, Image.Image]:
    scenes: dict[str, tuple[Cube, ...]] = {"room": (), "one": (cube_facing(2, "left", 0.15),)}
    return {name: Image.fromarray(seen(*cubes).picture) for name, cubes in scenes.items()}


def _images(folder: Path) -> None:
    for name, picture in _pictures().items():
        picture.save(folder / f"{name}.png")
    (folder / "bad.yaml").write_text("a: 1\n")
    (folder / "broken.yaml").write_text("a: [\n")


_FILES: Mapping[str, Callable[[Path], object]] = {
    "anim": _clips,
    "face": _faces,
    "nv": _storage,
    "resources": lambda folder: (folder / "other.zip").write_bytes(archive({"a": b""})),
    "update": _firmware,
    "vision": _images,
}


@pytest.mark.parametrize("line", _CASES)
def test_it_is_said_in_one_line(line: str, folder: Path) -> None:
    words = shlex.split(line)
    for word, package in (("mcp", "mcp"), ("--picture", "matplotlib")):
        if word in words:
            pytest.importorskip(package)
    (folder / "session.log").symlink_to(_SESSION)
    _FILES.get(words[0], lambda _: None)(folder)
    done = cozmo(*words)
    code, reason = _CASES[line]
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(f"cozmo {words[0]}: "), done.stderr
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
