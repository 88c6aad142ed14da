"""Which of the project's own clips comes nearest to one of the app's (spec 21 §8)."""

from __future__ import annotations

import re
from collections.abc import Container

# The first entry that fits a word of a name counts.
_BY_WORD = (
    (("dizzy", "shake", "rattle"), "DizzyReactionMedium"),
    (("hiccup",), "Hiccup"),
    (("sneeze", "allergy"), "Sneeze"),
    (("gotosleep", "sleep", "sleeping", "fallasleep"), "GoToSleepSleeping"),
    (("wakeup", "wake", "birth", "eyeson"), "WakeUp"),
    (("bored", "nothing", "boredom"), "Boredom"),
    (("frustrated", "angry", "upset", "badword", "stomp", "rage"), "Anger"),
    (("unhappy", "dejected", "sad", "lose", "losegame", "cry"), "Sadness"),
    (("fail", "failure", "failgame", "unready", "hanging", "timeout", "miss"), "Failure"),
    (("scared", "scary", "cliff", "ghoul", "zombie", "vampire", "spooked", "nervous"), "Fear"),
    (("startled", "surprise", "surprised", "shocked", "amazed", "whoa", "peekaboo"), "Surprise"),
    (("poke", "poked", "giggle", "pokeb"), "Poke"),
    (("pickup", "pick", "up"), "ReactToPickup"),
    (("yuck", "disgust"), "Disgust"),
    (("hello", "greeting", "face", "named", "meet", "meetcozmo", "oldnamed"), "Greeting"),
    (("dance", "dancing", "mambo", "party", "conducting"), "Dance"),
    (("singing", "sing", "sings", "song", "cozmosings"), "Sing"),
    (("win", "wingame", "success", "celebrate", "celebration", "victory", "wheelie"), "Success"),
    (("happy", "excited", "joy", "whee", "sparking", "spark", "accept", "thank", "love"), "Joy"),
    (("no", "deny", "cant", "refuse"), "No"),
    (("yes", "playeryes", "alrighty", "confirm"), "Yes"),
    (("idk", "huh", "unknown"), "DontKnow"),
    (("think", "thinking", "thought", "idea", "wondering", "guess"), "Thinking"),
    (("request", "ask", "play"), "AskToPlay"),
    (("energy", "hungry", "repair", "low"), "BatteryLow"),
    (("charger",), "PlacedOnCharger"),
    (("idle", "blink", "wait", "neutral"), "Idle"),
    (("curious", "look", "observe", "squint", "staring", "react", "acknowledge"), "Curiosity"),
)
FALLBACK = "LookAround"


def words_of(name: str) -> list[str]:
    """Return the words of a name in camel case or with underscores, small."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return [word for word in re.split(r"[_\W\d]+", spaced.lower()) if word]


def nearest_trigger(name: str, triggers: Container[str]) -> str:
    """Return the trigger of ours that is played for a trigger or clip of the app."""
    words = set(words_of(name))
    joined = "".join(words_of(name))
    for keys, trigger in _BY_WORD:
        is_meant = any(key in words or (len(key) > 4 and key in joined) for key in keys)
        if is_meant and trigger in triggers:
            return trigger
    return FALLBACK
