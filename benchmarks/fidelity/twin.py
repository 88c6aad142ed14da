"""A robot of which there is a report, beside its emulated twin: both by the same checkup."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cozmo_driver.checkup import (
    EXPECTATIONS,
    STEPS,
    Checkup,
    Nobody,
    Report,
    Verdict,
    chosen_steps,
    load_report,
)
from cozmo_driver.cli.twin import twin_options
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from test.robot.virtual import in_virtual_time

from .recording import Row

_MEASURED = (Verdict.PASSED, Verdict.UNUSUAL)
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
    real = _figures(report)
    found = _of_twin(path, report, {name.partition(".")[0] for name in real}, seed)
    return [
        Row(name.replace(".", ": ").replace("_", " "), report.robot, value, found[name],
            EXPECTATIONS[name].tolerance)
        for name, value in real.items()
        if name in found
    ]  # fmt: skip


def _figures(report: Report) -> dict[str, float]:
    """Return the values that a checkup expects something of, by step and name."""
    return {
        f"{step.name}.{name}": float(one.value)
        for step in report.steps
        if step.verdict in _MEASURED
        for name, one in step.values.items()
        if f"{step.name}.{name}" in EXPECTATIONS and not isinstance(one.value, str)
    }


def _of_twin(path: Path, report: Report, names: set[str], seed: int) -> dict[str, float]:
    turns = report.step("turns")
    track = float(turns.values["track"].value) if turns and "track" in turns.values else None
    # A track is the floor's, not the robot's.
    floor = _FLOOR if track is None else {**_FLOOR, "track": track}
    layout = layout_of({**_ROOM, "floor": [floor]}, "room")
    options: dict[str, Any] = {
        "world": lambda: World(layout, seed=seed),
        "seed": seed,
        "on_charger": any(name == "battery.charger_voltage" for name in _figures(report)),
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
