"""Whatever ends a game: it ends soon and with its reason, and everything is given back."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

import pytest

from cozmo_driver.behavior.executor import Request, RequestEnded
from cozmo_driver.behavior.games import GAMES
from cozmo_driver.robot import CubeLink, OffTreads, Pose2D, Reason, RobotEventType

from ..paper import Home, happen, in_virtual_time
from .players import cubes

WELL_IN = 12.0
"""s after which every game is going on."""


def lift(home):
    home.body.feel(is_picked_up=True, off_treads=OffTreads.IN_AIR)


def edge(home):
    happen(home, RobotEventType.CLIFF_DETECTED, has_stopped=True)


def link_cube(home, link):
    first, *others = home.body.cubes
    home.body.cubes = (replace(first, link=link), *others)


def lose_cube(home):
    link_cube(home, CubeLink.DISCONNECTED)


def lose_link(home):
    home.body.feel(is_connected=False)


def touch(home):
    home.engine.touch("cmd_vel")


def switch_off(home):
    home.engine.enable(False)


def fail(home):
    home.body.fails = lambda what: "the clip is broken" if what.startswith("play") else ""


def ask_for_another(home):
    home.others = asyncio.ensure_future(home.engine.run_behavior("Alone_Think"))


DISTURBANCES = {
    lift: Reason.PICKED_UP,
    edge: Reason.CLIFF,
    lose_cube: Reason.NOT_FOUND,
    lose_link: Reason.LINK_LOST,
    touch: Reason.CANCELED,
    switch_off: Reason.CANCELED,
    ask_for_another: Reason.SUPERSEDED,
}
OVERLOOK_EDGES = frozenset({"keepaway", "memory_match"})
"""Whose behaviours lock the reaction to an edge."""
DISTURBED = [
    pytest.param(name, disturb, id=f"{disturb.__name__}-{name}")
    for disturb in DISTURBANCES
    for name in GAMES
    if disturb is not edge or name not in OVERLOOK_EDGES
]


@contextlib.asynccontextmanager
async def playing(rules):
    """A game that goes on, and the home it is played in."""
    async with Home(cubes=cubes(), seed=2) as home:
        for number, cube in enumerate(home.body.cubes):
            home.body.places[cube.factory_id] = Pose2D(0.15, 0.08 * (number - 1))
        await home.until(lambda: home.now.behavior_id, 60)
        request = Request(home.engine.behaviors[rules.behavior], values={"playerCube": 1})
        game = asyncio.ensure_future(home.engine.serve(request))
        await home.until(lambda: home.now.behavior_id == rules.behavior, 10)
        await asyncio.sleep(WELL_IN)
        assert not game.done(), game
        yield home, game


@pytest.mark.parametrize(("name", "disturb"), DISTURBED)
@in_virtual_time
async def test_a_game_that_is_disturbed_ends_with_its_reason_and_gives_everything_back(
    name, disturb
):
    rules = GAMES[name]
    async with playing(rules) as (home, game):
        locked = home.now.locked
        assert locked
        disturb(home)
        await home.until(game.done, 5)
        with pytest.raises(RequestEnded) as ended:
            await game
        assert ended.value.reason is DISTURBANCES[disturb], ended.value
        await home.until(lambda: home.now.behavior_id != rules.behavior, 5)
        assert home.now.locked != locked
        assert not home.body.streams
        assert not [one for one in home.body.lights if isinstance(one, int)]


@pytest.mark.parametrize("name", GAMES)
@in_virtual_time
async def test_a_cube_that_drops_and_heals_by_itself_ends_no_game(name):
    async with playing(GAMES[name]) as (home, game):
        link_cube(home, CubeLink.LOST)
        await asyncio.sleep(0.5)
        link_cube(home, CubeLink.CONNECTED)
        await home.until(game.done, 300)
        error = game.exception()
        assert error is None or error.reason is Reason.TIMEOUT, error


@pytest.mark.parametrize("name", GAMES)
@in_virtual_time
async def test_a_poke_or_a_press_of_the_button_ends_no_game(name):
    async with playing(GAMES[name]) as (home, game):
        for kind in (RobotEventType.POKED, RobotEventType.BUTTON_PRESSED):
            happen(home, kind)
            await asyncio.sleep(2.0)
            assert home.now.behavior_id == GAMES[name].behavior
        assert not game.done()


@in_virtual_time
async def test_without_a_player_quick_tap_ends_by_itself():
    async with playing(GAMES["quick_tap"]) as (home, game):
        await home.until(game.done, 120)
        with pytest.raises(RequestEnded, match="did nothing for 60 s") as ended:
            await game
        assert ended.value.reason is Reason.TIMEOUT
        await home.until(lambda: home.now.behavior_id != "Game_QuickTap", 5)


@in_virtual_time
async def test_for_two_players_quick_tap_does_not_begin_once_their_third_cube_is_lost():
    async with Home(cubes=cubes(2)) as home:
        request = Request(home.engine.behaviors["Game_QuickTap"], values={"players": 2})
        with pytest.raises(RequestEnded, match="connect 1 more cube"):
            await home.engine.serve(request)


@pytest.mark.parametrize("name", ["memory_match", "guard_dog"])
@in_virtual_time
async def test_where_time_itself_decides_a_game_without_a_player_is_over(name):
    async with playing(GAMES[name]) as (home, game):
        await home.until(game.done, 300)
        assert await game == 1


@pytest.mark.parametrize("name", GAMES)
@in_virtual_time
async def test_a_clip_that_fails_ends_the_game_with_its_reason(name):
    async with playing(GAMES[name]) as (home, game):
        fail(home)
        await home.until(game.done, 600)
        with pytest.raises(RequestEnded) as ended:
            await game
        assert ended.value.reason in (Reason.BLOCKED, Reason.TIMEOUT)


@pytest.mark.parametrize("name", GAMES)
@in_virtual_time
async def test_what_a_game_lacks_is_said_before_it_begins(name):
    async with Home(cubes=()) as home:
        with pytest.raises(RequestEnded, match=r"connect|know") as ended:
            await home.engine.run_behavior(GAMES[name].behavior)
        assert ended.value.reason is Reason.NOT_ALLOWED
