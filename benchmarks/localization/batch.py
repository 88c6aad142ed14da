"""The limit of what a filter can reach: what fits best to a whole drive at once, later images too.

A factor graph of gtsam over the same sightings and the same odometry, which err by the same model
(``camera_model``, ``motion``). Its variables are the pose at each image, and every 0.06 s between
them, every tag, and the robot's scales, mount, focal length and lag, which unlike the filter's do
not drift in a drive. The search begins a little beside the truth: which of two poses of a tag is
true, and where a robot is that knows nothing, is not asked here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gtsam
import numpy as np
from gtsam.symbol_shorthand import C, T, X

from cozmo_driver.localization import MapTag, Priors, Sighting, TagMap
from cozmo_driver.localization.bundle import Leg, Look, turned
from cozmo_driver.localization.camera_model import Prediction, predict
from cozmo_driver.localization.map_filter import MapFilter
from cozmo_driver.localization.motion import DISTANCE_SCALE, ROBOT, TURN_SCALE, YAW, step_through
from cozmo_driver.localization.views import APART, Views
from cozmo_driver.perception import Drop, Matrix, Mount, PoseHistory, StampedState, rotation

from .drive import Drive
from .figures import Figures

_EVERY = 0.06
"""s from one pose that is solved to the next where no tag is seen."""
_BESIDE, _TURNED = 0.02, math.radians(3.0)
"""m and rad, standard deviations from the truth of where the search begins."""
_LEAST = 1e-10 * np.eye(3)
"""m and rad, squared, that a motion errs by at least, so that it can be inverted."""
_FAR = 6.0
"""Mahalanobis distance squared for each figure from which an image counts less (Huber)."""
_PASSES = 2
"""Each takes the noise of images where the one before found that they were taken."""
_DAMPING, _ROUNDS, _CLOSE = 1e-5, 50, 1e-6
"""At first; at most; share by which the cost changes in the last one."""
_CALIBRATION = C(0)
_SIZES = {ord("x"): 3, ord("t"): 6, ord("c"): 7}
"""Figures of a pose, a tag and the calibration."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    stamps: Matrix
    track: Matrix
    """x, y and yaw at stamps."""
    calibration: Matrix
    """Of the robot's state all but the pose."""
    tags: TagMap

    def figures(self, drive: Drive) -> Figures:
        """Return how far off it is at every state."""
        off = self.track - [drive.truth(stamp) for stamp in self.stamps]
        off[:, YAW] = np.remainder(off[:, YAW] + math.pi, 2 * math.pi) - math.pi
        stamps = np.array([state.stamp for state, _ in drive.events])
        every = np.column_stack([np.interp(stamps, self.stamps, one) for one in off.T])
        return Figures(off=list(every), stamps=stamps.tolist())


def solve(
    drive: Drive,
    mount: Mount,
    deviations: tuple[float, float, float],
    tag_map: TagMap | None,
    seed: int,
) -> Solution:
    """Return what fits best to a drive; ``mount``, ``deviations``: what is known of the camera.

    Without a map, the place where the drive begins defines the map's frame.
    """
    # What a filter knows that is new.
    known = MapFilter(Priors(), np.array([mount.pitch, mount.roll, mount.yaw]), deviations)
    looks = _looks(drive, known.robot)
    seen = dict.fromkeys(one.name for look in looks for one in look.sightings)
    names = list(tag_map.tags if tag_map else seen)
    priors, found = _priors(drive, looks, names, known, tag_map), gtsam.Values()
    random = np.random.default_rng(seed + 3000)
    found.insert(_CALIBRATION, known.robot[TURN_SCALE:])
    for number, name in enumerate(names):
        place = (tag_map or drive.tags).tags[name].pose.copy()
        if tag_map is None:
            place[:3, 3] += random.normal(0.0, _BESIDE, 3)
            place[:3, :3] = rotation(random.normal(0.0, _TURNED, 3)) @ place[:3, :3]
        found.insert(T(number), gtsam.Pose3(place))
    for number, look in enumerate(looks):
        beside = random.normal(0.0, (_BESIDE, _BESIDE, _TURNED))
        found.insert(X(number), gtsam.Pose2(*(drive.truth(look.state.stamp) + beside)))
    for _ in range(_PASSES):
        graph = gtsam.NonlinearFactorGraph(priors)
        for number, look in enumerate(looks):
            if number:
                graph.add(_leg_factor(number, look.leg))
            if (image := _image_factor(number, look, names, found)) is not None:
                graph.add(image)
        found = _fitted(graph, found)
    track = [found.atPose2(X(number)) for number in range(len(looks))]
    tags = [
        MapTag(name, drive.tags.tags[name].size, found.atPose3(T(number)).matrix())
        for number, name in enumerate(names)
    ]
    return Solution(
        np.array([look.state.stamp for look in looks]),
        np.array([(one.x(), one.y(), one.theta()) for one in track]),
        found.atVector(_CALIBRATION),
        TagMap.of(tags),
    )


