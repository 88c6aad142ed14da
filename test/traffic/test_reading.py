"""Capture files and recordings are read, and damaged ones refused with a reason."""

from __future__ import annotations

import re
import struct
import tracemalloc
from pathlib import Path

import pytest
from dpkt import ethernet, ip, ip6

from cozmo_driver.protocol.frames import MAGIC
from cozmo_driver.traffic import TrafficError
from cozmo_driver.traffic.sessions import RecordedFrame
from cozmo_driver.traffic.sources import Traffic, open_file

from .capture_files import (
    BEGIN,
    ENGINE,
    LINKS,
    ROBOT,
    SESSION,
    Recorded,
    as_pcap,
    as_pcapng,
    ipv4,
    ipv6,
    pcap_of,
    recording,
)

FRAMES = recording(SESSION)
REQUEST = FRAMES[0].data
TO_ROBOT = (ENGINE, ROBOT)


def read(path: Path, content: bytes) -> tuple[list[RecordedFrame], Traffic]:
    path.write_bytes(content)
    with open_file(str(path)) as traffic:
        return list(traffic.frames), traffic


def check_same(frames: list[RecordedFrame], recorded: list[Recorded]) -> None:
    content = [(frame.to_robot, frame.data) for frame in frames]
    assert content == [(frame.to_robot, frame.data) for frame in recorded]
    times = [frame.seconds for frame in frames]
    assert times == pytest.approx([frame.seconds for frame in recorded], abs=2e-6)


@pytest.mark.parametrize("link", LINKS)
def test_every_frame_is_found_whatever_it_was_captured_on(tmp_path: Path, link: str) -> None:
    frames, traffic = read(tmp_path / "a.pcap", as_pcap(FRAMES, link))
    check_same(frames, FRAMES)
    assert traffic.begin == pytest.approx(BEGIN, abs=1e-6)
    assert traffic.sessions.refused == {}
    (ends,) = traffic.sessions.ends.values()
    assert (ends.engine.port, ends.robot.port) == (47817, 5551)


@pytest.mark.parametrize("little", [True, False])
def test_a_pcapng_file_of_two_unlike_interfaces_is_one_conversation(
    tmp_path: Path, little: bool
) -> None:
    frames, traffic = read(tmp_path / "a.pcapng", as_pcapng(FRAMES, little=little))
    check_same(frames, FRAMES)
    assert len(traffic.sessions.ends) == 1


def test_sections_of_both_byte_orders_may_follow_each_other(tmp_path: Path) -> None:
    content = as_pcapng(FRAMES[:30]) + as_pcapng(FRAMES[30:], little=False)
    frames, _ = read(tmp_path / "a.pcapng", content)
    check_same(frames, FRAMES)


def test_a_recording_as_text_gives_the_same_frames() -> None:
    with open_file(str(SESSION)) as traffic:
        check_same(list(traffic.frames), FRAMES)
        assert traffic.begin is None


def test_the_page_shows_how_to_read_a_capture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "traffic.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "session.pcap").write_bytes(as_pcap(FRAMES))
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    assert "RobotState(" in capsys.readouterr().out


def test_what_is_not_the_robots_is_passed_over(tmp_path: Path) -> None:
    other = (("10.0.0.1", 53), ("10.0.0.2", 4000))
    tcp = ip.IP(src=b"\1\2\3\4", dst=b"\5\6\7\x08", p=6, data=b"\x15\xaf" + MAGIC + bytes(20))
    packets = [
        bytes(ipv4(other, b"a name and an address")),
        bytes(tcp),
        bytes(ipv4(TO_ROBOT, REQUEST)),
        b"",
    ]
    frames, traffic = read(tmp_path / "a.pcap", pcap_of([(BEGIN, p) for p in packets], 101))
    assert [frame.data for frame in frames] == [REQUEST]
    assert traffic.packets == 4
    assert traffic.sessions.refused == {}


def fragmented_ipv6() -> bytes:
    body = bytes(ipv6(TO_ROBOT, REQUEST).data)
    header = ip6.IP6(src=bytes(16), dst=bytes(16), nxt=44, plen=8 + len(body))
    return bytes(header)[:40] + struct.pack(">BBHI", 17, 0, 1, 5) + body


