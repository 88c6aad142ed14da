"""The page's STOP can be measured in every case."""

from __future__ import annotations

import math
import shutil

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")
pytest.importorskip("starlette", reason="the cockpit's web library is not installed")
pytest.importorskip("playwright.sync_api")

from benchmarks.stop import LIMITS, tries


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium here")
def test_a_press_of_each_case_is_answered() -> None:
    found = list(tries(len(LIMITS), seed=1))
    assert {one.case for one in found} == LIMITS.keys()
    assert all(math.isfinite(one.took) for one in found)