def _priors(
    drive: Drive,
    looks: Sequence[Look],
    names: Sequence[str],
    known: MapFilter,
    tag_map: TagMap | None,
) -> Any:
    graph, models = gtsam.NonlinearFactorGraph(), gtsam.noiseModel
    own = slice(TURN_SCALE, ROBOT)
    model = models.Gaussian.Covariance(known.covariance[own, own])
    graph.add(gtsam.PriorFactorVector(_CALIBRATION, known.robot[own], model))
    if tag_map is None:
        begin = gtsam.Pose2(*drive.truth(looks[0].state.stamp))
        graph.add(gtsam.PriorFactorPose2(X(0), begin, models.Isotropic.Sigma(3, 1e-4)))
        return graph
    for number, name in enumerate(names):
        one = tag_map.tags[name]
        spread, angle = one.deviation
        model = models.Diagonal.Sigmas([angle] * 3 + [spread] * 3)
        graph.add(gtsam.PriorFactorPose3(T(number), gtsam.Pose3(one.pose), model))
    return graph


def _fitted(graph: Any, values: Any) -> Any:
    """Return what fits best, by Levenberg and Marquardt.

    gtsam's own optimizers copy all values for each factor that is written in Python: with them ten
    minutes took 24 times as long, and came to the same.
    """
    damping, cost = _DAMPING, graph.error(values)
    for _ in range(_ROUNDS):
        linear = graph.linearize(values)
        for key in values.keys():  # noqa: SIM118
            size = _SIZES[gtsam.symbolChr(key)]
            unit = gtsam.noiseModel.Unit.Create(size)
            linear.add(key, math.sqrt(damping) * np.eye(size), np.zeros(size), unit)
        after = values.retract(linear.optimize())
        then = graph.error(after)
        if abs(cost - then) < _CLOSE * cost:
            return after
        damping *= 0.1 if then < cost else 10.0
        if then < cost:
            values, cost = after, then
    raise RuntimeError(f"nothing was found that fits best; the cost is {cost:.6g}")


def _looks(drive: Drive, robot: Matrix) -> list[Look]:
    """Return what is solved: each image, and the motion to it from the one before."""
    history, views = PoseHistory(), Views()
    moments: list[tuple[StampedState, tuple[Any, ...]]] = []
    for state, images in drive.events:
        history.add(state)
        moments.append((state, ()))
        for stamp, seen in images:
            at = history.at(stamp)
            if not isinstance(at, Drop) and seen:
                moments.append((at, tuple(views.fresh(seen, at, APART))))
    moments.sort(key=lambda one: one[0].stamp)
    scales = robot[TURN_SCALE : DISTANCE_SCALE + 1]
    states = [moments[0][0]]
    looks = [Look(Leg.none(scales), *moments[0], 1.0)]
    for state, seen in moments[1:]:
        states.append(state)
        if seen or state.stamp - states[0].stamp >= _EVERY:
            leg = Leg.none(scales).then(robot, step_through(robot, states))
            looks.append(Look(leg, state, seen, 1.0))
            states = [state]
    return looks


