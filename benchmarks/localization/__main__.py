"""How well a robot knows where it is: a room of 3 x 2 m with 12 tags of 60 mm, random driving.

``python -m benchmarks.localization`` prints a table of simulated drives, whose sightings err as
those in rendered images were measured to do; ``--rendered`` renders every image of emulated robots,
which takes 3 minutes of a core for 10 minutes. ``--plot FOLDER`` draws the worst drive of each
kind. ``--limit`` adds what fits best to each whole drive, solved by gtsam: the limit of what a
filter can reach. 0 where all targets are met.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from cozmo_driver.localization import Localizer, Settings, TagMap

from . import drive as drives
from .figures import Figures, calibrate, given_map, map_errors, measured_mount, run


def main() -> int:
    """Print a line for each drive on stderr, and the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.localization", description=__doc__)
    parser.add_argument("--seeds", type=int, default=40, help="how many drives of each kind")
    parser.add_argument("--first", type=int, default=1, help="the first one's seed")
    parser.add_argument("--seconds", type=float, default=600.0, help="of each drive")
    parser.add_argument("--delay", type=float, default=0.1, help="s that images are late")
    parser.add_argument("--noise", type=float, default=1.0, help="times the noise; simulated only")
    parser.add_argument("--rendered", action="store_true", help="render every image")
    parser.add_argument("--calibrated", action="store_true", help="the camera's mount was measured")
    parser.add_argument("--family", default="4x4_50", help="of the tags; rendered only")
    parser.add_argument("--limit", action="store_true", help="solve each drive at once, too")
    parser.add_argument("--plot", type=Path, help="folder to draw the worst drives into")
    chosen = parser.parse_args()
    if chosen.limit and find_spec("gtsam") is None:
        parser.error("--limit needs the Python package gtsam: pip install --no-deps gtsam")
    kinds = {"map given": _given, "own map": _own, "carried": _given}
    results: dict[str, list[Figures]] = {kind: [] for kind in kinds}
    own: list[float] = []
    limits, own_limits = list[Figures](), list[float]()
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        kept = _drive(chosen, seed, False)
        learnt = dict[str, float]()
        for kind, take in kinds.items():
            taken = _drive(chosen, seed, True) if kind == "carried" else kept
            figures, errors = take(taken, seed, chosen)
            results[kind].append(figures)
            learnt.update(errors)
            _say(f"{seed} {kind}", figures, errors)
        own += learnt.values()
        if chosen.limit:
            figures, errors = _limit(kept, seed, chosen, learnt)
            limits.append(figures)
            own_limits += errors.values()
            _say(f"{seed} limit", figures, {})
            _say(f"{seed} limit of own map", figures, errors)
    if chosen.plot is not None:
        _plot(chosen.plot, results, drives.room_map())
    return 0 if _print(results, own, limits, own_limits) else 1


def _drive(chosen: argparse.Namespace, seed: int, is_carried: bool) -> drives.Drive:
    if chosen.rendered:
        return drives.rendered(seed, chosen.seconds, is_carried, chosen.family)
    return drives.simulated(seed, chosen.seconds, is_carried, chosen.noise)


_Errors = dict[str, float]
"""m, by which each tag of an own map is off."""
_Result = tuple[Figures, _Errors]


def _given(drive: drives.Drive, seed: int, chosen: argparse.Namespace) -> _Result:
    localizer = Localizer(given_map(drive.tags, seed))
    if chosen.calibrated:
        calibrate(localizer, drive.mount, seed)
    return run(drive, localizer, chosen.delay), {}


def _own(drive: drives.Drive, seed: int, chosen: argparse.Namespace) -> _Result:
    """Learn the map in the drive."""
    learner = Localizer(settings=Settings(starts_at_origin=True))
    learner.learn()
    if chosen.calibrated:
        calibrate(learner, drive.mount, seed)
    figures = run(drive, learner, chosen.delay)
    return figures, map_errors(learner.learnt_map(), drive.tags)


def _limit(drive: drives.Drive, seed: int, chosen: argparse.Namespace, learnt: _Errors) -> _Result:
    """Solve the drive at once, with the map that is given; without one for the tags of the own map.

    Others that the learner leaves out are known badly by either.
    """
    from .batch import solve

    mount, deviations = drive.events[0][0].mount, Settings().mount_deviations
    if chosen.calibrated:
        mount, deviations = measured_mount(drive.mount, seed)
    figures = solve(drive, mount, deviations, given_map(drive.tags, seed), seed).figures(drive)
    found = solve(drive, mount, deviations, None, seed).tags.tags
    same = TagMap.of(found[name] for name in learnt)
    return figures, map_errors(same, drive.tags)


