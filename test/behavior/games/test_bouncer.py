"""Bouncer's ball and paddle (spec 17 §5.8)."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from cozmo_driver.behavior.games.bouncer import MOST_LEAN, Bouncer
from cozmo_driver.media import DISPLAY_WIDTH

TICKS = 1200


def play(game, lean, ticks=TICKS):
    """Yield the game after each tick with the lean that a function of its ball gives."""
    for _ in range(ticks):
        game.tick(lean(game.ball))
        yield game


def follow(ball):
    return -MOST_LEAN * (ball[0] - DISPLAY_WIDTH / 2) / (DISPLAY_WIDTH / 2 - 16)


@pytest.mark.parametrize("seed", range(20))
def test_who_follows_the_ball_meets_it_and_who_does_not_misses(seed):
    good, still = Bouncer(random.Random(seed)), Bouncer(random.Random(seed))
    for game, lean in ((good, follow), (still, lambda _: 0.0)):
        for _ in play(game, lean):
            pass
        assert game.hits + game.misses >= 12
    assert good.hits >= 0.9 * (good.hits + good.misses)
    assert still.misses >= 0.3 * (still.hits + still.misses)


def test_the_paddle_goes_to_its_ends_and_no_faster_than_ten_pixels_a_tick():
    game = Bouncer(random.Random(1))
    places = [game.paddle]
    for lean in [-1.0] * 20 + [1.0] * 20 + [math.pi] * 5:
        game.tick(lean)
        places.append(game.paddle)
    assert max(abs(b - a) for a, b in pairwise(places)) == 10.0
    # To the camera's left is to the right of who looks at the display.
    assert (places[20], places[-1]) == (DISPLAY_WIDTH - 16, 16)


def test_hits_stand_left_and_misses_right():
    game = Bouncer(random.Random(1))
    game.hits, game.misses = 13, 2
    picture = game.picture()
    assert (picture[2:40, 2:8].sum(), picture[2:40, 120:126].sum()) == (13 * 4, 2 * 4)


def test_the_picture_is_whole_whatever_happens():
    rng = random.Random(3)
    for game in play(Bouncer(rng), lambda _: rng.uniform(-2.0, 2.0)):
        assert set(game.picture().ravel().tolist()) == {0, 1}
        assert game.picture()[57:63].sum() >= 4 * 32
