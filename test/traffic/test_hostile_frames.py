"""Frames that somebody damaged on purpose are shown, counted and traced, and break nothing."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from cozmo_driver.traffic.describe import Summary, frame_as_json, frame_as_text
from cozmo_driver.traffic.dissect import STREAMS, Dissector, Selection
from cozmo_driver.traffic.replay import timeline
from cozmo_driver.traffic.sources import open_file
from cozmo_driver.traffic.trace import SessionSeries, Tracer

from .capture_files import IMAGE, SESSION, Recorded, as_pcap, recording

ROUNDS = 1000


def damaged(seed: int) -> list[Recorded]:
    """Return frames of the recordings with bytes changed, cut off and added behind the magic."""
    chance = random.Random(seed)
    sound = [*recording(SESSION), *recording(IMAGE)]
    frames = []
    for number in range(ROUNDS):
        one = chance.choice(sound)
        data = bytearray(one.data[: chance.choice((None, chance.randrange(1, 1400)))])
        for _ in range(chance.choice((0, 1, 4, 40))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        data[:7] = sound[0].data[:7]
        frames.append(Recorded(number / 100, chance.random() < 0.5, bytes(data)))
    return frames


@pytest.mark.parametrize("seed", range(2))
def test_damaged_frames_break_nothing(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(as_pcap(damaged(seed)))
    dissector, tracer, summary = Dissector(), Tracer(), Summary()
    selection, series = Selection(hidden=STREAMS), SessionSeries()
    with open_file(str(path)) as traffic:
        for recorded in traffic.frames:
            frame = dissector.dissect(recorded)
            assert frame_as_text(frame, "now")
            json.dumps(frame_as_json(frame), allow_nan=False)
            selection.apply(frame)
            summary.update(frame)
            for event in tracer.update(frame):
                json.dumps(event.as_json(), allow_nan=False)
                series.update(event)
        sessions = summary.as_json(traffic.sessions.ends)
    assert dissector.frames == ROUNDS
    assert dissector.unexplained > 0
    assert sum(one["tx"]["frames"] + one["rx"]["frames"] for one in sessions) == ROUNDS
    for to_robot in (True, False):
        *messages, end = (one.message for one in timeline(str(path), to_robot=to_robot))
        assert end is None
        assert messages
        assert None not in messages
