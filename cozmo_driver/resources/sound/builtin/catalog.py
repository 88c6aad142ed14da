"""The table of built-in sounds. Numbers are for ever: clips keep them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ....media.synthesis import Signal
from . import body, signals, utterances

FIRST_EVENT_ID = 10_000_000_000
"""Ids of built-in sounds are this and the number of the sound: above 32 bits, where no bank is."""
_USUAL, _QUIET = -4.0, -6.0


@dataclass(frozen=True, slots=True)
class Score:
    """How a sound is made: its number, the function that makes it, its peak in dB."""

    number: int
    make: Callable[[], Signal]
    peak: float = _USUAL

    @property
    def name(self) -> str:
        """Name of the sound: that of the function."""
        return self.make.__name__

    @property
    def text(self) -> str:
        """In a few words, what it sounds like."""
        return self.make.__doc__ or ""

    @property
    def event_id(self) -> int:
        """What a RobotAudio keyframe gives as audioEventId."""
        return FIRST_EVENT_ID + self.number


SCORES = (
    Score(1, utterances.chirp_up),
    Score(2, utterances.chirp_down),
    Score(3, utterances.chirp_double),
    Score(4, utterances.chatter),
    Score(5, utterances.question),
    Score(6, utterances.hello),
    Score(7, utterances.goodbye),
    Score(8, utterances.yes),
    Score(9, utterances.no),
    Score(10, utterances.uh_oh),
    Score(11, utterances.surprise),
    Score(12, utterances.gasp),
    Score(13, utterances.wow),
    Score(14, utterances.whee),
    Score(15, utterances.ouch),
    Score(16, utterances.giggle),
    Score(17, utterances.laugh),
    Score(18, utterances.hum_content, _QUIET),
    Score(19, utterances.hum_thinking, _QUIET),
    Score(20, utterances.sigh_sad, _QUIET),
    Score(21, utterances.sigh_relief),
    Score(22, utterances.bored, _QUIET),
    Score(23, utterances.yawn),
    Score(24, utterances.whimper, _QUIET),
    Score(25, utterances.sob),
    Score(26, utterances.grumble),
    Score(27, utterances.growl),
    Score(28, utterances.scream),
    Score(29, utterances.disgust),
    Score(30, utterances.raspberry),
    Score(31, utterances.dizzy),
    Score(32, utterances.snore),
    Score(33, utterances.purr, _QUIET),
    Score(34, utterances.whisper, _QUIET),
    Score(35, utterances.singing_la),
    Score(36, utterances.mumble_asleep, _QUIET),
    Score(37, body.sneeze),
    Score(38, body.hiccup),
    Score(39, body.munch),
    Score(40, body.gulp),
    Score(41, body.sniff),
    Score(42, body.strain),
    Score(43, body.servo, _QUIET),
    Score(44, body.bump),
    Score(45, body.falling),
    Score(46, body.whoosh, _QUIET),
    Score(47, body.rattle),
    Score(48, body.spring),
    Score(49, signals.boop),
    Score(50, signals.beep),
    Score(51, signals.click),
    Score(52, signals.startup),
    Score(53, signals.power_down),
    Score(54, signals.wake_up),
    Score(55, signals.fall_asleep, _QUIET),
    Score(56, signals.success),
    Score(57, signals.celebrate),
    Score(58, signals.failure),
    Score(59, signals.refused),
    Score(60, signals.alert),
    Score(61, signals.battery_low),
    Score(62, signals.charger_found),
    Score(63, signals.cube_found),
    Score(64, signals.cube_tap),
    Score(65, signals.searching),
    Score(66, signals.computing),
    Score(67, signals.countdown),
    Score(68, signals.tune_stroll),
    Score(69, signals.tune_waltz),
    Score(70, signals.tune_lullaby, _QUIET),
    Score(71, signals.tune_victory),
)
