"""A robot of which there is a report, beside its emulated twin: both by the same checkup."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cozmo_driver.checkup import (
    EXPECTATIONS,
    STEPS,
    Checkup,
    Nobody,
    chosen_steps,
    load_report,
)
from cozmo_driver.cli.twin import twin_options
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from test.robot.virtual import in_virtual_time

from .recording import Row

_ROOM = {
    "name": "room",
    "walls": [{"points": [[-0.79, 0.79], [0.79, 0.79]], "height": 0.3, "gray": 190}],
    "boxes": [{"x": 0.7, "y": 0.1, "yaw": 20, "size": [0.1, 0.1, 0.2], "gray": 60}],
}
_FLOOR = {"rectangle": [-0.8, -0.8, 0.8, 0.8], "pattern": "wood"}


def twin(path: Path, seed: int = 0) -> list[Row]:
    """Return what the checkup expects of robots, as the report has it and as the twin does.

    A tolerance is that of the expectation: about as far as two robots differ. Raises
    ``ReportError``, and ``ValueError`` for what no robot has.
    """
    report = load_report(path)
    figures = report.figures()
    real = {name: value for name, value in figures.items() if name in EXPECTATIONS}
    steps = {name.partition(".")[0] for name in real}
    found = _of_twin(path, figures, steps, seed) if steps else {}
    return [
        Row(name.replace(".", ": ").replace("_", " "), report.robot, value, found[name],
            EXPECTATIONS[name].tolerance)
        for name, value in real.items()
        if name in found
    ]  # fmt: skip


def _of_twin(
    path: Path, figures: Mapping[str, float], names: set[str], seed: int
) -> dict[str, float]:
    track = figures.get("turns.track")
    # A track is the floor's, not the robot's.
    floor = _FLOOR if track is None else {**_FLOOR, "track": track}
    layout = layout_of({**_ROOM, "floor": [floor]}, "room")
    options: dict[str, Any] = {
        "world": lambda: World(layout, seed=seed),
        "seed": seed,
        "on_charger": "battery.charger_voltage" in figures,
        **twin_options(path),
    }
    found: dict[str, float] = {}

    # Else it is the lens of the robot that had this serial number last.
    cache = TemporaryDirectory()

    @in_virtual_time(options, cache_directory=Path(cache.name))
    async def run(world: Any) -> None:
        checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, sorted(names)))
        await checkup.run()
        for step, outcome in checkup.outcomes.items():
            for name, one in outcome.result.values.items():
                if not isinstance(one.value, str):
                    found[f"{step}.{name}"] = float(one.value)

    with cache:
        run()
    return found
