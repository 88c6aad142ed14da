"""``cozmo behavior``: lists, trees, pictures and the trace of a node."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.behavior.trace import Decision, TraceFile, older_path, trace_path
from cozmo_driver.cli import behavior
from cozmo_driver.cli.behavior_graph import Life

from .command import cozmo, started
from .stages import DECISIONS, STARTED_AT


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.jsonl"
    TraceFile(path).append(DECISIONS, STARTED_AT)
    return path


def keep(trace: Path) -> None:
    """Put a trace where that of a behaviour node is looked for."""
    place = trace_path("")
    place.parent.mkdir(parents=True)
    place.write_bytes(trace.read_bytes())


def test_behaviours_say_what_they_are_and_all_of_them_can_run() -> None:
    answer = {
        one["behavior_id"]: one for one in json.loads(cozmo("behavior", "list", "--json").stdout)
    }
    assert answer["ReactToCliff"]["animations"]
    assert not [name for name, one in answer.items() if not one["is_supported"]]
    assert cozmo("behavior", "list", "--missing").stdout == ""


def test_a_file_of_a_user_is_listed_and_a_broken_one_said(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(
        "from cozmo_driver.behavior.behavior import behavior\n"
        "@behavior('Wave')\n"
        "async def wave(life):\n"
        "    'Waves.'\n"
    )
    bad.write_text("nonsense(\n")
    done = cozmo("behavior", "list", "--behavior", good, "--behavior", bad)

    assert any(line.split() == ["Wave", "Waves."] for line in done.stdout.splitlines())
    assert "left out: " in done.stdout
    assert "bad.py" in done.stdout


def test_the_tree_has_every_activity_of_everyday_life_and_what_it_chooses_from() -> None:
    life = Life("")
    lines = cozmo("behavior", "graph").stdout.splitlines()
    names = {line.lstrip("│├└─ ").split("  (")[0] for line in lines}
    freeplay = life.activities["Freeplay"]

    assert set(freeplay.children) < names
    for child in freeplay.children:
        chooser = life.activities[child].chooser
        assert chooser is None or {name for name, _ in chooser.behaviors} <= names
    below = cozmo("behavior", "graph", "--activity", "Hiking").stdout.splitlines()
    assert below[0].startswith("Hiking")
    assert 1 < len(below) < len(lines)


def test_what_runs_is_marked(trace: Path) -> None:
    assert behavior.running(trace) == {"PlayAlone", "Alone_Wander"}
    keep(trace)
    marked = [
        line for line in cozmo("behavior", "graph", "--now").stdout.splitlines() if "* " in line
    ]
    assert [line.split("* ")[1].split("  (")[0] for line in marked] == ["PlayAlone", "Alone_Wander"]


def test_a_picture_shows_the_tree_and_what_runs_in_another_colour(
    tmp_path: Path, trace: Path
) -> None:
    def orange(path: Path) -> int:
        pixels = np.asarray(Image.open(path).convert("RGB")).astype(int)
        assert pixels.shape[1] > 600
        assert (pixels.min(axis=2) < 100).mean() > 0.002, "there is next to nothing in it"
        return int(((pixels[..., 0] - pixels[..., 2]) > 120).sum())

    keep(trace)
    for name, extra in (("plain.png", []), ("now.png", ["--now"])):
        assert cozmo("behavior", "graph", *extra, "--output", tmp_path / name).returncode == 0

    assert orange(tmp_path / "plain.png") == 0
    assert orange(tmp_path / "now.png") > 200


def test_the_trace_tells_what_was_chosen_and_what_was_not(trace: Path) -> None:
    lines = cozmo("behavior", "trace", trace).stdout.splitlines()

    assert "activity  PlayAlone: first that wants to begin" in lines[0]
    assert lines[1].strip() == "not Hiking: blocked by cooldown 84 s"
    assert len(lines) == 7
    about = cozmo("behavior", "trace", trace, "--about", "Hiking").stdout.splitlines()
    assert about == lines[:2]
    last = cozmo("behavior", "trace", trace, "--last", "1", "--json").stdout
    assert json.loads(last)["name"] == "Alone_Wander"
    assert json.loads(last)["time"] == STARTED_AT + 4.0


def test_damaged_lines_are_passed_over(trace: Path) -> None:
    with trace.open("a") as file:
        file.write('{"time": 1}\nnull\n{"half\n' + "[" * 100_000 + "\n")
        file.write('{"time": 1, "kind": "end", "name": 3, "reason": "", "rejected": []}\n')

    done = cozmo("behavior", "trace", trace)

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 7


def test_new_decisions_are_followed_also_into_a_new_file(trace: Path) -> None:
    with started("behavior", "trace", trace, "--follow") as process:
        process.wait_for("goes on after the reaction")
        file = TraceFile(trace, most_bytes=trace.stat().st_size + 300)
        file.append([Decision(9.0, "behavior", "Alone_Turn", "score 1")], STARTED_AT)
        process.wait_for("Alone_Turn")
        file.append([Decision(9.5, "behavior", "Alone_Think", "x" * 300)], STARTED_AT)
        assert older_path(trace).exists()
        process.wait_for("Alone_Think")
        code, _, errors = process.end(signal.SIGINT)
    assert code == 0
    assert errors == ""