def _leg_factor(number: int, leg: Leg) -> Any:
    def error(_: Any, values: Any, slopes: Any) -> Matrix:
        a, b = values.atPose2(X(number - 1)), values.atPose2(X(number))
        step = a.between(b)
        move = np.array([step.x(), step.y(), step.theta()])
        off = leg.between(values.atVector(_CALIBRATION)[:2]) - move
        off[YAW] = math.remainder(off[YAW], 2 * math.pi)
        if slopes is not None:
            slopes[0] = np.array([[1.0, 0.0, -move[1]], [0.0, 1.0, move[0]], [0.0, 0.0, 1.0]])
            slopes[1] = -turned(move[YAW])
            slopes[2] = np.hstack((leg.by_scales, np.zeros((3, 5))))
        return off

    noise = gtsam.noiseModel.Gaussian.Covariance(leg.noise + _LEAST)
    return gtsam.CustomFactor(noise, [X(number - 1), X(number), _CALIBRATION], error)


def _image_factor(number: int, look: Look, names: Sequence[str], start: Any) -> Any:
    """Return what an image tells; None where it shows nothing that is looked for."""
    taken = [(one, T(names.index(one.name))) for one in look.sightings if one.name in names]

    def predicted(values: Any, taken: list[tuple[Sighting, int]]) -> list[Prediction] | None:
        here = values.atPose2(X(number))
        robot = np.array([here.x(), here.y(), here.theta(), *values.atVector(_CALIBRATION)])
        seen = [predict(robot, look.state, one, values.atPose3(at).matrix()) for one, at in taken]
        return None if None in seen else [one for one in seen if one is not None]

    def error(_: Any, values: Any, slopes: Any) -> Matrix:
        seen = predicted(values, taken)
        if seen is None:
            # A tag behind the camera: no step may lead there.
            if slopes is not None:
                slopes[:] = [np.zeros((rows, size)) for size in (3, 7, *[6] * len(taken))]
            return np.ones(rows)
        if slopes is not None:
            heading = values.atPose2(X(number)).theta()
            by_robot = np.vstack([one.by_robot for one in seen])
            slopes[0] = -by_robot[:, :TURN_SCALE] @ turned(heading)
            slopes[1] = -by_robot[:, TURN_SCALE:]
            at = 0
            for index, (one, (_, key)) in enumerate(zip(seen, taken, strict=True), 2):
                turn = values.atPose3(key).rotation().matrix()
                own = np.zeros((rows, 6))
                end = at + len(one.residual)
                # In gtsam rotations come first, and both are about the tag's own axes.
                own[at:end, :3] = -one.by_landmark[:, 3:] @ turn
                own[at:end, 3:] = -one.by_landmark[:, :3] @ turn
                slopes[index], at = own, end
        return np.concatenate([one.residual for one in seen])

    at_start = predicted(start, taken) if taken else None
    if at_start is None:
        return None
    # What goes outwards is told by where corners should be: told by where they are seen, it makes
    # tags seem small, and a map that is learnt 0.2 to 0.3 % too large.
    expected = [
        (replace(one, directions=one.directions - seen.residual.reshape(-1, 2)), key)
        for (one, key), seen in zip(taken, at_start, strict=True)
    ]
    at_start = predicted(start, expected) or at_start
    rows = sum(len(one.residual) for one in at_start)
    shared = np.vstack([one.shared for one in at_start])
    covariance = shared @ shared.T
    at = 0
    for one in at_start:
        end = at + len(one.residual)
        covariance[at:end, at:end] += one.own_noise
        at = end
    noise = gtsam.noiseModel.Robust.Create(
        gtsam.noiseModel.mEstimator.Huber.Create(math.sqrt(_FAR * rows)),
        gtsam.noiseModel.Gaussian.Covariance(covariance),
    )
    return gtsam.CustomFactor(noise, [X(number), _CALIBRATION, *[key for _, key in taken]], error)
