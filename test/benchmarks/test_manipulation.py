"""What is claimed and what is so are told apart."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.manipulation.__main__ import is_reached, row
from benchmarks.manipulation.charger_trials import TASKS
from benchmarks.manipulation.trial import Outcome
from benchmarks.manipulation.virtual import trial
from cozmo_driver.robot import Reason, RobotError

_MEMORY = TASKS["memory"]


def test_a_docking_in_virtual_time_is_good() -> None:
    outcome = trial(_MEMORY, 40)
    assert outcome.is_good, outcome
    assert is_reached(_MEMORY, [outcome])


def test_who_claims_what_is_not_so_or_does_not_claim_what_is_fails_the_benchmark() -> None:
    async def claim(_: object) -> int:
        return 1

    async def dock_and_fail(scene) -> int:
        await scene.actions.dock_charger()
        raise RobotError(Reason.MISSED, "no power")

    lie = trial(replace(_MEMORY, do=claim), 40)
    wrong = trial(replace(_MEMORY, do=dock_and_fail), 40)
    assert (lie.is_claimed, lie.is_done) == (True, False)
    assert (wrong.is_claimed, wrong.is_done) == (False, True)
    good = [Outcome(True, True, 1, 20.0)] * 98
    for one in (lie, wrong):
        assert not is_reached(_MEMORY, [*good, one])
    assert "| 98 of 100 within 60 s | 1 | 1 |" in row(_MEMORY, [*good, lie, wrong])
    assert is_reached(_MEMORY, [*good, Outcome(False, False), Outcome(True, True, 1, 61.0)])
