"""Clips for the tests: every one that a file can hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from cozmo_driver.resources.clips import TRACKS, AnimationClip, Track
from cozmo_driver.resources.fields import BOOL, F32, F32S, I64S, TEXT, FieldType, attributes_of

DATA = Path(__file__).parent / "data"
GOLDEN = DATA / "every_track.bin"
GOLDEN_JSON = DATA / "every_track.json"

SINGLES = st.floats(-(2.0**127), 2.0**127, width=32)
SHARES = st.floats(0.0, 1.0, width=32)
RADII = st.sampled_from(["STRAIGHT", "TURN_IN_PLACE", "POINT_TURN"]) | st.integers(
    -40000, 40000
).map(str)
TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20)


@st.composite
def keyframes(draw: st.DrawFn, track: Track, trigger: int) -> Any:
    values: dict[str, Any] = {}
    for attribute in attributes_of(track.kind):
        values[attribute.name] = draw(_values(attribute.name, attribute.field.type))
    values["trigger_ms"] = trigger
    if "audio_event_ids" in values:
        count = len(values["audio_event_ids"])
        chances = st.lists(SHARES, min_size=count, max_size=count).map(tuple)
        values["probability"] = draw(st.just(()) | chances)
    return track.kind(**values)


@st.composite
def clips(draw: st.DrawFn) -> AnimationClip:
    tracks = {}
    for track in draw(st.sets(st.sampled_from(TRACKS), max_size=4)):
        triggers = draw(st.sets(st.integers(0, 2**32 - 1), max_size=4))
        tracks[track.attribute] = tuple(
            draw(keyframes(track, trigger)) for trigger in sorted(triggers)
        )
    return AnimationClip(draw(TEXTS), **tracks)


def _values(name: str, type_: FieldType) -> st.SearchStrategy[Any]:
    if name == "radius":
        return RADII
    if name == "volume":
        return SHARES
    if type_ is F32S:
        count = 19 if name.endswith("eye") else 4
        return st.lists(SINGLES, min_size=count, max_size=count).map(tuple)
    if type_ is I64S:
        numbers = st.integers(-(2**63), 2**63 - 1)
        return st.lists(numbers, min_size=1, max_size=8).map(tuple)
    if type_ is TEXT:
        return TEXTS
    if type_ is BOOL:
        return st.booleans()
    return SINGLES if type_ is F32 else st.integers(type_.number.min_val, type_.number.max_val)
