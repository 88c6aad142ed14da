"""The checkup: one step after the other, with a person beside the robot."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from ..link import with_timeout
from ..perception import TemplateFileError
from ..protocol import ConnectionLost, NotConnected
from ..robot import Robot, RobotError, RobotState
from .bench import Bench
from .expectations import Deviation, deviations_of
from .guard import UNWATCHED, Guard, Interruption
from .person import Choice, Person
from .step import Motion, Result, Step, Verdict, failed, skipped

_log = logging.getLogger(__name__)

RECONNECTING = 60.0
"""s that a lost link has to come back."""
_GROUND_TIMEOUT = 10.0
_SETTLING = 2.0
"""s until a robot that was put down is at rest, and the hand away."""
_CALIBRATION_TIME = 5.0
"""s that the app waits for a robot which calibrates its head by itself (spec 07 §6)."""
_PLACE = (
    "Clear a place of 60 x 60 cm on a table or floor, level, matt and light, with no edge "
    "nearer than 20 cm, and stand the robot in its middle (or leave it on its charger with 60 cm "
    "free before it: it drives off by itself)."
)
_WAITING = (
    "waiting for the robot. Fingers away: when it is back, head and lift run to their lower "
    "stops, and the step begins."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a step; ``duration`` in s, without the time that people took."""

    step: Step
    result: Result
    duration: float = 0.0
    attempts: int = 0
    deviations: tuple[Deviation, ...] = ()


def chosen_steps(
    steps: Iterable[Step], only: Collection[str] = (), skip: Collection[str] = ()
) -> list[Step]:
    """Return all steps or ``only`` some, which are not optional then, without those to ``skip``.

    Raises ``ValueError`` for names that no step has.
    """
    known = {step.name: step for step in steps}
    for name in (*only, *skip):
        if name not in known:
            raise ValueError(f"there is no step {name}; there are {', '.join(known)}")
    return [
        replace(step, is_optional=False) if name in only else step
        for name, step in known.items()
        if (not only or name in only) and name not in skip
    ]


class Stopped(Exception):
    """The person ends the checkup."""


class Lost(Stopped):
    """There is no robot any more, or another one."""


