"""The commands ``bringup`` and ``drive`` as a user runs them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psutil

from ..waiting import TIMEOUT, wait_until

_numbers = count(1)


class Command:
    """A running command and its lines."""

    def __init__(self, *words: str) -> None:
        path = shutil.which(words[0])
        assert path, f"{words[0]} is not on the path"
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [path, *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout:
            for line in self.process.stdout:
                self.lines.append(line.rstrip("\n"))

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def wait_for(self, pattern: str) -> re.Match[str]:
        # A busy computer takes long to start all that it runs.
        wait_until(
            lambda: re.search(pattern, self.text) or self.ended, f"no '{pattern}'", 2 * TIMEOUT
        )
        found = re.search(pattern, self.text)
        assert found, f"no '{pattern}' in:\n{self.text}"
        return found

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None and not self._reader.is_alive()

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, word: str) -> psutil.Process:
        [child] = [each for each in self.children() if word in " ".join(each.cmdline())]
        return child

    def wait(self) -> int:
        code = self.process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)
        return code


@contextmanager
def running(*words: str) -> Iterator[Command]:
    """Run a command for the time of a ``with`` block and leave nothing of it behind."""
    command = Command(*words)
    try:
        yield command
    finally:
        if command.process.poll() is None:
            left = command.children()
            command.process.kill()
            for child in left:
                child.kill()
        command.wait()


@contextmanager
def running_bringup(*words: str) -> Iterator[tuple[Command, str]]:
    """Run bringup with an emulator on a free port in a namespace of its own."""
    namespace = f"/b{os.getpid()}_{next(_numbers)}"
    with running("bringup", "--port", "0", "--namespace", namespace, *words) as command:
        yield command, namespace


def test_a_connected_robot_is_shown_and_driven_and_a_driver_that_dies_ends_bringup() -> None:
    with running_bringup() as (bringup, namespace):
        bringup.wait_for(r"drive --linear 0.05 --seconds 2 --namespace " + namespace)
        bringup.wait_for(rf"ros2 topic pub -r 10 {namespace}/cmd_vel geometry_msgs/msg/Twist")
        line = bringup.wait_for(
            r"connected \| odom +([\d.]+), imu +[\d.]+, camera +[\d.]+ Hz"
            r" \| x -0.020 y [+-]0.000 m [+-]0 deg \| 4.0\d V \d+ %"
        )
        assert float(line[1]) > 0
        children = bringup.children()
        assert len(children) == 4
        words = ("--linear", "-0.02", "--seconds", "60", "--namespace", namespace)
        with running("drive", *words) as drive:
            bringup.wait_for(r"x -0\.(0[789]|[1-9]\d)\d y")
            drive.process.send_signal(signal.SIGINT)
            assert drive.wait() == 0, drive.text
        found = re.search(r"moved (0\.\d+) m, turned [+-]\d+\.\d deg", drive.text)
        assert found, drive.text
        assert float(found[1]) > 0.04

        driver = bringup.child("driver_node")
        words = ("--linear", "0.2", "--seconds", "60", "--namespace", namespace)
        with running("drive", *words) as drive:
            bringup.wait_for(r"x \+0\.\d+ y")
            driver.suspend()
            try:
                # On a busy computer it goes on for a moment.
                wait_until(lambda: driver.status() == psutil.STATUS_STOPPED, "the driver runs")
                drive.process.send_signal(signal.SIGINT)
                assert drive.wait() == 1, drive.text
            finally:
                driver.resume()
        assert "the driver did not take the stop within 2 s" in drive.text

        driver.kill()
        assert bringup.wait() == 1, bringup.text
        assert "driver ended by itself (killed by SIGKILL); stopping" in bringup.text
        assert not any(child.is_running() for child in children)


def test_a_personality_lives_in_a_world_that_can_be_looked_at_and_everything_ends(
    tmp_path: Path,
) -> None:
    config = tmp_path / "behavior.yaml"
    config.write_text("/**: {ros__parameters: {enabled: true}}")
    driver = tmp_path / "driver.yaml"
    driver.write_text("/**: {ros__parameters: {enable_stamped_cmd_vel: true}}")
    words = ("--config", str(driver), "--world", "maze", "--view", str(tmp_path / "view"))
    with running_bringup(*words, "--behavior", "--behavior-config", str(config)) as (bringup, _):
        bringup.wait_for(r"drive --keys")
        bringup.wait_for(r"/cmd_vel geometry_msgs/msg/TwistStamped '{header: auto, ")
        bringup.wait_for(r"\[behavior\] .*activity: \w+: first that wants to begin")
        pictures = [tmp_path / "view" / name for name in ("camera.png", "face.png", "top.png")]
        wait_until(lambda: all(p.is_file() for p in pictures), "not every picture is there")
        children = bringup.children()
        bringup.process.send_signal(signal.SIGINT)
        assert bringup.wait() == 0, bringup.text
        assert not any(child.is_running() for child in children)
        # The driver says goodbye before the robot is switched off.
        bringup.wait_for(r"\[emulator\] disconnected: closed by the other end")
    assert "Traceback" not in bringup.text


def test_a_real_robot_gets_no_emulator(unused_udp_port: int) -> None:
    words = ("--robot", "127.0.0.1", "--port", str(unused_udp_port), "--no-face")
    with running("bringup", *words) as bringup:
        bringup.wait_for(rf"asking 127.0.0.1:{unused_udp_port} to connect")
        assert "[emulator]" not in bringup.text
        assert len(bringup.children()) <= 2
        bringup.process.send_signal(signal.SIGINT)
        assert bringup.wait() == 0


def test_drive_without_a_driver_ends_when_asked() -> None:
    with running("drive", "--namespace", "/nobody") as drive:
        drive.wait_for("looking for a driver on /nobody/cmd_vel")
        drive.process.send_signal(signal.SIGINT)
        assert drive.wait() == 0, drive.text
    assert "Traceback" not in drive.text
