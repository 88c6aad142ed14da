"""A* through the lattice, led by the distance around obstacles (spec 16 §5)."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..robot import Pose2D
from .configuration_space import ConfigurationSpace
from .lattice import ANGLES, HEADINGS, PRIMITIVES, SPEED, Primitive

SOFT_COST = 100.0
"""s/m in what costs more (spec 16 §5: 0.1 s per mm)."""
HEURISTIC_WEIGHT, HASTY_HEURISTIC_WEIGHT = 2.0, 5.0
"""Paths may cost so many times the best one's: far fewer states are looked at then."""
_ANALYTIC_EVERY = 6
_ANALYTIC_NEAR = 0.025
"""A straight path to the goal is tried from every so many states, and from all so near to it, m."""
_SCALE = 1e5
"""Costs are compared as whole numbers of 1/100000 s, with the state in the lower bits."""

DirectCost = Callable[[Pose2D, Pose2D], float | None]


class NoPath(RuntimeError):
    """There is no path; the text says why, for people."""


class OutOfTime(NoPath):
    """None was found in time."""


class Limit:
    """Ends a plan after so much computing, s, and as soon as nobody waits for it.

    The thread's own time counts: a busy computer refuses no path.
    """

    def __init__(self, seconds: float, is_wanted: Callable[[], bool]) -> None:
        self._seconds, self._is_wanted = seconds, is_wanted
        self._begun = time.thread_time()

    def is_over(self, share: float = 1.0) -> bool:
        """Return whether this share of the time is."""
        return time.thread_time() - self._begun > share * self._seconds or not self._is_wanted()

    def check(self, share: float = 1.0) -> None:
        """Raise ``OutOfTime`` when this share of the time is over."""
        if self.is_over(share):
            raise OutOfTime(f"no path was found within {self._seconds:g} s of planning")


@dataclass(frozen=True, slots=True)
class Node:
    """A pose on the path, the move that led there, and what the path has cost so far, s."""

    pose: Pose2D
    move: Primitive | None
    """None for the start, and for a straight path to the goal."""
    cost: float


@dataclass(frozen=True, slots=True)
class Found:
    """A path from the start, its first node, to a goal, its last one."""

    nodes: list[Node]
    goal: int


class Search:
    """One search in a space whose start is at (0, 0, 0)."""

    def __init__(
        self,
        space: ConfigurationSpace,
        goals: Sequence[Pose2D],
        direct_cost: DirectCost,
        weight: float = HEURISTIC_WEIGHT,
    ) -> None:
        """``direct_cost`` returns the cost of the straight path to a goal, None where it is hit."""
        self._space, self._goals, self._direct_cost = space, goals, direct_cost
        ahead = space.distances([(goal.x, goal.y) for goal in goals])
        self._ahead = ahead.data
        self._clearance, self._depths = space.clearance.data, space.depths.data
        self._rate = weight / SPEED
        self._moves = [
            [
                (
                    number,
                    (move.end - heading) * space.cells + space.offset(move),
                    space.offset(move),
                    move.cost,
                    SOFT_COST * move.length,
                    tuple(space.check(sample) for sample in reversed(move.samples)),
                )
                for number, move in enumerate(moves)
            ]
            for heading, moves in enumerate(PRIMITIVES)
        ]
        self._start = space.cell(0.0, 0.0)
        self._near = frozenset(
            cell for goal in goals for cell in space.around(goal.x, goal.y, _ANALYTIC_NEAR)
        )
        self._costs = {self._start: 0.0}
        self._parents: dict[int, tuple[int, int]] = {}
        """By state: the one before and the number of the move from there."""
        self._goal_states = HEADINGS * space.cells
        """States from here on are the goals."""
        self._bits = (self._goal_states + len(goals)).bit_length()
        self._closed = bytearray(self._goal_states + len(goals))

    def run(self, check: Callable[[], object]) -> Found:
        """Return a path. Raises ``NoPath``, and what ``check`` raises."""
        if math.isinf(self._ahead[self._start]):
            raise NoPath("obstacles close the path to the goal")
        cells, costs, closed = self._space.cells, self._costs, self._closed
        heap, bits = [self._start], self._bits
        low_bits = (1 << bits) - 1
        expansions = 0
        while heap:
            state = heapq.heappop(heap) & low_bits
            if closed[state]:
                continue
            closed[state] = 1
            if state >= self._goal_states:
                return self._found(state)
            expansions += 1
            check()
            if expansions % _ANALYTIC_EVERY == 1 or state % cells in self._near:
                self._expand_analytically(state, heap)
            self._expand(state, costs[state], heap)
        raise NoPath("no path is wide enough for the robot")

    def best(self) -> Found | None:
        """Return the best path that ``run`` knew when it ended, None where it knew none."""
        goals = range(self._goal_states, self._goal_states + len(self._goals))
        known = [state for state in goals if state in self._costs]
        if not known:
            return None
        return self._found(min(known, key=self._costs.__getitem__))

    def _expand(self, state: int, cost: float, heap: list[int]) -> None:
        """Add the states to which one move leads."""
        costs, closed, clearance, ahead = self._costs, self._closed, self._clearance, self._ahead
        rate, bits = self._rate, self._bits
        heading, cell = divmod(state, self._space.cells)
        for number, step, shift, duration, soft, checks in self._moves[heading]:
            there = state + step
            if closed[there]:
                continue
            whole = cost + duration + soft * self._depths[there]
            if whole >= costs.get(there, math.inf):
                continue
            for place, least in checks:
                if clearance[cell + place] < least:
                    break
            else:
                costs[there] = whole
                self._parents[there] = state, number
                estimate = whole + rate * ahead[cell + shift]
                if estimate < math.inf:
                    heapq.heappush(heap, int(estimate * _SCALE) << bits | there)

    def _expand_analytically(self, state: int, heap: list[int]) -> None:
        """Add the goals to which a straight path leads."""
        pose, cost = self._pose(state), self._costs[state]
        for number, goal in enumerate(self._goals):
            there = self._goal_states + number
            best = self._costs.get(there, math.inf)
            if cost + math.hypot(goal.x - pose.x, goal.y - pose.y) / SPEED >= best:
                continue
            path = self._direct_cost(pose, goal)
            if path is not None and cost + path < best:
                self._costs[there] = cost + path
                self._parents[there] = state, 0
                heapq.heappush(heap, int((cost + path) * _SCALE) << self._bits | there)

    def _pose(self, state: int) -> Pose2D:
        heading, cell = divmod(state, self._space.cells)
        return Pose2D(*self._space.place(cell), ANGLES[heading])

    def _found(self, state: int) -> Found:
        goal = state - self._goal_states
        nodes = [Node(self._goals[goal], None, self._costs[state])]
        state, _ = self._parents[state]
        while state != self._start:
            before, number = self._parents[state]
            move = PRIMITIVES[before // self._space.cells][number]
            nodes.append(Node(self._pose(state), move, self._costs[state]))
            state = before
        nodes.append(Node(Pose2D(), None, 0.0))
        return Found(nodes[::-1], goal)
