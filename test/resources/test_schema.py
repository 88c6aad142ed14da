"""The schema and the dataclasses say the same."""

from __future__ import annotations

import re
from pathlib import Path

import cozmo_driver.resources
from cozmo_driver.resources.clips import TRACKS
from cozmo_driver.resources.fields import attributes_of

SCHEMA = Path(cozmo_driver.resources.__file__).parent / "cozmo_anim.fbs"
TABLE = re.compile(r"table (\w+) \{(.*?)\}", re.DOTALL)
FIELD = re.compile(r"(\w+): (\[?\w+\]?)(?: = ([\w.]+))?( \(required\))?;")


def tables() -> dict[str, list[tuple[str, str, str, str]]]:
    """Return (name, type, default, required) of each field of each table."""
    return {name: FIELD.findall(body) for name, body in TABLE.findall(SCHEMA.read_text())}


def test_each_kind_of_keyframe_has_the_fields_of_its_table_in_their_order() -> None:
    for track in TRACKS:
        declared = []
        for attribute in attributes_of(track.kind):
            type_ = attribute.field.type
            schema = f"[{type_.schema}]" if type_.is_vector else type_.schema
            declared.append((attribute.field.name, schema, attribute.field.required))
        table = tables()[track.kind.__name__]
        assert declared == [(name, type_, bool(needed)) for name, type_, _, needed in table]


def test_the_defaults_are_those_of_the_schema() -> None:
    for track in TRACKS:
        for attribute, field in zip(
            attributes_of(track.kind), tables()[track.kind.__name__], strict=True
        ):
            if isinstance(attribute.default, (int, float)):
                written = {"true": 1, "false": 0}.get(field[2], field[2] or 0)
                assert float(attribute.default) == float(written), (track.name, field)


def test_the_tracks_are_those_of_the_schema_in_their_order() -> None:
    vectors = [(name, type_) for name, type_, _, _ in tables()["Keyframes"]]
    assert vectors == [(track.name, f"[{track.kind.__name__}]") for track in TRACKS]
