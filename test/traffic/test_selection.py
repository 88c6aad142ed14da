"""What is shown is chosen by name, sender and time."""

from __future__ import annotations

import pytest

from cozmo_driver.traffic.dissect import STREAMS, Dissector, Selection
from cozmo_driver.traffic.sources import open_file

from .capture_files import SESSION


def shown(selection: Selection) -> list[str]:
    """Return the names of what is shown of the recorded session, in its order."""
    dissector = Dissector()
    names = []
    with open_file(str(SESSION)) as traffic:
        for recorded in traffic.frames:
            frame = selection.apply(dissector.dissect(recorded))
            if frame is not None:
                names += [item.name for item in frame.items] or [frame.name]
    return names


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(only=("SetHeadAngle",)), ["SetHeadAngle"]),
        (Selection(only=("SetHead*", "MotorAction*")), ["SetHeadAngle", "MotorActionAck"]),
        (Selection(only=("ConnectionRe*",)), ["ConnectionRequest"] + 2 * ["ConnectionResponse"]),
        (Selection(only=("Motor*",), hidden=("MotorCalibration",)), ["MotorActionAck"]),
        (Selection(only=("Motor*",), to_robot=True), []),
        (
            Selection(hidden=STREAMS, to_robot=True),
            ["ConnectionRequest", "GetManufacturingInfo", "SyncTime", "SetHeadAngle"],
        ),
        (
            Selection(only=("Motor*",), after=1.0, before=1.4),
            ["MotorCalibration", "MotorActionAck"],
        ),
        (Selection(only=("sethead*",)), []),
    ],
)
def test_a_selection_shows_what_it_names(selection: Selection, names: list[str]) -> None:
    assert shown(selection) == names


def test_pings_and_their_echoes_are_one_name() -> None:
    assert set(shown(Selection(only=("Ping",)))) == {"Ping", "echo of a ping"}
    assert len(shown(Selection(only=("Ping",)))) == 48
    hidden = set(shown(Selection(hidden=("Ping",))))
    assert "RobotState" in hidden
    assert not hidden & {"Ping", "echo of a ping"}
