"""Everything of the app in a robot's storage, as one file to download."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Mapping
from datetime import datetime

from ..robot import USER_ENTRIES, entry_name
from .robot_port import Answer
from .view import View

PROGRESS = "progress"
"""Feed: how far it is, in words."""
_READ_ME = """\
What the app has kept in the storage of the robot {serial}, read on {date}.
An entry that is not here is empty. To write one back:

    cozmo nv write game_unlocks game_unlocks.bin

which only shows what would change, until --yes is added.
"""


async def read_storage(view: View) -> Answer:
    """Read every entry. The answer has ``name`` and ``data``, a ZIP file in base64."""
    contents: dict[str, bytes] = {}
    for number, tag in enumerate(USER_ENTRIES, 1):
        view.tell(PROGRESS, f"reading entry {number} of {len(USER_ENTRIES)}")
        answer = await view.call("nv_read", tag=int(tag))
        if not answer.success:
            return Answer(False, answer.message)
        if len(answer.fields["data"]):
            name = entry_name(tag).split()[0].lower()
            contents[f"{name}.bin"] = bytes(answer.fields["data"])
    if not contents:
        return Answer(True, "every entry is empty")
    now, serial = datetime.now(), (view.hub.latest("info") or {}).get("serial", "robot")
    read_me = _READ_ME.format(serial=serial, date=f"{now:%Y-%m-%d %H:%M}")
    data = zipped({"README.txt": read_me.encode(), **contents})
    fields = {
        "name": f"cozmo-{serial}-storage-{now:%Y%m%d-%H%M%S}.zip",
        "data": base64.b64encode(data).decode(),
    }
    return Answer(True, f"{len(contents)} of {len(USER_ENTRIES)} entries have a content", fields)


def zipped(files: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()
