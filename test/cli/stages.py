"""What the examples of the commands' helps need to run, by command."""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import soundfile
from PIL import Image

from benchmarks.vision.scenes import cube_facing
from cozmo_driver.behavior.trace import Decision, Rejection, TraceFile, trace_path
from cozmo_driver.checkup import seeing
from cozmo_driver.cli import update
from cozmo_driver.cli.doctor import robot as doctor
from cozmo_driver.emulator import Identity as Emulated
from cozmo_driver.emulator import running_emulator, socket_path
from cozmo_driver.face.expressions import find
from cozmo_driver.face.parameters import eye_to_app
from cozmo_driver.localization import looking
from cozmo_driver.media import SAMPLE_RATE
from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.protocol.frames import Frame, FrameType, build_frame
from cozmo_driver.resources.json_clips import write_json_clips
from cozmo_driver.robot import Identity, UpdateTimes
from cozmo_driver.robot.storage.backup import save_backup
from cozmo_driver.robot.storage.rules import entry_image

from ..animation.clips import face, face_clip
from ..emulator.controlled_room import controlled_room_in_thread
from ..music.test_songs import midi
from ..perception.pictures import seen
from ..resources.app_tree import expansion
from ..robot import firmware_files
from ..traffic.capture_files import SESSION, as_pcap, recording
from .command import CAPTURES, ROOT
from .network_manager import PASSWORD, PROFILE, ROBOT, network_manager

HOST = "127.0.0.1"
STARTED_AT = 1_763_740_800.0
DECISIONS = (
    Decision(1.0, "activity", "PlayAlone", "first that wants to begin",
             (Rejection("Hiking", "blocked by cooldown 84 s"),)),
    Decision(1.0, "behavior", "Alone_Wander", "score 1.42",
             (Rejection("Alone_Think", "it ran 12 s ago"),)),
    Decision(2.5, "reaction", "ReactToCliff", "CliffDetected"),
    Decision(4.0, "end", "ReactToCliff", "done"),
    Decision(4.0, "resume", "Alone_Wander", "goes on after the reaction"),
)  # fmt: skip
_READY = "Cozmo emulator on"
_PORTS_OF_EXAMPLES = (5551, 5562)
_LISTEN = "cozmo dump --interface"
_LEARN, _LEARN_SIDE = "cozmo vision learn --cube 1", "cozmo vision learn --cube 1 --side"
_SERVE = "cozmo replay session.pcap --serve"


@dataclass(frozen=True)
class Stage:
    """Of the tables by how an example begins, the longest beginning counts."""

    prepare: Callable[[Path], object] = lambda folder: None
    """Puts the files that the examples name into the folder in which they run."""
    emulator: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``running_emulator`` for what takes ``--robot``."""
    meanwhile: Callable[[str], AbstractContextManager[str]] = lambda line: nullcontext("")
    """A context in which the example runs; yields words to append."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Words to append."""
    ends: Mapping[str, str] = field(default_factory=dict)
    """What an example prints before it waits for Ctrl-C."""
    offline: Sequence[str] = ()
    """Beginnings of examples that need no robot although there is ``--robot``."""
    codes: Mapping[str, int] = field(default_factory=dict)
    """Exit codes other than 0."""


def may_listen() -> bool:
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0).close()
    except PermissionError:
        return False
    return True


def _prepare_anim(folder: Path) -> None:
    clip = face_clip("anim_mine", face(0, 10.0), face(330, -10.0))
    (folder / "clips.json").write_text(write_json_clips([clip]))


def _prepare_behavior(folder: Path) -> None:
    for namespace in ("", "/cozmo1"):
        TraceFile(trace_path(namespace)).append(DECISIONS, STARTED_AT)
    shutil.copy(ROOT / "docs" / "examples" / "nod_at_taps.py", folder / "nod.py")


def _prepare_songs(folder: Path) -> None:
    midi(folder, *((60 + 2 * note, note, note + 1) for note in range(6)))
    time = np.arange(round(4.0 * SAMPLE_RATE)) / SAMPLE_RATE
    taps = 20000.0 * np.sin(2765.0 * time) * np.exp(-30.0 * (time % 0.5))
    soundfile.write(folder / "music.wav", taps.astype(np.int16), SAMPLE_RATE, "PCM_16")