@pytest.mark.parametrize(
    ("packet", "link", "reason"),
    [
        (bytes(ipv4(TO_ROBOT, REQUEST, mf=1)), 101, "IP fragment"),
        (bytes(ipv4(TO_ROBOT, REQUEST, offset=8)), 101, "IP fragment"),
        (fragmented_ipv6(), 101, "IP fragment"),
        (bytes(ipv4(TO_ROBOT, REQUEST))[:-3], 101, "cut short by the capture (tcpdump: -s 0)"),
        (bytes(ipv4(TO_ROBOT, REQUEST))[:24], 101, "packet is damaged"),
        (b"\x45" + MAGIC, 101, "packet is damaged"),
        (MAGIC + bytes(40), 127, "captured with link type 127, which is not understood"),
        (bytes(ipv4(TO_ROBOT, b"hello robot")), 101, "no frame of the robot's protocol"),
    ],
)
def test_a_packet_that_cannot_be_read_is_counted_with_the_reason(
    tmp_path: Path, packet: bytes, link: int, reason: str
) -> None:
    frames, traffic = read(tmp_path / "a.pcap", pcap_of([(BEGIN, packet)] * 2, link))
    assert frames == []
    assert traffic.sessions.refused == {reason: 2}


def test_padding_of_short_ethernet_frames_is_no_data(tmp_path: Path) -> None:
    packet = bytes(ethernet.Ethernet(data=ipv4(TO_ROBOT, REQUEST))) + bytes(9)
    frames, _ = read(tmp_path / "a.pcap", pcap_of([(BEGIN, packet)], 1))
    assert [frame.data for frame in frames] == [REQUEST]


def complaint(path: Path, content: bytes) -> tuple[int, str]:
    """Return how many frames were read before the complaint."""
    path.write_bytes(content)
    frames = []
    with open_file(str(path)) as traffic, pytest.raises(TrafficError) as caught:
        frames.extend(traffic.frames)
    # What was read before is kept by the caller of a generator only.
    return traffic.packets, str(caught.value)


def test_a_file_cut_off_gives_what_is_whole(tmp_path: Path) -> None:
    content = as_pcap(FRAMES[:3])
    packets, text = complaint(tmp_path / "a.pcap", content[:-5])
    assert packets == 2
    assert "a.pcap: the capture is damaged at byte" in text
    assert "ends in the middle of a packet" in text


@pytest.mark.parametrize("size", [0xFFFFFFF0, 1 << 20])
def test_a_huge_packet_of_a_pcap_file_is_not_read(tmp_path: Path, size: int) -> None:
    record = struct.pack("<IIII", 1, 0, size, size)
    packets, text = complaint(tmp_path / "a.pcap", as_pcap(FRAMES[:3]) + record + bytes(1 << 21))
    assert packets == 3
    assert "a record of" in text


@pytest.mark.parametrize("size", [0, 7, 0xFFFFFFFF])
@pytest.mark.parametrize("kind", [1, 6, 0x0A0D0D0A, 0x77])
def test_a_block_of_an_impossible_size_of_a_pcapng_file_is_not_read(
    tmp_path: Path, kind: int, size: int
) -> None:
    block = struct.pack("<III", kind, size, 0x1A2B3C4D)
    content = as_pcapng(FRAMES[:3]) + block + bytes(1 << 22)
    tracemalloc.start()
    try:
        packets, text = complaint(tmp_path / "a.pcapng", content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert packets == 3
    assert "damaged" in text
    assert peak < 1 << 20


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x89PNG\r\n\xff\xfe\xfd", "neither text, so no recording, nor a pcap"),
        (b"1 TX " + b"00 " * 4000, "a line of more than 8192 bytes"),
        (b"\x1b[2J TX 00", r"'\x1b[2J' is no time in seconds"),
        (b"inf TX 00", "'inf' is no time in seconds"),
        (b"0.1 TX", "'SECONDS TX|RX HEX...' expected, found '0.1 TX'"),
        (b"0.1 UP 43 4f", "'UP' is neither TX nor RX"),
        (b"0.1 RX 43 4g", "the bytes of the frame are damaged"),
        (b"\x0a\x0d\x0d\x0a", "ends in the middle"),
        (b"\x0a\x0d\x0d\x0a" + bytes(20), "without a byte order"),
        (b"\xd4\xc3\xb2\xa1", "ends in the middle"),
    ],
)
def test_what_is_no_traffic_is_said(tmp_path: Path, content: bytes, reason: str) -> None:
    assert reason in complaint(tmp_path / "a", content)[1]


def test_a_time_that_no_clock_has_is_damage(tmp_path: Path) -> None:
    content = bytearray(as_pcapng(FRAMES[:2]))
    time_of_first = content.index(struct.pack("<I", 6)) + 12
    struct.pack_into("<I", content, time_of_first, 0xFFFFFFFF)
    assert "since 1970" in complaint(tmp_path / "a.pcapng", bytes(content))[1]
