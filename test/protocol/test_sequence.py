"""Sequence numbers go round in a circle that leaves out 0 and 65535 (spec 01 §4)."""

from __future__ import annotations

import pytest

from cozmo_driver.protocol.config import Statistics
from cozmo_driver.protocol.delivery import Outbox, Receiver, distance, following, is_ahead
from cozmo_driver.protocol.frames import Frame, FrameType, SubMessage, pack_sub_messages


def outbox_with(count: int, first: int) -> Outbox:
    """Return an outbox with ``count`` sent messages, the first numbered ``first``."""
    outbox = Outbox(first)
    for _ in range(count):
        outbox.number(SubMessage(FrameType.SINGLE_RELIABLE, b"\x3b"), 0.0)
    return outbox


def numbers(outbox: Outbox) -> list[int]:
    return [entry.seq for entry in outbox.entries]


def reliable_frame(first: int, *payloads: bytes) -> Frame:
    """Return a frame of reliable messages numbered from ``first``."""
    subs = [SubMessage(FrameType.SINGLE_RELIABLE, payload) for payload in payloads]
    last = following(first, len(subs) - 1)
    return Frame(FrameType.MULTIPLE_RELIABLE, first, last, 0, pack_sub_messages(subs))


@pytest.mark.parametrize(
    ("seq", "steps", "expected"),
    [(1, 1, 2), (65533, 1, 65534), (65534, 1, 1), (65534, 2, 2), (65500, 60, 26), (7, 0, 7)],
)
def test_after_65534_comes_1(seq: int, steps: int, expected: int) -> None:
    assert following(seq, steps) == expected
    assert distance(seq, expected) == steps


@pytest.mark.parametrize(
    ("seq", "reference", "ahead"),
    [
        (2, 1, True),
        (1, 2, False),
        (5, 5, False),
        (1, 65534, True),
        (65534, 1, False),
        (3, 65530, True),
    ],
)
def test_ahead_means_in_the_half_circle_that_follows(seq: int, reference: int, ahead: bool) -> None:
    assert is_ahead(seq, reference) is ahead


def test_an_acknowledgement_works_across_the_end_of_the_circle() -> None:
    outbox = outbox_with(6, first=65532)
    assert numbers(outbox) == [65532, 65533, 65534, 1, 2, 3]
    assert outbox.acknowledge(1)
    assert numbers(outbox) == [2, 3]
    assert outbox.acknowledge(3)
    assert numbers(outbox) == []
    assert outbox.acknowledged == 6


@pytest.mark.parametrize("ack", [0, 9, 1, 65534, 15, 16, 40000, 65535])
def test_no_old_zero_or_never_sent_number_acknowledges_anything(ack: int) -> None:
    outbox = outbox_with(5, first=10)
    assert not outbox.acknowledge(ack)
    assert numbers(outbox) == [10, 11, 12, 13, 14]
    assert outbox.acknowledged == 0


def test_delivery_goes_on_across_the_end_of_the_circle() -> None:
    receiver = Receiver(Statistics(), next_seq=65533)
    delivered = [sub.payload for sub in receiver.deliver(reliable_frame(65533, b"a", b"b", b"c"))]
    assert delivered == [b"a", b"b", b"c"]
    assert receiver.ack == 1
    assert [sub.payload for sub in receiver.deliver(reliable_frame(1, b"c", b"d"))] == [b"d"]
    assert receiver.ack == 2


def test_nothing_received_is_acknowledged_with_0() -> None:
    receiver = Receiver(Statistics())
    assert receiver.ack == 0
    list(receiver.deliver(reliable_frame(2, b"b")))
    assert receiver.ack == 0
    list(receiver.deliver(reliable_frame(1, b"a")))
    assert receiver.ack == 1
