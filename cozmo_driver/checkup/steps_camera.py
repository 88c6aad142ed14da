"""Steps of the camera: exposure, noise, colour, and how late its images are."""

from __future__ import annotations

import asyncio
import math
from itertools import pairwise

import numpy as np

from .analysis import mean
from .bench import Arrival, Bench
from .images import clipped_share, colorfulness, noise, sharpness, shift, timing_of
from .step import Motion, Picture, Quantity, Result, Series, Step, Verdict, failed, skipped

_LADDER = (1, 4, 8, 16, 33, 66)
"""ms."""
_GAIN = 2.0
_OLD_IMAGES = 4
"""That come with the exposure before."""
_TARGET = 115.0
"""Mean gray level of a well exposed image."""
_NO_IMAGES = "no images came"
_NO_IMAGES_ADVICE = "switch the robot off and on, and repeat; see cozmo doctor for the network"
_TURN_RATE, _TURN_TIME = 0.9, 0.9
"""rad/s, s: 31 mm/s of the treads, which real ones do not start below some 20 (spec 14)."""
_LEAST_TURN = 0.2
"""rad of its heading, less than which is no turn."""
_HEAD = 0.05
_MOST_RESIDUAL, _LEAST_SCALE = 8.0, 0.5
"""Pixels by which shifts may be off those that the turn explains, and the least share of these that
is seen: else they are of noise. An assumption; emulated robots have less than a quarter of it."""
_LONGEST_GAP = 0.2
"""s between two images, of which none was lost."""
_REFERENCE_FOCAL = 293.0
"""px, where the robot has none of its own (spec 19)."""


async def _exposure(bench: Bench) -> Result:
    rows: list[tuple[int, float, float, Arrival]] = []
    values: dict[str, Quantity] = {}
    async with bench.camera():
        first = await bench.images(1)
        if not first:
            return failed(_NO_IMAGES, _NO_IMAGES_ADVICE)
        for exposure in _LADDER:
            bench.robot.camera.exposure_control.set(_GAIN, exposure)
            pair = (await bench.images(_OLD_IMAGES + 2))[_OLD_IMAGES:]
            if len(pair) < 2:
                return failed("the images ceased to come", _NO_IMAGES_ADVICE)
            one, other = (arrival.image.pixels() for arrival in pair)
            level = float(one.mean())
            values[f"mean_gray_{exposure}ms"] = Quantity(level)
            rows.append((exposure, level, noise(one, other), pair[0]))
    exposure, level, spread, best = min(rows, key=lambda row: abs(row[1] - _TARGET))
    image = best.image.pixels()
    values |= {
        "best_exposure": Quantity(exposure / 1000, "s"),
        "best_mean_gray": Quantity(level),
        "noise": Quantity(spread),
        "sharpness": Quantity(sharpness(image)),
        "clipped_share": Quantity(clipped_share(image)),
    }
    series = Series(
        "Brightness by exposure time, gain 2",
        "exposure / ms",
        "mean gray level",
        {"mean": [(float(one), gray) for one, gray, _, _ in rows]},
    )
    caption = f"exposed for {exposure} ms"
    picture = Picture("best", caption, best.image.jpeg, best.image.time)
    if rows[-1][1] - rows[0][1] < 2.0:
        advice = "was the camera covered, or the room dark or glaring? repeat in daylight"
        sentence = f"brightness does not follow the exposure: {level:.0f} throughout"
        return Result(Verdict.SKIPPED, sentence, values, advice, (series,), (picture,))
    # It is NaN where all is nearly black or white.
    said = "" if math.isnan(spread) else f"noise {spread:.1f} gray levels, "
    sentence = (
        f"{exposure} ms make a mean of {level:.0f}, {said}"
        f"sharpness {float(values['sharpness'].value):.0f}"
    )
    return Result(Verdict.PASSED, sentence, values, "", (series,), (picture,))


async def _color(bench: Bench) -> Result:
    async with bench.camera(color=True):
        arrivals = await bench.images(6)
    if not arrivals:
        return failed(_NO_IMAGES, _NO_IMAGES_ADVICE)
    image = arrivals[-1].image
    picture = Picture("color", "in colour", image.jpeg, image.time)
    if not image.is_color:
        return failed("the images stay gray", "repeat the step")
    pixels = image.pixels()
    red, green, blue = (float(pixels[..., channel].mean()) for channel in range(3))
    values = {
        "red": Quantity(red),
        "green": Quantity(green),
        "blue": Quantity(blue),
        "colorfulness": Quantity(colorfulness(pixels)),
        "image_rate": Quantity(
            (len(arrivals) - 1) / max(1e-3, arrivals[-1].at - arrivals[0].at), "Hz"
        ),
    }
    sentence = f"red {red:.0f}, green {green:.0f}, blue {blue:.0f} on average"
    return Result(Verdict.PASSED, sentence, values, pictures=(picture,))


