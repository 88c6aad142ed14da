"""Steps that drive: treads, turns, shaking, against a book, to an edge."""

from __future__ import annotations

import math

import numpy as np

from ..robot import RobotEvent, RobotEventType, RobotState
from .analysis import (
    axes_of,
    curve,
    deviation,
    difference,
    integrated,
    mean,
    spectrum,
    tilt_of,
    track_of,
    turned,
)
from .bench import STILL, Bench, Leg
from .step import Motion, Quantity, Result, Series, Step, Verdict, skipped

SPEEDS = (0.03, 0.05, 0.08, 0.12, 0.16)
"""m/s; 0.03 is the one that was recorded of a real robot (spec 18)."""
_SLOWER, _TRIED = (0.01, 0.015, 0.02, 0.025), 0.6
"""m/s, s: others' robots do not start below about 0.02 (spec 14)."""
_STICKING_ADVICE = "see whether they are free and the battery is full, and repeat the step"
_LEG = 1.2
_SHORTER = 1.0
"""s of driving, of the slowest and of the others: 16 cm at most."""
_SETTLED = 0.7
"""s after which a speed counts as reached."""
_CREPT, _LEAST_DISTANCE = 0.3, 0.005
"""s of driving after which both treads turn, and m of such a drive that tells something."""
_SHAKEN_SPEEDS = (0.03, 0.06, 0.10)
_SHAKEN_DISTANCE, _SHAKEN_TIME = 0.18, 3.0
_SHAKEN_HEAD = -0.287
"""The head's angle in the recording, rad: axes are those of the head."""
_QUARTER, _WHOLE = math.radians(90.0), math.radians(360.0)
_TURN_SPEEDS = (0.6, 1.2, 2.4)
_WHOLE_TURN_SPEED = 1.2
"""rad/s."""
_LEVELLING, _LOOK = 1.5, 0.6
"""s until the pitch, which is filtered, is that of the place, and of states that are used then."""
_BUMP_SPEED, _BUMP_DISTANCE = 0.05, 0.15
_LAST_STATES = 10
_EDGE_SPEED, _EDGE_DISTANCE = 0.03, 0.30
_AWAY_FROM_EDGE = 0.08


async def _starting(bench: Bench) -> Result:
    for speed in _SLOWER:
        legs = [await bench.drive(sign * speed, 0.0, _TRIED) for sign in (1, -1)]
        if all(map(_both_turned, legs)):
            values = {"start_speed": Quantity(speed, "m/s")}
            return Result(Verdict.PASSED, f"both start at {1000 * speed:.0f} mm/s", values)
    sentence = f"the treads do not start at {1000 * _SLOWER[-1]:.0f} mm/s"
    return Result(Verdict.UNUSUAL, sentence, advice=_STICKING_ADVICE)


def _both_turned(leg: Leg) -> bool:
    left, right = zip(*((s.left_wheel_speed, s.right_wheel_speed) for s in leg.states), strict=True)
    return all(max(map(abs, speeds)) > STILL for speeds in (left, right))


async def _treads(bench: Bench) -> Result:
    values: dict[str, Quantity] = {}
    curves: dict[str, list[tuple[float, float]]] = {}
    headings: list[float] = []
    pairs: list[list[Leg]] = []
    for speed in SPEEDS:
        legs = [
            await bench.drive(sign * speed, 0.0, _LEG if speed == SPEEDS[0] else _SHORTER)
            for sign in (1, -1)
        ]
        for name, leg in zip(("forward", "backward"), legs, strict=True):
            reached = abs(mean([state.speed for state in leg.steady(_SETTLED)]))
            values[f"reached_{name}_{speed:g}"] = Quantity(reached, "m/s")
            headings.append(turned(leg.states))
        pairs.append(legs)
        values[f"start_delay_{speed:g}"] = Quantity(mean([_start(leg) for leg in legs]), "s")
        values[f"stop_time_{speed:g}"] = Quantity(mean([_stop(leg) for leg in legs]), "s")
        values[f"way_{speed:g}"] = Quantity(_distance(legs[0].states), "m")
        curves[f"{1000 * speed:.0f}"] = curve(
            legs[0].states, lambda s: 1000 * s.speed, legs[0].begun
        )
    values["heading_change"] = Quantity(mean(list(map(abs, headings))), "rad")
    values |= _curvature(pairs)
    slow, fast = (values[f"reached_forward_{speed:g}"].value for speed in (SPEEDS[0], SPEEDS[-1]))
    sentence = (
        f"starts after {1000 * float(values['start_delay_0.03'].value):.0f} ms, "
        f"reaches {1000 * float(slow):.0f} of 30 and {1000 * float(fast):.0f} of 160 mm/s, "
        f"turns by {math.degrees(float(values['heading_change'].value)):.1f}° a leg"
    )
    series = Series("Speed by the treads, forward", "time since the command / s", "mm/s", curves)
    return Result(Verdict.PASSED, sentence, values, series=(series,))