def _say(name: str, figures: Figures, errors: _Errors) -> None:
    texts = [name]
    if errors:
        texts.append(f"{len(errors)} tags within {1e3 * max(errors.values()):.1f} mm")
    elif figures.off:
        middle, most, worst = 1e3 * np.quantile(figures.distances, (0.5, 0.95, 1.0))
        angle = np.degrees(np.quantile(figures.angles, 0.95))
        texts.append(f"{middle:.1f} {most:.1f} {worst:.1f} mm, {angle:.2f} degrees")
    if figures.surprise and not errors:
        texts.append(f"NEES {np.mean(figures.surprise):.1f}, unknown {figures.unknown:.1%}")
        late = sum(not one <= 10.0 for one in figures.found)
        texts.append(
            f"found {len(figures.found)}, {late} too late, step {figures.largest_step:.4f}"
        )
    if figures.cpu:
        texts.append(f"{figures.cpu:.1%} of a core; {'; '.join(figures.doubts)}")
    print(" | ".join(texts), file=sys.stderr, flush=True)


def _print(
    results: dict[str, list[Figures]],
    own: list[float],
    limits: list[Figures],
    own_limits: list[float],
) -> bool:
    given, carried = results["map given"], results["carried"]
    distances, angles = _off(given)
    moved, moved_angles = _off(carried)
    least, least_angles = _off(limits)
    surprise = [float(np.mean(one.surprise)) for one in given if one.surprise]
    low, high = nees_band(len(given), [one.stamps for one in given])
    found = [time for one in carried for time in one.found]
    in_time = sum(time <= 10.0 for time in found)
    cpu = max(one.cpu for one in given)
    mean = float(np.mean(surprise))
    tags, least_tags = 1e3 * np.array(own), 1e3 * np.array(own_limits)
    none = np.empty(0)
    rows: list[tuple[str, str, str, str, bool]] = [
        _row("off, median", distances, least, 0.5, 10.0, "mm"),
        _row("off, 95 %", distances, least, 0.95, 25.0, "mm"),
        _row("off, worst", distances, least, 1.0, 1e9, "mm"),
        _row("heading, 95 %", angles, least_angles, 0.95, 1.0, "degrees"),
        _row("carried: off, 95 %", moved, none, 0.95, 25.0, "mm"),
        _row("carried: heading, 95 %", moved_angles, none, 0.95, 1.0, "degrees"),
        _row("own map, 95 % of tags", tags, least_tags, 0.95, 15.0, "mm"),
        _row("own map, worst tag", tags, least_tags, 1.0, 15.0, "mm"),
        (
            "right within 10 s",
            f"{in_time} of {len(found)}",
            "-",
            "99 %",
            in_time >= 0.99 * len(found),
        ),
        ("NEES", f"{mean:.2f}", "-", f"{low:.2f} to {high:.2f}", low <= mean <= high),
        ("share of a core", f"{cpu:.1%}", "-", "3 %", cpu <= 0.03),
    ]
    print(f"| {len(given)} drives of each kind | | limit | wanted | met |\n|---|--:|--:|--:|---|")
    for name, value, limit, wanted, is_met in rows:
        print(f"| {name} | {value} | {limit} | {wanted} | {'yes' if is_met else '**no**'} |")
    return all(is_met for *_, is_met in rows)


def _off(drives_made: list[Figures]) -> tuple[np.ndarray, np.ndarray]:
    """Return by how many mm and degrees all of them were off."""
    distances = [np.empty(0), *(one.distances for one in drives_made)]
    angles = [np.empty(0), *(one.angles for one in drives_made)]
    return 1e3 * np.concatenate(distances), np.degrees(np.concatenate(angles))


def _row(
    name: str, values: np.ndarray, least: np.ndarray, share: float, wanted: float, unit: str
) -> tuple[str, str, str, str, bool]:
    value = float(np.quantile(values, share)) if len(values) else float("inf")
    limit = f"{np.quantile(least, share):.1f} {unit}" if len(least) else "-"
    text = f"{wanted:g} {unit}" if wanted < 1e9 else "-"
    return name, f"{value:.1f} {unit}", limit, text, value <= wanted


_INDEPENDENT = 20.0
"""s after which errors have nothing to do with those before: other tags, and another way."""


def nees_band(drives_made: int, stamps: list[list[float]]) -> tuple[float, float]:
    """Return between what the mean NEES of an honest estimate is in 95 % of all benchmarks.

    By the normal approximation of chi squared with 3 figures for each independent moment.
    """
    seconds = sum(one[-1] - one[0] for one in stamps if one)
    count = max(seconds / _INDEPENDENT, drives_made)
    half = 1.96 * float(np.sqrt(2.0 * 3.0 / count))
    return 3.0 - half, 3.0 + half


def _plot(folder: Path, results: dict[str, list[Figures]], tags: drives.TagMap) -> None:
    from .plots import plot

    folder.mkdir(parents=True, exist_ok=True)
    rank: Callable[[Figures], float] = lambda one: float(np.max(one.distances, initial=0.0))  # noqa: E731
    for kind in ("map given", "carried"):
        worst = max(results[kind], key=rank)
        plot(folder / f"{kind.replace(' ', '_')}.png", worst, tags, kind)


if __name__ == "__main__":
    sys.exit(main())
