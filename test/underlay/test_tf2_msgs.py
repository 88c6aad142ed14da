"""The stand-in's interfaces are the official ones, as far as the wire can tell."""

from __future__ import annotations

import json

import pytest

from . import INSTALLED, skip_unless_stand_in

skip_unless_stand_in("tf2_msgs")

OFFICIAL = {
    "msg/TFMessage": "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
    "msg/TF2Error": "db2485e7d6a0ec75bf087e058ee45df682acc3a621ca7780503d10aac141809a",
    "srv/FrameGraph": "0d1fbc6222c018ba5f33822904a2fdd4063705289956d3fdde07cd8c50fe8067",
    "action/LookupTransform": "0b8adf6bc0b5958879e3265b41a457e03558fe523890a81252c70eba97a82c5d",
}


@pytest.mark.parametrize("interface", OFFICIAL)
def test_the_type_hash_is_the_official_one(interface: str) -> None:
    file = INSTALLED / "tf2_msgs" / "share" / "tf2_msgs" / f"{interface}.json"
    hashes = {
        entry["type_name"]: entry["hash_string"]
        for entry in json.loads(file.read_text())["type_hashes"]
    }

    assert hashes[f"tf2_msgs/{interface}"] == f"RIHS01_{OFFICIAL[interface]}"
