"""The checkup of a robot that was written without looking at the emulator, over real UDP."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.free_drives import PEER, peer
from cozmo_driver.checkup import STEPS, Checkup, Nobody, Verdict, chosen_steps, measured_of
from cozmo_driver.robot import CameraOptions, Phase, RobotOptions, connected

CANNOT = {
    "storage": "it has no storage",
    "calibration": "its motors never calibrate",
    "lift": "it reports its lift in mm",
    "turns": "it follows no paths",
    "slope": "it follows no paths",
    "color": "its images are gray noise",
    "animation": "it does not count the bytes that it plays",
    "display": "it does not count the bytes that it plays",
    "sound": "it does not count the bytes that it plays",
}
"""What it does not do, and would rightly be said to fail."""
SLOW = {"radio", "lights", "cube", "charger", "bump"}
"""What it could do, and takes the time of a test: it has no cubes and meets nothing."""
RECORDED = 0.03
"""m/s, of the shaking that was recorded of a real robot, with which it shakes."""


async def checked() -> tuple[Checkup, list[str]]:
    """Run the checkup; return it and what it told."""
    told: list[str] = []
    with peer(1.0, 7) as port:
        options = RobotOptions(
            "127.0.0.1",
            port,
            camera=CameraOptions(enabled=False),
            cubes=(),
            calibration_directory=None,
        )
        async with connected(
            options, lambda r: r.session_state.phase is Phase.CONNECTED and r.state is not None
        ) as robot:
            checkup = Checkup(
                robot, Nobody(told.append), chosen_steps(STEPS, skip={*CANNOT, *SLOW})
            )
            await checkup.run()
    return checkup, told


@pytest.mark.skipif(not PEER.exists(), reason="there is no independent robot")
def test_what_an_independent_robot_can_do_is_not_said_to_fail() -> None:
    checkup, told = asyncio.run(checked())
    assert not checkup.ended
    verdicts = {name: outcome.result.verdict for name, outcome in checkup.outcomes.items()}
    assert Verdict.FAILED not in verdicts.values(), told
    for step in ("identity", "battery", "sensors", "shaking", "clock"):
        assert verdicts[step] is Verdict.PASSED, told

    def value(step: str, name: str) -> float:
        return float(checkup.outcomes[step].result.values[name].value)

    # It shakes as the recorded robot, and its clock is this computer's.
    assert 0.25 < value("shaking", f"accelerometer_x_{RECORDED}") < 0.36
    assert abs(value("clock", "drift")) < 2e-4
    # Its images are noise: nothing in them moves with the robot.
    assert verdicts["latency"] is Verdict.SKIPPED, told
    findings = {name: outcome.result for name, outcome in checkup.outcomes.items()}
    assert set(measured_of(findings)) == {"accelerometer_noise", "gyro_zero"}
