"""The rules of the games: without robot, clock or ROS; times are arguments (spec 17 §3)."""

from __future__ import annotations

from .catalog import GAMES, GameRules
from .game_state import GameState, Match, Phase, Side
from .question import ANSWER_TIME, GameAnswer, GameQuestion, pause_after
from .taps import Tap, without_repeats
