"""The delay of a live sound stays where it should, whatever the clocks do."""

from __future__ import annotations

import pytest

from cozmo_driver.media import MAX_TUNING
from cozmo_driver.robot.playback.audio_stream import DriftCompensation

TICK = 0.03


def least_delays(drift: float, chunk: float, start: float, minutes: float) -> list[float]:
    """Least delay of each ten seconds of a source that is faster by the share ``drift``."""
    control = DriftCompensation(target=0.25)
    delay, arrived, speed = start, 0.0, 1.0
    least, all_least = start, []
    steps = round(minutes * 60 / TICK)
    for step in range(steps):
        now = step * TICK
        delay -= TICK
        while arrived + chunk <= now * (1 + drift):
            arrived += chunk
            delay += chunk / speed
        speed = control.update(delay, now)
        least = min(least, delay)
        if step % 333 == 332:
            all_least.append(least)
            least = delay
    return all_least


@pytest.mark.parametrize("drift", [-0.0034, -0.0001, 0.0, 0.0001, 0.0034])
@pytest.mark.parametrize("chunk", [0.02, 0.1, 1.0])
def test_the_least_delay_settles_at_the_target(drift: float, chunk: float):
    delays = least_delays(drift, chunk, start=0.3 + chunk, minutes=10)
    # One second of delay too much makes a change of a tenth: this much is left of the drift.
    left = abs(drift) / 0.1 + 0.02 + 0.05 * chunk
    assert all(abs(delay - 0.25) < left for delay in delays[30:])


@pytest.mark.parametrize(("delay", "speed"), [(9.0, 1 + MAX_TUNING), (0.0, 1 - MAX_TUNING)])
def test_the_change_is_never_heard(delay: float, speed: float):
    control = DriftCompensation(target=0.25)
    speeds = [control.update(delay, step * TICK) for step in range(1000)]
    assert min(speeds) >= 1 - MAX_TUNING
    assert max(speeds) <= 1 + MAX_TUNING
    assert speeds[-1] == pytest.approx(speed, abs=0.025)


def test_before_a_window_has_passed_nothing_is_changed_and_after_a_reset_too():
    control = DriftCompensation(target=0.25)
    assert control.update(5.0, 0.0) == 1.0
    for step in range(400):
        control.update(5.0, step * TICK)
    assert control.speed > 1.0
    control.reset()
    assert control.update(0.25, 100.0) == 1.0
