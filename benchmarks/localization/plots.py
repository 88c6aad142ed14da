"""Draws a drive: truth, estimate and dead reckoning, and the errors in time."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from cozmo_driver.localization import TagMap

from .figures import Figures


def plot(path: Path, figures: Figures, tags: TagMap, title: str) -> None:
    truth = np.array([one[0] for one in figures.path])
    known = np.array([one[1] for one in figures.path])
    reckoned = np.array([one[2] for one in figures.path])
    figure, (room, errors) = plt.subplots(1, 2, figsize=(14, 5))
    room.plot(*reckoned.T, ":", color="0.6", lw=0.8, label="dead reckoning")
    room.plot(truth[:, 0], truth[:, 1], "k", lw=1.0, label="truth")
    room.plot(known[:, 0], known[:, 1], "r", lw=0.7, label="estimate")
    for one in tags.tags.values():
        x, y = one.pose[:2, 3]
        room.plot(x, y, "bs", ms=5)
        room.annotate(one.name.partition(":")[2], (x, y), fontsize=8)
    room.set_aspect("equal")
    room.set_xlim(-0.5, 3.5)
    room.set_ylim(-0.5, 2.5)
    room.legend(loc="upper right", fontsize=8)
    room.set_title(title)
    stamps = np.array(figures.stamps) - (figures.stamps[0] if figures.stamps else 0.0)
    errors.plot(stamps, 1e3 * figures.distances, lw=0.8, label="position, mm")
    errors.plot(stamps, 10 * np.degrees(figures.angles), lw=0.8, label="heading, 0.1 degrees")
    errors.set_xlabel("s")
    errors.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)