def _prepare_capture(folder: Path) -> None:
    (folder / "session.pcap").write_bytes(as_pcap(recording(SESSION)))


def _prepare_decode(folder: Path) -> None:
    shutil.copy(CAPTURES / "session_fw2457_start.log", folder / "session.log")


def _prepare_face(folder: Path) -> None:
    fear = find("Fear").face
    content = {"leftEye": eye_to_app(fear.left_eye), "rightEye": eye_to_app(fear.right_eye)}
    (folder / "face.json").write_text(json.dumps(content))


def _prepare_nv(folder: Path) -> None:
    images = {int(NVEntryTag.GAME_UNLOCKS): entry_image(b"unlocked", None)}
    serial = Emulated().head_serial
    save_backup(folder / "saved.json", Identity("", 0, head_serial=serial), images)
    save_backup(folder / "other.json", Identity("", 0, head_serial=serial + 1), images)
    (folder / "unlocks.bin").write_bytes(b"unlocked")


def _prepare_vision(folder: Path) -> None:
    for name, cube in (("picture", 2), ("cube1", 1), ("cube3", 3)):
        image = seen(cube_facing(cube, "front", 0.12, kind=5)).picture
        Image.fromarray(image).save(folder / f"{name}.png")


@contextmanager
def _emulator(line: str) -> Iterator[str]:
    """Run an emulator at the ports that the examples name."""
    if not line.startswith("cozmo emulator ctl"):
        yield ""
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict(os.environ, XDG_RUNTIME_DIR=folder),
        controlled_room_in_thread() as (server, _),
    ):
        for other in _PORTS_OF_EXAMPLES:
            socket_path(HOST, other).symlink_to(socket_path(HOST, server.port))
        yield ""


