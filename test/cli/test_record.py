"""``cozmo record`` between an engine and the emulator."""

from __future__ import annotations

import shlex
import signal
import socket
import subprocess
from pathlib import Path

from dpkt import ip, pcap

from cozmo_driver.emulator import RunningEmulator, running_emulator
from cozmo_driver.protocol import DisconnectReason

from ..programs import Program
from .command import COMMAND, cozmo, started

HOST = "127.0.0.1"


def recorder(emulator: RunningEmulator, path: Path | str, *more: str) -> list[str | Path | int]:
    robot = ("--robot", HOST, "--port", emulator.port, "--listen", f"{HOST}:0")
    return ["record", path, *robot, *more]


def port_of(process: Program, *, errors: bool = False) -> int:
    line = process.wait_for("recording to", errors=errors)
    return int(line.split(" instead of ")[0].rpartition(":")[2])


def linktest(port: int, count: int = 60) -> subprocess.CompletedProcess[str]:
    return cozmo("linktest", "--robot", HOST, "--port", port, "--count", count)


def test_the_file_holds_plain_ip_packets_with_valid_checksums(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    with running_emulator() as emulator, started(*recorder(emulator, path), merged=True) as process:
        assert linktest(port_of(process)).returncode == 0
        state = emulator.wait_for(lambda now: not now.connected)
        assert state.last_disconnect is DisconnectReason.REMOTE
        code, output, _ = process.end(signal.SIGTERM)
        robot = emulator.port
    assert code == 0, output
    with path.open("rb") as file:
        reader = pcap.Reader(file)
        assert reader.datalink() == 101
        packets = [(time, ip.IP(data)) for time, data in reader]
    assert f"{sum(p.data.dport == robot for _, p in packets)} frames to the robot" in output
    assert {p.data.dport == robot for _, p in packets} == {True, False}
    assert [time for time, _ in packets] == sorted(time for time, _ in packets)
    for _, packet in packets:
        answer = (packet.sum, packet.data.sum)
        packet.sum = packet.data.sum = 0
        again = ip.IP(bytes(packet))
        assert (again.sum, again.data.sum) == answer


def test_a_recording_may_be_watched_instead_of_kept() -> None:
    with running_emulator() as emulator:
        words = shlex.join(map(str, [*COMMAND, *recorder(emulator, "-")]))
        # The shell is the recorder, so that a signal to it is one to that.
        watched = f"exec {words} > >({shlex.join(COMMAND)} dump - --summary; echo watched)"
        with started(watched, words=["bash", "-c"]) as process:
            assert linktest(port_of(process, errors=True)).returncode == 0
            process.process.send_signal(signal.SIGINT)
            process.wait_for("watched")
            code, output, _ = process.end()
    assert code == 0
    assert "      60  SetAudioVolume" in output


def test_it_ends_before_the_file_gets_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    with (
        running_emulator() as emulator,
        started(*recorder(emulator, path, "--size", "0.005"), merged=True) as process,
        started("linktest", "--robot", HOST, "--port", port_of(process), "--count", 10000),
    ):
        code, output, _ = process.end()
    assert code == 0, output
    assert 4500 < path.stat().st_size <= 5000
    assert cozmo("dump", path, "--summary").returncode == 0


def test_a_second_engine_is_kept_away_from_the_first_ones_robot(tmp_path: Path) -> None:
    with (
        running_emulator() as emulator,
        started(*recorder(emulator, tmp_path / "a.pcap"), merged=True) as process,
    ):
        port = port_of(process)
        with started("linktest", "--robot", HOST, "--port", port, "--count", 100000):
            emulator.wait_for(lambda state: state.received.get("SetAudioVolume", 0) > 10)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
                other.sendto(bytes.fromhex("434f5a0352450103 0100 0100 0000"), (HOST, port))
            before = emulator.state().received["SetAudioVolume"]
            state = emulator.wait_for(lambda state: state.received["SetAudioVolume"] > before + 20)
        assert (state.connected, state.sessions) == (True, 1)


def test_a_file_that_is_there_is_kept_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_text("precious")
    with running_emulator() as emulator:
        result = cozmo(*recorder(emulator, path, "--seconds", "0.1"))
        assert result.returncode == 1
        assert result.stderr == f"cozmo record: {path} is there already; --force replaces it\n"
        assert path.read_text() == "precious"
        result = cozmo(*recorder(emulator, path, "--seconds", "0.1", "--force"))
    assert result.returncode == 0
    assert path.stat().st_size == 24


def test_a_port_that_is_in_use_is_said_and_no_file_is_touched(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("precious")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind((HOST, 0))
        where = f"{HOST}:{taken.getsockname()[1]}"
        cozmo("record", tmp_path / "old", "--force", "--robot", HOST, "--listen", where)
        result = cozmo("record", tmp_path / "a", "--robot", HOST, "--listen", where)
    assert (tmp_path / "old").read_text() == "precious"
    assert not (tmp_path / "a").exists()
    assert result.returncode == 1
    assert result.stderr == f"cozmo record: port {where} is in use; --listen takes another one\n"
