"""What outlasts the node ``cozmo_behavior``: needs and trace; files of the user; a still robot."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cozmo_driver.behavior import ros_persistence
from cozmo_driver.behavior.needs import Needs as Levels
from cozmo_driver.behavior.needs import NeedsSnapshot
from cozmo_driver.behavior.needs_config import Need, load_needs_config
from cozmo_driver.behavior.needs_store import LoadedNeeds, NeedsStore, decode_blob
from cozmo_driver.behavior.trace import TRACE_FILE
from cozmo_interfaces.msg import BehaviorState, Needs, Reason, RobotInfo
from cozmo_interfaces.srv import ApplyNeedAction, ListBehaviors, NvRead

from .conftest import World
from .graph import LATCHED, Graph
from .personality import living

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "nod_at_taps.py"


def fall(graph: Graph) -> Needs:
    """Damage the robot; return its needs afterwards."""
    request = ApplyNeedAction.Request(action="HardImpact")
    answer = graph.call(ApplyNeedAction, "behavior/apply_need_action", request)
    assert answer.success, answer
    needs: Needs = answer.needs
    return needs


def decisions_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / TRACE_FILE).read_text().splitlines()]


@pytest.mark.covers("keep_needs", "needs_on_robot", "keep_trace", "state_dir", "behavior/needs")
def test_needs_are_those_of_the_day_before_from_the_file_or_from_the_robot(
    world: World, tmp_path: Path
) -> None:
    graph, folder = world.graph, {"state_dir": str(tmp_path)}
    assert graph.set(allow_nv_write=True) == ""
    with living(world, **folder, enabled=True, needs_on_robot=True) as life:
        life.states().wait_for(lambda message: message.state == BehaviorState.RUNNING)
        before = fall(graph)

    def is_as_before(message: Needs) -> bool:
        return bool(message.repair == pytest.approx(before.repair, abs=0.001))

    [file] = tmp_path.glob("needs-*.json")
    assert json.loads(file.read_text())["levels"]["Repair"] == pytest.approx(before.repair)
    request = NvRead.Request(tag=NvRead.Request.TAG_NURTURE_GAME)
    saved, _ = decode_blob(bytes(graph.call(NvRead, "nv_read", request).data))
    assert saved.levels[Need.REPAIR] == pytest.approx(before.repair)

    decisions = decisions_in(tmp_path)
    chosen = next(one for one in decisions if one["kind"] == "behavior")
    assert chosen["name"]
    assert "score" in chosen["reason"]
    assert {"name", "why"} == set(chosen["rejected"][0])
    assert decisions[-1]["kind"] == "end"
    assert [one["time"] for one in decisions] == sorted(one["time"] for one in decisions)

    with living(world, **folder, enabled=True, keep_trace=False) as life:
        graph.listen(Needs, "behavior/needs", LATCHED).wait_for(is_as_before)
        life.states().wait_for(lambda message: message.state == BehaviorState.RUNNING)
    assert decisions_in(tmp_path) == decisions
    graph.clear()
    with living(world, **folder, keep_needs=False, needs_on_robot=True):
        graph.listen(Needs, "behavior/needs", LATCHED).wait_for(is_as_before)


class Keeping:
    """Needs that are kept in a folder and on a robot that tells nothing until ``answer`` is set."""

    def __init__(self, folder: Path) -> None:
        self.answer = asyncio.Event()
        config, now = load_needs_config(()), asyncio.get_running_loop().time()
        self.inner = SimpleNamespace(needs=Levels(config, now, random.Random(1)))
        senses = SimpleNamespace(is_linked=False)
        life = SimpleNamespace(
            inner=self.inner, rng=random.Random(1), body=SimpleNamespace(ros_senses=senses)
        )
        self.warnings: list[str] = []
        logger = SimpleNamespace(info=lambda _: None, warning=self.warnings.append)
        self.tell: Any = None

        def listen(_: type, __: str, callback: Any, ___: object) -> None:
            self.tell = callback

        node = SimpleNamespace(get_logger=lambda: logger)
        context = SimpleNamespace(node=node, listen=listen)
        self.persistence = ros_persistence.NeedsPersistence(
            cast(Any, context), cast(Any, life), folder, cast(Any, self)
        )

    async def load(self, _: float) -> LoadedNeeds:
        await self.answer.wait()
        return LoadedNeeds()

    async def meet(self, serial: int) -> None:
        """Meet a robot; its needs are fetched afterwards."""
        self.tell(RobotInfo(head_serial=serial))
        work = self.persistence._work
        if self.answer.is_set() and work is not None:
            await work

    async def update(self) -> None:
        """Keep what has changed."""
        self.persistence.update()
        if self.persistence._work is not None:
            await self.persistence._work


def repair_in(folder: Path, serial: int) -> float:
    saved = NeedsStore(folder, serial).load(0.0).saved
    assert saved is not None
    return saved.levels[Need.REPAIR]


def test_an_end_before_the_needs_have_come_leaves_those_that_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_persistence, "_TIMEOUT", 0.3)
    kept = NeedsSnapshot(dict.fromkeys(Need, 0.25), dict.fromkeys(Need, 0.0))
    NeedsStore(tmp_path, 7).save(kept, 0.0)

    async def begin_and_end() -> None:
        keeping = Keeping(tmp_path)
        await keeping.meet(7)
        await keeping.persistence.end()

    asyncio.run(begin_and_end())
    assert repair_in(tmp_path, 7) == 0.25


def test_a_robot_that_was_never_met_does_not_begin_with_the_needs_of_the_one_before(
    tmp_path: Path,
) -> None:
    async def meet_two() -> None:
        keeping = Keeping(tmp_path)
        keeping.answer.set()
        await keeping.meet(7)
        keeping.inner.needs.set_level(Need.REPAIR, 0.25, asyncio.get_running_loop().time())
        await keeping.meet(8)
        assert keeping.inner.needs.level(Need.REPAIR) == 1.0
        await keeping.persistence.end()

    asyncio.run(meet_two())
    assert (repair_in(tmp_path, 7), repair_in(tmp_path, 8)) == (0.25, 1.0)


def test_after_a_disk_that_was_full_for_a_while_the_needs_are_kept_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_persistence, "_FILE_PERIOD", 0.0)
    folder = tmp_path / "folder"

    async def keep() -> None:
        keeping = Keeping(folder)
        keeping.answer.set()
        await keeping.meet(7)
        # A file in its place lets nothing be written, even by root.
        folder.write_text("")
        await keeping.update()
        await keeping.update()
        [told] = keeping.warnings
        assert "cannot keep the needs" in told
        folder.unlink()
        await keeping.update()

    asyncio.run(keep())
    assert repair_in(folder, 7) == 1.0


def test_a_file_that_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    # Its first byte cannot be read, even by root.
    unreadable = NeedsStore(tmp_path, 7).path
    unreadable.symlink_to("/proc/self/mem")

    async def begin_and_end() -> None:
        keeping = Keeping(tmp_path)
        keeping.answer.set()
        await keeping.meet(7)
        await keeping.update()
        await keeping.persistence.end()
        [told] = keeping.warnings
        assert "cannot read the needs" in told

    asyncio.run(begin_and_end())
    assert [path.name for path in tmp_path.iterdir()] == [unreadable.name]
    assert unreadable.is_symlink()


@pytest.mark.covers("behavior_files", "resource_dir", "enabled", "behavior/run")
def test_files_of_the_user_are_lived_by_and_the_end_leaves_a_robot_that_stands(
    world: World, tmp_path: Path
) -> None:
    tree = tmp_path / "cozmo_resources"
    (tree / "assets" / "animations").mkdir(parents=True)
    folder = tree / "config" / "engine" / "behaviorSystem" / "behaviors"
    folder.mkdir(parents=True)
    text = json.dumps({"behaviorID": "BuildRocket", "behaviorClass": "BuildRocket"})
    (folder / "rocket.json").write_text(text)
    chosen = {
        "resource_dir": str(tree),
        "behavior_files": f"{EXAMPLE}:{tmp_path / 'none.py'}",
        "state_dir": str(tmp_path),
        "enabled": True,
    }
    with living(world, **chosen) as life:
        life.states().wait_for(lambda message: message.state == BehaviorState.RUNNING)
        assert "none.py: cannot be loaded" in life.process.log
        answer = life.graph.call(ListBehaviors, "behavior/list")
        infos = {info.behavior_id: info for info in answer.behaviors}
        assert infos["NodForTenSeconds"].is_supported
        assert not infos["BuildRocket"].is_supported
        assert "nothing implements the class 'BuildRocket'" in infos["BuildRocket"].message
        outcome, result = life.ask("BuildRocket").wait()
        assert (outcome, result.reason) == ("aborted", Reason.UNSUPPORTED)

        goal = life.ask("Alone_Wander", run_count=-1)
        life.wait_for_wheels(True)
        assert life.process.stop(signal.SIGTERM) == 0
        outcome, result = goal.wait()
        assert (outcome, result.reason) == ("aborted", Reason.SHUTDOWN)
        life.wait_for_wheels(False)