@contextmanager
def _asking_engine(line: str) -> Iterator[str]:
    """Run an engine that asks for a connection until somebody listens."""
    request = build_frame(Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    ended = threading.Event()

    def ask() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as engine:
            while not ended.wait(0.05):
                engine.sendto(request, (HOST, port))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield f"--listen {HOST}:{port} --seconds 1"
    finally:
        ended.set()
        thread.join()


@contextmanager
def _replay(line: str) -> Iterator[str]:
    if line.startswith(_SERVE):
        yield f"--serve {HOST}:0"
        return
    with running_emulator() as emulator:
        yield f"--engine-to {HOST}:{emulator.port} --speed 20"
        assert emulator.state().received["SetHeadAngle"] == 1


@contextmanager
def _traced_robot(line: str) -> Iterator[str]:
    if "--live" not in line:
        yield ""
        return
    with running_emulator() as emulator:
        yield f"--live {HOST}:{emulator.port} --seconds 0.5"
        assert emulator.state().sessions == 1


@contextmanager
def _network_manager(line: str) -> Iterator[str]:
    known = {PROFILE: {"ssid": ROBOT, "psk": PASSWORD}}
    with (
        tempfile.TemporaryDirectory() as folder,
        network_manager(Path(folder), profiles=known, joined={PROFILE: "wlan1"}),
    ):
        yield ""


@contextmanager
def _patched(what: Any, name: str, value: object) -> Iterator[str]:
    with mock.patch.object(what, name, value):
        yield ""


def _prepare_run(folder: Path) -> None:
    (folder / "hello_world.py").write_text(
        "import cozmo\n"
        "def main(robot: cozmo.robot.Robot) -> None:\n"
        "    robot.set_lift_height(1.0).wait_for_completed()\n"
        "cozmo.run_program(main)\n"
    )


STAGES = {
    "anim": Stage(_prepare_anim, emulator={"speed": 2.5}),
    "behavior": Stage(_prepare_behavior, ends={"cozmo behavior trace --follow": "goes on after"}),
    # In a terminal only, unless somebody has agreed; and there is no cube.
    "calibrate": Stage(
        meanwhile=lambda line: _patched(seeing, "FINDING", 0.3),
        offline=("cozmo calibrate",),
        codes={"cozmo calibrate": 2, "cozmo calibrate --yes": 1},
    ),
    # Somebody presses Enter twice: it connects, and does the first step.
    "checkup": Stage(
        words={"cozmo checkup": "--only identity", "cozmo checkup --yes": ""},
        meanwhile=lambda line: _patched(sys, "stdin", io.StringIO("\n\n")),
    ),
    "decode": Stage(_prepare_decode),
    # The link on this computer needs no 3 s to be measured.
    "doctor": Stage(meanwhile=lambda line: _patched(doctor, "MEASURED", 0.3)),
    "dump": Stage(
        _prepare_capture,
        words={_LISTEN: "--interface lo --seconds 0.2"},
        codes={} if may_listen() else {_LISTEN: 1},
    ),
    "emulator": Stage(
        meanwhile=_emulator,
        # Whatever port an example names may be somebody's.
        words={"cozmo emulator": "--port 0", "cozmo emulator ctl": "", "cozmo emulator map": ""},
        ends={"cozmo emulator": _READY, "cozmo emulator ctl": "", "cozmo emulator map": ""},
    ),
    # Nobody wants to look for 5 s, nor to listen for 2 s.
    "face": Stage(_prepare_face, words={"cozmo face show": "--seconds 0.5"}),
    "info": Stage(words={"cozmo info": "--listen 0.2"}),
    "linktest": Stage(words={"cozmo linktest": "--count 20"}),
    # On an endless floor there are no tags, in whatever direction it looks.
    "map": Stage(
        lambda folder: shutil.copy(ROOT / "config/maps/landmarks_tags.yaml", folder / "tags.yaml"),
        emulator={"speed": 3.0},
        meanwhile=lambda line: _patched(looking, "_STEPS", 2),
        words={"cozmo map learn": "--spots 1"},
        codes={"cozmo map learn": 1},
    ),
    # Over HTTP on a free port, as there is no client to speak with; test/assistant has one.
    "mcp": Stage(
        words={"cozmo mcp": "--http 0"},
        ends={"cozmo mcp": "serving"},
        codes={"cozmo mcp": 130},
        offline=("cozmo mcp",),
    ),
    # An emulated robot's storage is empty but for what the factory left.
    "nv": Stage(
        _prepare_nv,
        emulator={"speed": 2.5},
        codes={"cozmo nv read game_unlocks": 1, "cozmo nv read 0x182000": 1},
    ),
    # Nobody is known yet.
    "people": Stage(codes={"cozmo people forget Ann": 1}),
    "record": Stage(meanwhile=_asking_engine),
    "replay": Stage(_prepare_capture, meanwhile=_replay, ends={_SERVE: "the recorded robot is on"}),
    # There are none yet.
    "resources": Stage(
        lambda folder: (folder / "main.obb").write_bytes(expansion()),
        codes={"cozmo resources status": 1},
    ),
    # They begin robots of their own.
    "run": Stage(_prepare_run, offline=("cozmo run",)),
    "songs": Stage(_prepare_songs, emulator={"speed": 2.5}),
    "trace": Stage(_prepare_capture, meanwhile=_traced_robot),
    # An emulated robot needs no 15 s to restart.
    "update": Stage(
        lambda folder: firmware_files.write(folder / "cozmo.safe"),
        emulator={"on_charger": True, "speed": 2.5},
        meanwhile=lambda line: _patched(update, "TIMES", UpdateTimes(restart=0.5)),
        offline=("cozmo update cozmo.safe --check",),
    ),
    # In a terminal only, which there is none in a test.
    "vision": Stage(
        _prepare_vision,
        words={"cozmo vision watch --output": "--count 3"},
        ends={_LEARN: "connecting cube 1", _LEARN_SIDE: ""},
        offline=("cozmo vision watch", "cozmo vision learn --cube 3", _LEARN_SIDE),
        codes={
            _LEARN: 130,
            _LEARN_SIDE: 0,
            "cozmo vision watch": 2,
            "cozmo vision watch --output": 0,
        },
    ),
    "wifi": Stage(
        lambda folder: (folder / "password.txt").write_text(f"{PASSWORD}\n"),
        meanwhile=_network_manager,
    ),
}
