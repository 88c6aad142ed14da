"""The clips of this package, played on the emulated robot."""

from __future__ import annotations

import random

from cozmo_driver.animation import Player, load_assets

from ..robot.sounds import silent, truth
from ..robot.virtual import in_virtual_time


@in_virtual_time()
async def test_every_clip_of_the_package_is_played_to_its_end(world, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("PYCOZMO_DIR", str(tmp_path))
    assets = load_assets()
    playing = Player(world.robot, assets.library, assets.sounds, random.Random(1), world.loop.time)
    assert len(assets.library.clips) >= 40
    for name in assets.library.clips.names:
        received = []
        result = await playing.play(name, on_progress=received.append)
        assert result.loops_completed == 1, name
        assert received[-1].position > received[-1].duration - 0.5, name
    await silent(world)
    state = truth(world)
    assert state.starvations == state.overflows == state.corrupt == 0
