"""The connection policy by itself; time is an argument."""

from __future__ import annotations

import pytest

from cozmo_driver.protocol.messages import ObjectAvailable, ObjectConnectionState
from cozmo_driver.robot import CubeKind, CubeLink
from cozmo_driver.robot.cubes.radio import MOST_CUBES, CubeRadio

ONE, TWO, THREE, CHARGER = CubeKind.CUBE_1, CubeKind.CUBE_2, CubeKind.CUBE_3, CubeKind.CHARGER
NEAR, FAR = 0x11, 0x22


class Radio(CubeRadio):
    """A policy whose commands are collected, in a session that began at 0."""

    def __init__(self, kinds=(ONE, TWO, THREE)):
        self.sent = []
        super().__init__(self.sent.append, kinds)
        self.start(0.0)

    def available(self, factory_id, kind=ONE, rssi=60, now=0.0):
        return self.on_available(ObjectAvailable(factory_id, kind, rssi), now)

    def connection(self, factory_id, connected, now, slot=0, kind=ONE):
        return self.on_connection(ObjectConnectionState(slot, factory_id, kind, connected), now)

    def commands(self):
        sent, self.sent[:] = list(self.sent), []
        return [(message.factory_id, message.slot) for message in sent]


@pytest.fixture
def radio():
    return Radio()


def connected(radio, factory_id=NEAR):
    radio.available(factory_id)
    radio.poll(2.0)
    radio.connection(factory_id, True, 4.0)
    assert radio.slots[ONE].link is CubeLink.CONNECTED
    radio.commands()
    return radio.slots[ONE]


def test_the_nearest_cube_of_each_kind_gets_the_slot_of_its_kind(radio):
    radio.available(FAR, ONE, 80)
    radio.available(NEAR, ONE, 50)
    radio.available(0x33, THREE, 70)
    radio.available(0x44, CHARGER, 40)
    radio.poll(1.9)
    assert radio.commands() == []
    radio.poll(2.0)
    assert radio.commands() == [(NEAR, 0), (0x33, 2)]


def test_a_negative_strength_is_a_large_one_and_too_faint_cubes_are_not_heard(radio):
    assert radio.available(FAR, rssi=-100) is None
    assert radio.available(NEAR, rssi=-110).rssi == 146
    assert radio.ignored == 1


def test_a_cube_not_heard_for_ten_seconds_has_gone(radio):
    radio.available(NEAR, TWO, now=1.0)
    radio.slots[TWO].link = CubeLink.CONNECTING
    assert not radio.poll(11.0)
    assert radio.known[NEAR].is_available
    assert radio.poll(11.1)
    assert not radio.known[NEAR].is_available


def test_a_connected_cube_that_says_nothing_is_not_dropped(radio):
    slot = connected(radio)
    radio.poll(100.0)
    assert slot.link is CubeLink.CONNECTED
    assert radio.known[NEAR].is_available
    assert radio.commands() == []


def test_without_an_answer_in_five_seconds_another_cube_is_tried_and_then_the_first_again(radio):
    radio.available(NEAR, rssi=50)
    radio.available(FAR, rssi=80)
    radio.poll(2.0)
    radio.poll(6.9)
    assert radio.commands() == [(NEAR, 0)]
    radio.poll(7.0)
    assert radio.commands() == [(FAR, 0)]
    radio.available(NEAR, rssi=50, now=10.0)
    radio.available(FAR, rssi=80, now=10.0)
    radio.poll(12.0)
    assert radio.commands() == [(NEAR, 0)]


def test_a_slot_whose_cube_is_gone_is_emptied(radio):
    radio.available(NEAR, now=-5.0)
    radio.poll(2.0)
    radio.poll(7.0)
    assert radio.commands() == [(NEAR, 0), (0, 0)]
    assert radio.slots[ONE].link is CubeLink.DISCONNECTED


def test_the_slot_of_a_lost_cube_is_emptied_after_two_seconds_and_filled_again(radio):
    slot = connected(radio)
    radio.poll(19.0)
    radio.connection(NEAR, False, 20.0)
    radio.poll(21.9)
    assert (slot.link, radio.commands()) == (CubeLink.LOST, [])
    radio.poll(22.0)
    assert (slot.link, radio.commands()) == (CubeLink.DISCONNECTED, [(0, 0)])
    radio.poll(24.0)
    assert (slot.link, radio.commands()) == (CubeLink.CONNECTING, [(NEAR, 0)])


def test_a_new_session_asks_for_the_cubes_of_the_last_one_at_once(radio):
    slot = connected(radio)
    radio.stop(10.0)
    assert (slot.link, radio.known[NEAR].is_available) == (CubeLink.DISCONNECTED, False)
    radio.start(20.0)
    assert radio.commands() == [(NEAR, 0)]


def test_a_disconnection_nobody_confirms_ends_after_five_seconds(radio):
    slot = connected(radio)
    radio.release(ONE, 5.0)
    radio.poll(10.0)
    assert slot.link is CubeLink.DISCONNECTED
    assert radio.commands() == [(0, 0), (0, 0)]


@pytest.mark.parametrize(
    ("slot", "factory_id"), [(9, NEAR), (4, NEAR), (0, FAR), (1, NEAR), (0xFFFFFFFF, NEAR)]
)
@pytest.mark.parametrize("is_connected", [True, False])
def test_answers_nobody_waits_for_change_nothing_and_are_counted(
    radio, slot, factory_id, is_connected
):
    held = connected(radio)
    assert radio.connection(factory_id, is_connected, 5.0, slot=slot) is None
    assert held.link is CubeLink.CONNECTED
    assert radio.unexpected == 1
    assert radio.commands() == []


def test_no_more_cubes_are_remembered_than_a_room_holds(radio):
    for number in range(1, 1000):
        radio.available(number, ONE, now=number / 1000)
    assert len(radio.known) == MOST_CUBES
    assert radio.ignored == 999 - MOST_CUBES
    radio.poll(100.0)
    assert radio.available(5000, now=100.0) is not None
    assert len(radio.known) == MOST_CUBES


def test_advertisements_of_nothing_and_of_unknown_kinds_connect_nothing(radio):
    assert radio.available(0) is None
    assert radio.available(0x77, 99).kind is CubeKind.UNKNOWN
    assert radio.available(0x78, -1).kind is CubeKind.UNKNOWN
    radio.poll(2.0)
    assert radio.commands() == []
