"""What fits best to a whole drive is found."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gtsam", reason="gtsam is not installed: no limit is solved")

from benchmarks.localization.batch import solve
from benchmarks.localization.drive import simulated
from benchmarks.localization.figures import map_errors
from cozmo_driver.localization import Settings
from cozmo_driver.perception import AS_DRAWN


@pytest.mark.parametrize(("is_given", "poses", "tags"), [(True, 5e-3, 1e-3), (False, 1e-2, 1e-2)])
def test_a_drive_that_hardly_errs_is_found_with_how_the_camera_is_turned(is_given, poses, tags):
    drive = simulated(2, 90.0, noise=0.02)
    known = drive.tags if is_given else None
    found = solve(drive, AS_DRAWN, Settings().mount_deviations, known, 2)
    mount = drive.mount
    assert found.calibration[2:5] == pytest.approx([mount.pitch, mount.roll, mount.yaw], abs=1e-3)
    # The search begins 20 mm beside the truth on each axis.
    assert np.quantile(found.figures(drive).distances, 0.95) < poses
    assert max(map_errors(found.tags, drive.tags).values()) < tags
