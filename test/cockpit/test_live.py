"""The tab Live in a real Chromium: games, songs and people."""

from __future__ import annotations

from typing import Any

from ..nodes.graph import running_node
from .browser import open_page, page_fixture, serious_findings
from .conftest import Served

page = page_fixture(tab="Live")


def test_what_is_refused_is_not_shown_as_done(page: Any, served: Served) -> None:
    with running_node("behavior_node", served.graph.namespace, keep_needs=False):
        alive = page.get_by_role("switch", name="Alive", disabled=False)
        alive.wait_for()
        driver = open_page(page.context, served)
        driver.keyboard.down("t")
        page.locator("cozmo-wheel[data-state=other]").wait_for()
        alive.click()
        page.get_by_text("another page has the wheel").wait_for()
        page.get_by_role("switch", name="Alive", checked=False).wait_for()
        driver.close()

        page.get_by_role("switch", name="It dozes at night", disabled=False).click()
        start = page.get_by_label("from, hour")
        start.fill("30")
        start.press("Enter")
        page.locator(".cz-toast", has_text="quiet_hours").wait_for()
        page.wait_for_function("(field) => field.value === '21'", arg=start.element_handle())


def test_who_is_known_is_asked_for_whenever_the_tab_is_opened(page: Any, served: Served) -> None:
    from cozmo_interfaces.srv import ListFaces

    names, graph = ["Ann"], served.graph

    def known(_: ListFaces.Request, response: ListFaces.Response) -> ListFaces.Response:
        response.success, response.names, response.ids = True, names, [1]
        return response

    faces = graph.in_executor(lambda: graph.node.create_service(ListFaces, "list_faces", known))
    try:
        with running_node("behavior_node", graph.namespace, keep_needs=False):
            page.get_by_text("Ann", exact=True).wait_for()
            names[0] = "Ben"  # met with another page
            page.get_by_role("tab", name="Drive").click()
            page.get_by_role("tab", name="Live").click()
            page.get_by_text("Ben", exact=True).wait_for()
    finally:
        graph.in_executor(lambda: graph.node.destroy_service(faces))


def test_why_a_behaviour_does_not_run_is_said_as_long_as_it_holds(
    page: Any, served: Served
) -> None:
    page.keyboard.press("Escape")
    page.get_by_text("Emergency stop.").wait_for()
    with running_node("behavior_node", served.graph.namespace, keep_needs=False):
        page.get_by_role("combobox", name="Behaviour").click()
        page.get_by_role("option").first.click()
        why = page.get_by_text("not now: the emergency stop is latched")
        why.wait_for()
        page.get_by_role("button", name="Release").click()
        why.wait_for(state="hidden")


def test_a_personality_that_has_ended_is_missed_until_one_is_started(
    page: Any, served: Served
) -> None:
    missed, cards = page.get_by_text("The personality does not run"), page.locator(".cz-cards")
    missed.wait_for()
    for _ in range(2):
        with running_node("behavior_node", served.graph.namespace, keep_needs=False):
            cards.wait_for()
            assert missed.is_hidden()
        missed.wait_for()
        assert cards.is_hidden()


def test_a_game_begins_on_the_page_and_every_page_sees_how_it_stands(
    page: Any, served: Served
) -> None:
    with running_node("behavior_node", served.graph.namespace, keep_needs=False):
        games = page.locator("cozmo-games")
        games.get_by_text("the personality is switched off").wait_for()
        assert games.get_by_role("button", name="Play").is_disabled()
        watcher = open_page(page.context, served)
        watcher.get_by_role("tab", name="Live").click()
        score = watcher.locator("cozmo-score")
        page.get_by_role("switch", name="Alive").click()
        # Once nothing is missing any more.
        games.get_by_role("button", name="Play").click()
        score.get_by_text("Quick Tap, round 1").wait_for()
        score.get_by_role("row", name="You").wait_for()
        assert serious_findings(watcher) == []
        assert watcher.get_by_role("button", name="End the game").is_hidden()
        # On a slow computer the game may have ended by itself: nobody takes a cube.
        if (end := games.get_by_role("button", name="End the game")).is_visible():
            end.click()
        score.get_by_text("Quick Tap, over").wait_for()
        games.get_by_role("button", name="Play").wait_for()

        song = page.locator("cozmo-choice[label=Song]")
        song.locator("input").fill("twinkle")
        song.get_by_role("option", name="Twinkle").wait_for()
        meet = page.get_by_role("button", name="Meet")
        page.get_by_label("Name", exact=True).fill("Ann")
        assert meet.is_disabled()
        page.get_by_role("switch", name="This person agrees").click()
        assert meet.is_enabled()
