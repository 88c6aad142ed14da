"""``cozmo trace``: of captures of a real robot, of the emulator, as text, events and pictures."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from cozmo_driver.emulator import running_emulator
from cozmo_driver.installation import pip_install

from .command import DEADLINE, cozmo, environment

HOST = "127.0.0.1"


def test_the_summary_tells_phases_frames_and_round_trips(session: Path) -> None:
    result = cozmo("trace", session)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "session 1  engine 172.31.1.2:47817, robot 172.31.1.1:5551, 2.5 s from 0.0 s on",
        "  phases        connecting 0.00 s, connected 0.33 s, starting 1.32 s, running 0.82 s",
        "  to robot      27 frames (10.9/s), 820 bytes, 27 messages and pings, 0 sent again",
        "  from robot    37 frames (14.9/s), 4413 bytes, 77 messages and pings, 1 sent again",
        "  ping          24 answered, 0 lost: about 0.0 % of datagrams each way; "
        "p50 17.8 ms, p99 32.5 ms, longest 32.5 ms",
        "  acknowledged  p50 30.6 ms, p99 30.6 ms, longest 30.6 ms after they were first sent",
        "  states        28, 0 missing",
    ]


def test_a_picture_of_the_session_is_drawn(session: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "session.png"
    assert cozmo("trace", session, "--picture", path).returncode == 0
    with Image.open(path) as image:
        assert image.size == (1300, 1000)
        pixels = image.convert("RGB")
    # Something is drawn in each fifth of it.
    for top in range(0, 1000, 200):
        assert len(pixels.crop((0, top, 1300, top + 200)).getcolors(1300 * 200)) > 20


def test_without_matplotlib_only_the_picture_is_missing(session: Path, tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None; from cozmo_driver.cli.main import main; "
        "sys.exit(main(sys.argv[1:]))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, "trace", session, "--picture", tmp_path / "a.png"],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )
    assert result.returncode == 1
    assert "  states        28, 0 missing" in result.stdout
    install = pip_install("matplotlib")
    needed = f"this needs the Python package matplotlib; install it: {install}"
    assert result.stderr == f"cozmo trace: {needed}\n"


def test_a_live_trace_sees_what_the_link_loses_and_moves_nothing() -> None:
    with running_emulator(loss=0.2, latency=0.005, seed=5) as emulator:
        result = cozmo(*("trace", "--live", f"{HOST}:{emulator.port}", "--seconds", 4, "--json"))
        state = emulator.wait_for(lambda now: not now.connected)
    assert result.returncode == 0, result.stderr
    assert set(state.received) == {"GetManufacturingInfo"}
    events = [json.loads(line) for line in result.stdout.splitlines()]
    kinds = Counter(event["kind"] for event in events)
    # A ping passes two ways of which each loses a fifth.
    assert 0 < kinds["ping_lost"] < kinds["round_trip"]
    assert all(e["after"] >= 0.010 for e in events if e["kind"] == "round_trip")
    assert sum(e["repeated"] for e in events if e["kind"] == "frame" and e["way"] == "TX") > 0
    phases = [event["name"] for event in events if event["kind"] == "phase"]
    assert phases[:2] == ["connecting", "connected"]