def _curvature(pairs: list[list[Leg]]) -> dict[str, Quantity]:
    """Return what the robot turns on its drive ahead, and by how much the right tread went farther.

    A gyroscope's zero makes the same of drives forward and backward, which does not count.
    """
    turns, differences, distances = [], [], []
    for legs in pairs:
        ahead, back = (leg.steady(_CREPT) for leg in legs)
        distances.append(_distance(ahead) + _distance(back))
        turns.append(turned(ahead) - turned(back))
        differences.append(integrated(ahead, difference) - integrated(back, difference))
    each = [turn / one for turn, one in zip(turns, distances, strict=True) if one > _LEAST_DISTANCE]
    if not each:
        return {}
    return {
        "heading_per_way": Quantity(sum(turns) / sum(distances), "rad/m"),
        "heading_per_way_deviation": Quantity(deviation(each) / math.sqrt(len(each)), "rad/m"),
        "difference_per_way": Quantity(sum(differences) / sum(distances)),
    }


def _start(leg: Leg) -> float:
    """Return the s from the command to the arrival of the first state with motion."""
    moving = (s for s in leg.states if s.received_at > leg.begun and abs(s.speed) > STILL)
    return next((state.received_at - leg.begun for state in moving), math.nan)


def _stop(leg: Leg) -> float:
    """Return the s from the stop to the arrival of the first state with both treads at 0."""
    after = (state for state in leg.states if state.received_at > leg.ended)
    still = (s for s in after if max(abs(s.left_wheel_speed), abs(s.right_wheel_speed)) < STILL)
    return next((state.received_at - leg.ended for state in still), math.nan)


def _distance(states: list[RobotState]) -> float:
    """Return how far it got by its pose: treads that stopped go on reporting a speed (spec 18)."""
    if not states:
        return 0.0
    first, last = states[0].pose, states[-1].pose
    return math.hypot(last.x - first.x, last.y - first.y)


async def _shaking(bench: Bench) -> Result:
    await bench.robot.motion.joints.move_head(_SHAKEN_HEAD)
    values: dict[str, Quantity] = {}
    curves: dict[str, list[tuple[float, float]]] = {}
    for speed in _SHAKEN_SPEEDS:
        seconds = min(_SHAKEN_TIME, _SHAKEN_DISTANCE / speed)
        legs = [(await bench.drive(sign * speed, 0.0, seconds)).steady(0.5) for sign in (1, -1)]
        for name, unit in (("accelerometer", "m/s^2"), ("gyro", "rad/s")):
            spread = _spread(name, legs)
            for axis, one in zip("xyz", spread, strict=True):
                values[f"{name}_{axis}_{speed:g}"] = Quantity(one, unit)
        rolls = [state.angular_velocity.x for state in legs[0]]
        lines = spectrum(rolls)
        curves[f"{1000 * speed:.0f} mm/s"] = [(hertz, 1000 * height) for hertz, height in lines]
        if lines:
            peak = max(lines, key=lambda line: line[1])[0]
            values[f"peak_{speed:g}"] = Quantity(peak, "Hz")
    ahead = float(values["accelerometer_x_0.03"].value)
    sentence = (
        f"{1000 * ahead:.0f} mm/s² ahead and {1000 * float(values['gyro_x_0.03'].value):.0f} "
        f"mrad/s of roll at 30 mm/s, {1000 * float(values['gyro_x_0.1'].value):.0f} at 100 mm/s"
    )
    series = Series("Spectrum of roll, forward", "frequency / Hz", "mrad/s", curves)
    return Result(Verdict.PASSED, sentence, values, series=(series,))


def _spread(name: str, legs: list[list[RobotState]]) -> list[float]:
    """Return the standard deviation of each axis, root mean square over the legs."""
    columns = [
        axes_of(s.acceleration if name == "accelerometer" else s.angular_velocity for s in leg)
        for leg in legs
    ]
    each = np.array([[deviation(column) for column in one.T] for one in columns])
    return list(map(float, np.sqrt((each**2).mean(axis=0))))


