"""The soak: what it takes for a fault, and a short one."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

from benchmarks.soak import verdict
from benchmarks.soak.goals import Outcome
from benchmarks.soak.run import Plan, soak
from cozmo_driver.robot import Reason


def sizes(*steps: tuple[float, float], length: int = 300) -> list[tuple[float, float]]:
    """Return memory each second: from each of ``steps`` (s, MB) on it has that size."""
    return [(float(at), [size for start, size in steps if start <= at][-1]) for at in range(length)]


def test_memory_may_grow_by_two_megabytes_after_the_first_minute() -> None:
    for later, is_met in ((101.9, True), (102.1, False)):
        assert verdict.memory(sizes((0, 100.0), (200, later)), 300.0).is_met is is_met


def test_a_slow_leak_is_found() -> None:
    leak = [(float(at), 100.0 + at * 0.01) for at in range(600)]
    found = verdict.memory(leak, 600.0)
    assert not found.is_met
    assert found.value == "+5.40 MB of 100.5 MB"


OUTAGE = (100.0, 110.0)


def judged(reason: Reason, start: float, end: float) -> bool:
    """Tell whether a goal may have ended like that."""
    outcome = Outcome("move_head", int(reason), "", start, end)
    return all(found.is_met for found in verdict.goals([outcome], [], [OUTAGE]))


@pytest.mark.parametrize(
    ("reason", "start", "end", "is_expected"),
    [
        (Reason.NONE, 10.0, 12.0, True),
        (Reason.LINK_LOST, 99.0, 105.0, True),
        (Reason.NOT_CONNECTED, 109.0, 109.0, True),
        (Reason.NOT_CONNECTED, 120.0, 120.0, False),
        (Reason.BLOCKED, 10.0, 12.0, False),
    ],
)
def test_goals_may_fail_in_an_outage_and_then_only_for_that_reason(
    reason: Reason, start: float, end: float, is_expected: bool
) -> None:
    assert judged(reason, start, end) is is_expected


def test_a_goal_without_an_answer_and_one_that_never_comes_true_are_faults() -> None:
    assert not all(found.is_met for found in verdict.goals([], ["move_lift"], []))
    lost = [Outcome("move_head", int(Reason.LINK_LOST), "", 100.0, 105.0)] * 9
    assert [found.what for found in verdict.goals(lost, [], [OUTAGE]) if not found.is_met] == [
        "goals of move_head"
    ]


def test_a_line_of_the_log_is_a_fault_unless_an_outage_explains_it() -> None:
    faults = [
        "[ERROR] handling RobotState failed",
        "[WARN] robot 127.0.0.1 broke the protocol: what",
        "Traceback (most recent call last):",
        "terminate called without an active exception",
    ]
    expected = [
        "[INFO] anything",
        "[WARN] move_head: move_head ended: no state came from the robot for 3 s",
        "[WARN] cmd_vel is refused: no robot is ready: asking 127.0.0.1:5551 to connect",
    ]
    assert all(found.is_met for found in verdict.log("\n".join(expected)))
    for line in faults:
        found = verdict.log("\n".join([*expected, line, ""]))
        assert [finding.value for finding in found if not finding.is_met] == [line]


def test_open_files_may_not_become_more() -> None:
    assert verdict.handles(23, 23).is_met
    assert not verdict.handles(23, 24).is_met


def is_right(finding: verdict.Finding) -> bool:
    """Tell whether it is met, but for a link that was lost because this computer stood still."""
    reasons = set(re.findall(r"[\d.]+ to [\d.]+ s: ([A-Z_]+) ", finding.value))
    is_lost = bool(reasons) and reasons <= {Reason.LINK_LOST.name, Reason.NOT_CONNECTED.name}
    return finding.is_met or is_lost


def test_a_short_soak_finds_nothing_wrong() -> None:
    findings = soak(Plan(length=10.0, first_outage=3.0))
    assert all(map(is_right, findings)), verdict.table(findings)
    assert any(finding.what == "connections" for finding in findings)
