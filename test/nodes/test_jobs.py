"""Jobs: what callbacks of the executor wait for, and what is left of it."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from cozmo_driver.robot import Reason, RobotError
from cozmo_driver.ros.jobs import Job, Jobs

from ..waiting import wait_until
from .conftest import Bench


class Burden:
    """Something large that a job works with."""


@dataclass
class Trial:
    """A job that is awaited in the executor, and what became of it."""

    ends: list[Reason] = field(default_factory=list)
    burdens: list[weakref.ref[Burden]] = field(default_factory=list)
    is_running: bool = False

    async def fail(self) -> None:
        burden = Burden()
        self.burdens.append(weakref.ref(burden))
        raise RobotError(Reason.NOT_CONNECTED, "no robot is ready")

    async def wait(self) -> None:
        burden = Burden()
        self.burdens.append(weakref.ref(burden))
        self.is_running = True
        await asyncio.Event().wait()


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def begin(bench: Bench, trial: Trial, name: str, job: Job) -> None:
    jobs = Jobs(bench.graph.node, bench.context.thread)

    async def call() -> None:
        try:
            await jobs.result_of(getattr(trial, name)(), job)
        except RobotError as error:
            trial.ends.append(error.reason)

    bench.graph.node.executor.create_task(call)


def test_a_job_that_failed_or_was_ended_is_freed_without_the_garbage_collector(
    bench: Bench, no_collector: None
) -> None:
    trial, job = Trial(), Job()
    begin(bench, trial, "fail", Job())
    wait_until(lambda: trial.ends == [Reason.NOT_CONNECTED], "the job has not failed")
    begin(bench, trial, "wait", job)
    wait_until(lambda: trial.is_running, "the job has not begun")
    bench.context.thread.post(job.end, Reason.SUPERSEDED, "a newer one took over")
    wait_until(lambda: trial.ends[1:] == [Reason.SUPERSEDED], "the job has not ended")
    assert job.is_done
    wait_until(lambda: not any(one() for one in trial.burdens), "what they worked with is there")