async def _turns(bench: Bench) -> Result:
    values: dict[str, Quantity] = {}
    curves: dict[str, list[tuple[float, float]]] = {}
    tracks, errors = [], []
    turns = [(_QUARTER, speed) for speed in _TURN_SPEEDS] + [(_WHOLE, _WHOLE_TURN_SPEED)]
    for angle, speed in turns:
        name = "90" if angle == _QUARTER else "360"
        both = [await _turn(bench, angle, speed), await _turn(bench, -angle, speed)]
        for side, states, asked in zip(("left", "right"), both, (angle, -angle), strict=True):
            tracks.append(track_of(states))
            errors.append(turned(states) - asked)
            values[f"track_{name}_{side}_{speed:g}"] = Quantity(tracks[-1], "m")
            values[f"error_{name}_{side}_{speed:g}"] = Quantity(errors[-1], "rad")
        if angle == _QUARTER:
            curves[f"{speed:g} rad/s"] = curve(both[0], lambda s: s.yaw_rate)
    values["track"] = Quantity(mean(tracks), "m")
    values["track_spread"] = Quantity(deviation(tracks), "m")
    rates = np.repeat([speed for _, speed in turns], 2)
    (slope, _), spread = np.polyfit(rates, tracks, 1, cov=True)
    values["track_per_rate"] = Quantity(float(slope), "m/(rad/s)")
    values["track_per_rate_deviation"] = Quantity(math.sqrt(float(spread[0, 0])), "m/(rad/s)")
    worst = max(map(abs, errors))
    sentence = (
        f"effective track {1000 * mean(tracks):.1f} ± {1000 * deviation(tracks):.1f} mm, "
        f"headings within {math.degrees(worst):.1f}° by its own gyroscope"
    )
    series = Series("Gyroscope, turns of 90° to the left", "time / s", "rad/s", curves)
    return Result(Verdict.PASSED, sentence, values, series=(series,))


async def _slope(bench: Bench) -> Result:
    first = bench.state.pose.yaw
    yaws: list[float] = []
    pitches: list[float] = []
    for quarter in range(4):
        if quarter:
            await bench.robot.turns.turn(_QUARTER, speed=_WHOLE_TURN_SPEED)
        await bench.record(_LEVELLING)
        states = await bench.record(_LOOK)
        yaws.append(states[-1].pose.yaw - first)
        pitches.append(mean([state.pitch for state in states]))
    await bench.robot.turns.turn(_QUARTER, speed=_WHOLE_TURN_SPEED)
    slope, uphill, level = tilt_of(yaws, pitches)
    values = {
        "slope": Quantity(slope, "rad"),
        "uphill": Quantity(uphill, "rad"),
        "pitch_zero": Quantity(level, "rad"),
    }
    for quarter, pitch in enumerate(pitches):
        values[f"pitch_{90 * quarter}"] = Quantity(pitch, "rad")
    sentence = (
        f"the ground rises by {math.degrees(slope):.1f}°; on level ground it would report a pitch "
        f"of {math.degrees(level):+.1f}°"
    )
    return Result(Verdict.PASSED, sentence, values)


async def _turn(bench: Bench, angle: float, speed: float) -> list[RobotState]:
    """Turn in place; return the states until it stood for a moment."""
    _, states = await bench.recorded(bench.robot.turns.turn(angle, speed=speed))
    return states + await bench.record(0.4)


