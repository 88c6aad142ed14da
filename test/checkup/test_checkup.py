"""The whole checkup of emulated robots, in virtual time."""

from __future__ import annotations

from cozmo_driver.checkup import STEPS, Checkup, Nobody, Verdict

from ..robot.virtual import in_virtual_time


@in_virtual_time()
async def test_every_step_is_done(world):
    checkup = Checkup(world.robot, Nobody(), STEPS)

    await checkup.run()

    assert not checkup.ended
    verdicts = {name: outcome.result.verdict for name, outcome in checkup.outcomes.items()}
    assert Verdict.FAILED not in verdicts.values(), verdicts