class Checkup:
    """Runs steps on one robot; ``outcomes`` has what came of each, also when it ends early."""

    def __init__(
        self,
        robot: Robot,
        person: Person,
        steps: Sequence[Step],
        on_outcome: Callable[[Outcome], object] = lambda _: None,
        on_state: Callable[[RobotState], object] = lambda _: None,
    ) -> None:
        """Call ``on_state`` with every state while a step works, not while people read."""
        self._robot, self._person, self._steps = robot, person, steps
        self.identity = robot.identity
        """Of the robot that it is about: another one may answer at the same address."""
        self._on_outcome, self._on_state = on_outcome, on_state
        self.bench = Bench(robot, person)
        self.outcomes: dict[str, Outcome] = {}
        self.ended = ""
        """Why it ended early; empty when it did not."""
        self.is_lost = False
        """Whether it ended because the robot is gone, or is another one."""
        self.robot_time = 0.0
        """s that the steps took."""
        self._is_watched = True
        self._guard: Guard | None = None
        """Of the step that runs."""
        self._may_drive: bool | None = None
        """Whether there is a free place; None before anybody was asked.

        A step that needs something else says itself where the robot stands.
        """

    async def run(self) -> None:
        """Do the steps. Whatever happens, the treads stand afterwards."""
        motion = self._robot.motion
        limits = motion.limits
        # What is measured is the robot, not what the driver makes up for.
        motion.limits = replace(limits, is_yaw_trimmed=False, is_speed_regulated=False)
        try:
            await self._run()
        except Stopped as stop:
            self.ended, self.is_lost = str(stop), isinstance(stop, Lost)
        except asyncio.CancelledError:
            self.ended = "it was interrupted"
            raise
        except Exception as error:
            self.ended = f"it could not go on: {error}"
            raise
        finally:
            motion.limits = limits

    def watch(self, is_watched: bool) -> None:
        """Tell whether anybody watches the robot, which else does not drive.

        A step that this ends is asked for again, as soon as somebody answers.
        """
        self._is_watched = is_watched
        if not is_watched and self._guard is not None:
            self._guard.leave_alone()

    async def _run(self) -> None:
        at = 0
        while at < len(self._steps):
            step = self._steps[at]
            choice = await self._person.choose(step, can_repeat=at > 0)
            if choice is Choice.STOP:
                raise Stopped("it was stopped by the person")
            if choice is Choice.REPEAT and at > 0:
                at -= 1
                at += await self._repeat(self._steps[at])
            elif choice is Choice.SKIP:
                why = "optional" if step.is_optional else "left out by the person"
                self._keep(Outcome(step, skipped(f"not done: {why}")))
                at += 1
            else:
                is_done = await self._do(step)
                # No question of another step offers to repeat the last one.
                while is_done and step is self._steps[-1] and await self._again(step):
                    is_done = await self._repeat(step)
                at += is_done

    async def _again(self, step: Step) -> bool:
        verdict = self.outcomes[step.name].result.verdict
        return verdict in (Verdict.FAILED, Verdict.SKIPPED) and await self._person.again(step)

    async def _repeat(self, step: Step) -> bool:
        # Whoever had no free place may have made one.
        self._may_drive = self._may_drive or None
        return await self._do(step)

    async def _do(self, step: Step) -> bool:
        """Return whether to go on with the next one."""
        before = self.outcomes.get(step.name)
        done = before.attempts if before else 0
        found, duration, attempts = await self._once(step)
        if isinstance(found, Interruption) and found.is_link:
            lost = found.text
            try:
                if found.is_stall:
                    self._person.tell(f"{lost}; the step is done once more")
                else:
                    await self._reconnected(lost)
                found, more, again = await self._once(step)
            except Lost:
                result = skipped(f"interrupted: {lost}")
                self._keep(Outcome(step, result, duration, done + attempts))
                raise
            duration, attempts = duration + more, attempts + again
            if isinstance(found, Interruption) and found.is_link:
                # A link that stalls and holds is none that does not work.
                judged = skipped if self._robot.session.is_ready else failed
                found = judged(
                    f"the link failed twice: {found.text}",
                    "bring the robot nearer to the computer, and see cozmo doctor",
                )
        is_watched = found is not UNWATCHED
        if isinstance(found, Interruption):
            found = skipped(f"interrupted: {found.text}", found.advice)
        deviations = deviations_of(step.name, found.values)
        if deviations and found.verdict is Verdict.PASSED:
            advice = found.advice or "two robots are few to compare with: please send the report"
            found = replace(found, verdict=Verdict.UNUSUAL, advice=advice)
        self._keep(Outcome(step, found, duration, done + attempts, deviations))
        return is_watched

    async def _once(self, step: Step) -> tuple[Result | Interruption, float, int]:
        """Prepare and attempt a step; return what came of it, the s and number of attempts."""
        try:
            why_not = await self._prepare(step)
        except (ConnectionLost, NotConnected) as error:
            why_not = Interruption(f"the link was lost: {error}", is_link=True)
        if why_not is not None:
            return why_not, 0.0, 0
        begun = self.bench.now
        found = await self._attempt(step)
        duration = self.bench.now - begun
        self.robot_time += duration
        return found, duration, 1

    async def _attempt(self, step: Step) -> Result | Interruption:
        self._check_identity()
        if not self._robot.session.is_ready:
            return Interruption("the link was lost", is_link=True)
        if step.drives and not self._is_watched:
            return UNWATCHED
        self._guard = guard = Guard(self._robot, step)
        self.bench.silence = 0.0
        disconnect = self._robot.on_state.connect(self._on_state)
        try:
            found = await guard.run(step.run(self.bench))
        except RobotError as error:
            found = failed(str(error), "repeat the step; if it fails again, send the report")
        except TemplateFileError as error:
            found = skipped(str(error))
        except Exception as error:
            # One step that nobody foresaw must not cost all others.
            _log.exception("the step %s could not be evaluated", step.name)
            found = skipped(f"it could not be evaluated: {error!r}", "please send the report")
        finally:
            disconnect()
        if self.bench.silence and isinstance(found, Result):
            text = f"no state came for {self.bench.silence:.1f} s while it moved or played"
            return Interruption(text, is_link=True, is_stall=True)
        return found

    def _keep(self, outcome: Outcome) -> None:
        self.outcomes[outcome.step.name] = outcome
        self._person.tell(line_of(outcome))
        self._on_outcome(outcome)

    # -- before a step

    async def _prepare(self, step: Step) -> Result | Interruption | None:
        """Have the robot where the step needs it; return why it cannot be done."""
        if not self._robot.session.is_ready:
            await self._reconnected("the link was lost")
        if step.drives:
            if not step.needs and self._may_drive is None:
                self._may_drive = await self._person.agrees(_PLACE)
            if not step.needs and not self._may_drive:
                return skipped("there is no place to drive in")
            battery = self._robot.battery
            if battery is not None and battery.is_low:
                return skipped("the battery is low", "charge the robot for ten minutes")
        if (step.drives or step.is_on_ground) and not await self._stands():
            return skipped("the robot does not stand on its treads", "put it down, and repeat")
        if step.needs and not await self._person.agrees(step.needs):
            return skipped("what it needs was not there")
        if step.motion.value:
            await self._calibrated()
        if step.drives and self._robot.maneuvers.charger.is_on_platform:
            return await self._leave_charger(step)
        return None

    async def _leave_charger(self, step: Step) -> Result | Interruption | None:
        async def undock(bench: Bench) -> Result:
            await bench.robot.maneuvers.undock()
            return Result(Verdict.PASSED, "off the charger")

        leaving = replace(step, run=undock, motion=Motion.TREADS, is_at_edge=True)
        found = await self._attempt(leaving)
        if isinstance(found, Interruption):
            if found.is_link or found is UNWATCHED:
                return found
            return skipped(f"the robot did not leave its charger: {found.text}", found.advice)
        return None if found.verdict is Verdict.PASSED else skipped(found.sentence, found.advice)

    async def _stands(self) -> bool:
        if not self.bench.state.is_off_ground:
            return True
        if not await self._person.agrees("Put the robot down on its treads."):
            return False
        states = await self.bench.record(_GROUND_TIMEOUT, lambda state: not state.is_off_ground)
        await self.bench.pause(_SETTLING)
        return not states[-1].is_off_ground and not self.bench.state.is_off_ground

    async def _calibrated(self) -> None:
        """Wait for a calibration of head and lift; one that does not end fails the step."""
        session = self._robot.session
        with contextlib.suppress(TimeoutError):
            await session.until(lambda: not session.calibration.is_running, _CALIBRATION_TIME)

    async def _reconnected(self, lost: str) -> None:
        """Tell why, and wait for the link. Raises ``Lost``."""
        robot = self._robot
        self._person.tell(f"{lost}; {_WAITING}")
        try:
            # States come before the session is ready, too.
            back = robot.on_state.next(lambda _: robot.session.is_ready)
            await with_timeout(RECONNECTING, back)
        except TimeoutError:
            raise Lost(f"the robot did not come back within {RECONNECTING:g} s") from None
        self._check_identity()
        self._person.tell("the robot is back")

    def _check_identity(self) -> None:
        """Raise ``Lost`` where another robot has taken the place of the first one."""
        if self._robot.identity.head_serial != self.identity.head_serial:
            raise Lost("another robot answers: join the first one's network, and begin again")


def line_of(outcome: Outcome) -> str:
    """Return a step's outcome as a line for people."""
    result = outcome.result
    line = f"{result.verdict.value:8} {outcome.step.title}: {result.sentence}"
    beside = ", ".join(deviation.name.replace("_", " ") for deviation in outcome.deviations)
    line += f" (unusual: {beside})" if beside else ""
    return line + (f"; {result.advice}" if result.advice else "")