async def _bump(bench: Bench) -> Result:
    noticed: list[RobotEvent] = []

    def on_event(event: RobotEvent) -> None:
        if event.type is RobotEventType.UNEXPECTED_MOVEMENT:
            noticed.append(event)

    disconnect = bench.robot.on_event.connect(on_event)
    try:
        seconds = _BUMP_DISTANCE / _BUMP_SPEED
        leg = await bench.drive(_BUMP_SPEED, 0.0, seconds, lambda _: bool(noticed))
    finally:
        disconnect()
    distance = _distance(leg.states)
    await bench.drive(-_BUMP_SPEED, 0.0, max(0.3, distance / _BUMP_SPEED))
    driven = leg.steady(_SETTLED)
    jolts = [abs(felt) for felt in _felt_ahead(leg.states)]
    values = {
        "noticed": Quantity(len(noticed)),
        "way": Quantity(distance, "m"),
        "greatest_jolt": Quantity(max(jolts, default=math.nan), "m/s^2"),
        "speed_before": Quantity(mean([s.speed for s in driven[: len(driven) // 3]]), "m/s"),
        "speed_at_end": Quantity(mean([s.speed for s in driven[-_LAST_STATES:]]), "m/s"),
    }
    series = Series(
        "Acceleration ahead, felt while driving",
        "time since the command / s",
        "m/s²",
        {
            "felt": [
                (state.time - leg.begun, felt)
                for state, felt in zip(leg.states, _felt_ahead(leg.states), strict=True)
            ]
        },
    )
    if noticed:
        sentence = f"noticed after {100 * distance:.0f} cm: {noticed[0].description}"
        return Result(Verdict.PASSED, sentence, values, series=(series,))
    has_met = await bench.person.notices("Did it drive against the book?")
    if has_met:
        # Nobody has recorded a robot at a wall yet: neither is unusual.
        sentence = f"met and not noticed; the greatest jolt was {max(jolts):.1f} m/s²"
        return Result(Verdict.PASSED, sentence, values, series=(series,))
    return Result(
        Verdict.SKIPPED,
        f"nothing was noticed within {100 * distance:.0f} cm, and nobody saw it meet anything",
        values,
        series=(series,),
    )


def _felt_ahead(states: list[RobotState]) -> list[float]:
    """Return the acceleration along the body less its median, m/s^2 (spec 18)."""
    felt = [
        s.acceleration.x * math.cos(s.head_angle) - s.acceleration.z * math.sin(s.head_angle)
        for s in states
    ]
    middle = float(np.median(felt)) if felt else 0.0
    return [one - middle for one in felt]


async def _edge(bench: Bench) -> Result:
    seconds = _EDGE_DISTANCE / _EDGE_SPEED
    floor = bench.state.cliff_raw[0]
    is_edge = bench.robot.cliff_threshold.is_edge
    leg = await bench.drive(_EDGE_SPEED, 0.0, seconds, is_edge)
    await bench.drive(-_EDGE_SPEED, 0.0, _AWAY_FROM_EDGE / _EDGE_SPEED)
    after = [state for state in leg.states if is_edge(state)]
    if not after:
        return skipped("no edge was met within 30 cm", "stand it 10 cm before an edge, and repeat")
    values = {
        "floor": Quantity(floor),
        "least": Quantity(min(state.cliff_raw[0] for state in leg.states)),
        "stopping_way": Quantity(_distance(after), "m"),
        "threshold": Quantity(bench.robot.cliff_threshold.current),
    }
    sentence = (
        f"noticed; {floor} on the table, {values['least'].value} beyond it, stopped within "
        f"{1000 * float(values['stopping_way'].value):.0f} mm"
    )
    series = Series(
        "Cliff sensor",
        "time since the command / s",
        "reflectance",
        {"raw": curve(leg.states, lambda s: float(s.cliff_raw[0]), leg.begun)},
    )
    return Result(Verdict.PASSED, sentence, values, series=(series,))


STEPS = (
    Step(
        "start",
        "Treads: start",
        "Drives slowly, forward and back, until the treads start.",
        _starting,
        motion=Motion.TREADS,
    ),
    Step(
        "treads",
        "Treads",
        "Drives 3 to 16 cm forward and back again, at five speeds.",
        _treads,
        motion=Motion.TREADS,
    ),
    Step(
        "shaking",
        "Shaking",
        "Drives up to 18 cm forward and back again, at three speeds.",
        _shaking,
        motion=Motion.TREADS,
    ),
    Step(
        "turns",
        "Turns",
        "Turns by 90 degrees at three speeds, and by 360 degrees, both ways.",
        _turns,
        motion=Motion.TREADS,
    ),
    Step(
        "slope",
        "Slope of the ground",
        "Looks into four directions, a moment each, to tell a slope from the sensor's own zero.",
        _slope,
        motion=Motion.TREADS,
    ),
)
OBSTACLES = (
    Step(
        "bump",
        "Against a book",
        "Drives up to 15 cm forward, against the book, and back.",
        _bump,
        needs="Stand a book upright, or another heavy thing as a wall, 8 cm before the robot.",
        motion=Motion.TREADS,
        is_pushed=True,
    ),
    Step(
        "edge",
        "Edge of the table",
        "Drives up to 30 cm forward until it notices the edge, and 8 cm back. Hold a hand there.",
        _edge,
        needs="Stand the robot 10 cm before the edge of a table, looking over it.",
        motion=Motion.TREADS,
        is_optional=True,
        is_at_edge=True,
    ),
)
