"""The file of decisions: where it is, how a line looks, and that it stays small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cozmo_driver.behavior.trace import (
    Decision,
    Rejection,
    TraceFile,
    older_path,
    state_directory,
    trace_path,
)


@pytest.mark.parametrize(
    ("namespace", "environment", "expected"),
    [
        ("", {"HOME": "/home/ann"}, "/home/ann/.local/state/cozmo_driver/cozmo"),
        ("/c1", {"XDG_STATE_HOME": "/state"}, "/state/cozmo_driver/c1"),
        ("/lab/c1", {"XDG_STATE_HOME": "/state"}, "/state/cozmo_driver/lab_c1"),
        (
            "c1",
            {"HOME": "/home/ann", "XDG_STATE_HOME": "relative"},
            "/home/ann/.local/state/cozmo_driver/c1",
        ),
    ],
)
def test_each_namespace_has_its_own_place(
    namespace: str, environment: dict[str, str], expected: str
) -> None:
    assert state_directory(namespace, environment) == Path(expected)
    assert trace_path(namespace, environment) == Path(expected, "behavior_trace.jsonl")


def test_a_decision_is_a_line_with_its_reasons(tmp_path: Path) -> None:
    file = TraceFile(tmp_path / "new" / "trace.jsonl")
    rejected = (Rejection("Alone_Think", "it ran 12 s ago"),)
    file.append([], 1000.0)
    assert not file.path.exists()
    file.append([Decision(0.25, "behavior", "Alone_Wander", "score 1.42", rejected)], 1000.0)
    file.append([Decision(1.5, "activity", "", "nothing to do")], 1000.0)
    first, second = map(json.loads, file.path.read_text().splitlines())
    assert first == {
        "time": 1000.25,
        "kind": "behavior",
        "name": "Alone_Wander",
        "reason": "score 1.42",
        "rejected": [{"name": "Alone_Think", "why": "it ran 12 s ago"}],
    }
    assert (second["time"], second["name"], second["rejected"]) == (1001.5, "", [])


def test_a_full_file_makes_place_and_only_one_older_is_kept(tmp_path: Path) -> None:
    file = TraceFile(tmp_path / "trace.jsonl", most_bytes=1000)
    for number in range(100):
        file.append([Decision(number, "end", f"Behavior{number}", "done")], 0.0)
        assert file.path.stat().st_size <= 1000
    names = [
        json.loads(line)["name"]
        for path in (older_path(file.path), file.path)
        for line in path.read_text().splitlines()
    ]
    assert names == [f"Behavior{number}" for number in range(100 - len(names), 100)]
    assert len(names) > 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace.jsonl", "trace.jsonl.1"]
