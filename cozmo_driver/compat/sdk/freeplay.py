"""What the robot does by itself between ``start_`` and ``stop_freeplay_behaviors``: it lives."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ...behavior import Engine as Personality
from ...behavior import Permissions, RobotBody, Sense, load_files, seen_faces
from ...perception import Face

if TYPE_CHECKING:
    from ..engine import Engine


async def play_freely(engine: Engine) -> None:
    """Let the personality have the robot until it is cancelled (docs/behavior.md)."""
    loop = asyncio.get_running_loop()
    engine.look_for_faces()
    await engine.look_now()
    assert engine.perception is not None
    system = await loop.run_in_executor(None, load_files)
    body = RobotBody(engine.robot, engine.player, engine.manipulator)
    body.robot_sight.look(engine.perception)
    body.robot_sight.looks_for.add(Sense.FACES)

    def see(faces: list[Face]) -> None:
        body.robot_sight.recollection.see_faces(seen_faces(faces, loop.time()))

    leave = engine.faces.on_faces.connect(see)
    life = Personality(body, system, permissions=Permissions(motion=True, leaving_charger=True))
    life.enable(True)
    try:
        await life.run()
    finally:
        leave()
        body.close()
        engine.show_eyes()