async def _latency(bench: Bench) -> Result:
    await bench.robot.motion.joints.move_head(_HEAD)
    arrivals: list[Arrival] = []
    async with bench.camera():
        if not await bench.images(2):
            return failed(_NO_IMAGES, _NO_IMAGES_ADVICE)
        disconnect = bench.robot.on_image.connect(
            lambda image: arrivals.append(Arrival(image, bench.now))
        )
        try:
            _, states = await bench.recorded(_turn_both_ways(bench))
        finally:
            disconnect()
    calibration = bench.robot.camera.calibration
    focal_length = calibration.fx if calibration else _REFERENCE_FOCAL
    times = [state.time for state in states]
    yaws = list(map(float, np.unwrap([state.pose.yaw for state in states])))
    if max(yaws) - min(yaws) < _LEAST_TURN:
        advice = "repeat it on a smoother floor; the step start tells from which speed on it drives"
        return skipped("the robot did not turn as it was told", advice)
    # Decoding a hundred images would keep the link waiting.
    shifts = await asyncio.to_thread(_shifts, arrivals)
    found = timing_of(shifts, times, yaws, focal_length)
    delay = mean([arrival.at - arrival.image.time for arrival in arrivals])
    values = {
        "arrival_delay": Quantity(delay, "s"),
        "images": Quantity(len(arrivals)),
        "image_pairs": Quantity(len(shifts)),
    }
    if found is None:
        advice = "let it see a furnished room, not a bare wall, and repeat"
        return skipped("the images show too little to see them move", advice, **values)
    if found.residual > _MOST_RESIDUAL or not _LEAST_SCALE < found.scale < 1.0 / _LEAST_SCALE:
        what = f"what moves in the images is not the robot's turn ({found.residual:.0f} px off)"
        return skipped(what, "let it see a furnished room that rests, and repeat", **values)
    values |= {
        "content_after_stamp": Quantity(found.offset, "s"),
        "shift_seen_per_expected": Quantity(found.scale),
        "residual": Quantity(found.residual, "px"),
    }
    seen = [((a + b) / 2 - times[0], by / focal_length / (b - a)) for a, b, by in shifts]
    turning = [
        ((a + b) / 2 - times[0], (y - x) / (b - a))
        for (a, x), (b, y) in pairwise(list(zip(times, yaws, strict=True))[::2])
    ]
    series = Series(
        "Turn rate by the images and by the gyroscope",
        "time / s",
        "rad/s",
        {"gyroscope": turning, "images": seen},
    )
    sentence = (
        f"images come {1000 * delay:.0f} ms after their stamps, and show what was "
        f"{1000 * found.offset:.0f} ms after them; fits within {found.residual:.1f} px"
    )
    return Result(Verdict.PASSED, sentence, values, series=(series,))


def _shifts(arrivals: list[Arrival]) -> list[tuple[float, float, float]]:
    """Return the stamps of each two images in a row, and the pixels between them."""
    images = [(arrival.image.time, arrival.image.pixels()) for arrival in arrivals]
    return [
        (before, after, by)
        for (before, one), (after, other) in pairwise(images)
        if after - before < _LONGEST_GAP and (by := shift(one, other)) is not None
    ]


async def _turn_both_ways(bench: Bench) -> None:
    for rate in (_TURN_RATE, -_TURN_RATE, _TURN_RATE, -_TURN_RATE):
        await bench.drive(0.0, rate, _TURN_TIME)


STEPS = (
    Step(
        "camera",
        "Camera: exposure, noise, sharpness",
        "Takes images at six exposure times, of whatever is before it.",
        _exposure,
    ),
    Step("color", "Camera: colour", "Takes a few images in colour.", _color),
)
TURNING = (
    Step(
        "latency",
        "Camera: latency",
        "Turns to and fro by 45 degrees, twice, while images come.",
        _latency,
        motion=Motion.TREADS,
    ),
)
