"""``cozmo wifi`` with a stand-in for ``nmcli`` that refuses what the real one refuses."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from unittest import mock

import pytest

from cozmo_driver.cli.network_manager import split_terse

from .command import COMMAND, cozmo, environment
from .network_manager import PASSWORD, PROFILE, ROBOT, network_manager

SAVED = {PROFILE: {"ssid": ROBOT, "psk": PASSWORD}}


def wifi(*words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    with mock.patch("sys.stdin", StringIO(typed)):
        return cozmo("wifi", *words)


def test_a_scan_lists_robots_only_strongest_first(tmp_path: Path) -> None:
    with network_manager(tmp_path):
        found = wifi("scan")
    assert found.returncode == 0, found.stderr
    rows = [line.split() for line in found.stdout.splitlines()]
    assert [row[0] for row in rows] == ["network", ROBOT, "Cozmo_02EF01"]
    assert rows[1] == [ROBOT, "71", "%", "6", "wlan1", "WPA2"]


def test_a_scan_for_programs_says_the_same(tmp_path: Path) -> None:
    joined = {"profiles": SAVED, "joined": {PROFILE: "wlan2"}, "adapters": ["wlan1", "wlan2"]}
    with network_manager(tmp_path, **joined) as world:
        found = json.loads(wifi("scan", "--interface", "wlan2", "--json").stdout)
        assert world.calls()[0][-4:] == ["ifname", "wlan2", "--rescan", "yes"]
    assert [(one["name"], one["signal"], one["is_joined"]) for one in found] == [
        (ROBOT, 71, True),
        ("Cozmo_02EF01", 44, False),
    ]
    assert {one["adapter"] for one in found} == {"wlan2"}


@pytest.mark.parametrize(
    ("adapters", "text"), [(["wlan1"], "no robot in sight"), ([], "knows no Wi-Fi adapter here")]
)
def test_an_empty_scan_says_what_to_do(tmp_path: Path, adapters: list[str], text: str) -> None:
    with network_manager(tmp_path, adapters=adapters, sight=[]):
        found = wifi("scan")
    assert (found.returncode, found.stdout) == (1, "")
    assert text in found.stderr


def test_joining_keeps_internet_and_names_where_they_are(tmp_path: Path) -> None:
    with network_manager(tmp_path) as world:
        done = wifi("connect", ROBOT, typed=f"{PASSWORD}\n")
        assert done.returncode == 0, done.stderr
        assert world["joined"] == {PROFILE: "wlan1"}
        profile = world["profiles"][PROFILE]
    assert profile["ipv4.never-default"] == "yes"
    assert profile["ipv4.ignore-auto-dns"] == "yes"
    assert profile["ssid"] == ROBOT
    assert "connection.interface-name" not in profile


@pytest.mark.parametrize(
    ("adapters", "home", "words", "leaves"),
    [
        (["wlan1"], "wlan1", (), True),
        (["wlan1", "wlan2"], "wlan2", ("--interface", "wlan2"), True),
        (["wlan1", "wlan2"], "wlan1", ("--interface", "wlan2"), False),
        (["wlan1", "wlan2"], "wlan2", (), False),
    ],
)
def test_an_adapter_that_leaves_another_network_is_said_before(
    tmp_path: Path, adapters: list[str], home: str, words: tuple[str, ...], leaves: bool
) -> None:
    world = {"adapters": adapters, "profiles": {"HomeNet": {}}, "joined": {"HomeNet": home}}
    with network_manager(tmp_path, **world):
        done = wifi("connect", ROBOT, *words, typed=f"{PASSWORD}\n")
    assert done.returncode == 0, done.stderr
    text = f"{home} leaves HomeNet: the internet then needs a cable or a second adapter\n"
    assert done.stderr == (text if leaves else "")
    stays = "" if leaves else ", and the internet stays where it was"
    assert done.stdout == f"joined {ROBOT}; the robot is at 172.31.1.1{stays}\n"


@pytest.mark.parametrize("robots", [PROFILE, "cozmo-Cozmo_02EF01"])
def test_an_adapter_that_leaves_a_robot_costs_no_internet(tmp_path: Path, robots: str) -> None:
    profile = {"ssid": ROBOT, "psk": PASSWORD}
    with network_manager(tmp_path, profiles={robots: profile}, joined={robots: "wlan1"}):
        done = wifi("connect", ROBOT, typed=f"{PASSWORD}\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "stays where it was" in done.stdout


@pytest.mark.parametrize("way", ["piped in", "an argument"])
def test_a_password_is_in_nobodys_list_of_processes(tmp_path: Path, way: str) -> None:
    words = ("--password", PASSWORD) if way == "an argument" else ()
    with network_manager(tmp_path) as world:
        done = wifi("connect", ROBOT, *words, typed=f"{PASSWORD}\n")
        assert done.returncode == 0, done.stderr
        assert world["profiles"][PROFILE]["psk"] == PASSWORD
        assert not any(PASSWORD in word for call in world.calls() for word in call)
    assert PASSWORD not in done.stdout + done.stderr


def test_at_a_terminal_the_password_is_asked_for_and_not_shown(tmp_path: Path) -> None:
    with network_manager(tmp_path) as world:
        child, terminal = pty.fork()
        if child == 0:
            os.execve(sys.executable, [*COMMAND, "wifi", "connect", ROBOT], environment())
        seen = read_until(terminal, lambda text: f"password of {ROBOT}: " in text)
        os.write(terminal, f"{PASSWORD}\n".encode())
        seen += read_until(terminal, lambda text: "joined" in text)
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        assert os.waitstatus_to_exitcode(status) == 0, seen
        assert world["joined"] == {PROFILE: "wlan1"}
    assert "on its face" in seen
    assert PASSWORD not in seen


def test_ctrl_d_instead_of_a_password_ends_the_command(tmp_path: Path) -> None:
    with network_manager(tmp_path):
        child, terminal = pty.fork()
        if child == 0:
            os.execve(sys.executable, [*COMMAND, "wifi", "connect", ROBOT], environment())
        read_until(terminal, lambda text: f"password of {ROBOT}: " in text)
        os.write(terminal, b"\x04")
        read_until(terminal, lambda text: "the input ended before the question was" in text)
        _, status = os.waitpid(child, 0)
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 1


def read_until(terminal: int, is_enough: Callable[[str], bool]) -> str:
    seen = ""
    while not is_enough(seen):
        try:
            part = os.read(terminal, 4096)
        except OSError:
            # How a terminal says that nobody is left on its other side.
            part = b""
        assert part, f"it ended early: {seen!r}"
        seen += part.decode()
    return seen


@pytest.mark.parametrize("is_saved", [False, True])
def test_the_adapter_can_be_chosen(tmp_path: Path, is_saved: bool) -> None:
    known = {"profiles": SAVED} if is_saved else {}
    with network_manager(tmp_path, adapters=["wlan1", "wlan2"], **known) as world:
        done = wifi("connect", ROBOT, "--interface", "wlan2", typed=f"{PASSWORD}\n")
        assert done.returncode == 0, done.stderr
        assert world["joined"] == {PROFILE: "wlan2"}
        assert world["profiles"][PROFILE]["connection.interface-name"] == "wlan2"


@pytest.mark.parametrize(("before", "after"), [("wlan2", "wlan2"), ("wlan9", "")])
def test_without_one_the_adapter_is_that_of_before_or_any_where_it_is_gone(
    tmp_path: Path, before: str, after: str
) -> None:
    saved = {PROFILE: {**SAVED[PROFILE], "connection.interface-name": before}}
    with network_manager(tmp_path, profiles=saved, adapters=["wlan1", "wlan2"]) as world:
        done = wifi("connect", ROBOT)
        assert done.returncode == 0, done.stderr
        assert world["joined"] == {PROFILE: after or "wlan1"}
        assert world["profiles"][PROFILE].get("connection.interface-name", "") == after


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_wrong_password_is_said_and_leaves_nothing_new(tmp_path: Path, is_saved: bool) -> None:
    known = {"profiles": SAVED} if is_saved else {}
    with network_manager(tmp_path, **known) as world:
        done = wifi("connect", ROBOT, "--password", "not-the-right-one")
        assert (PROFILE in world["profiles"]) is is_saved
        assert world["joined"] == {}
    assert done.returncode == 1
    assert "Secrets were required" in done.stderr
    assert "is the password right" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "typed", "reason"),
    [
        (("HomeNet",), "", "'HomeNet' is no robot's network"),
        ((ROBOT,), "", "a password has 8 to 63 characters"),
        ((ROBOT,), "short\n", "a password has 8 to 63 characters"),
        ((ROBOT, "--password", "with\nnewline"), "", "a password has 8 to 63 characters"),
    ],
)
def test_what_cannot_be_right_is_refused_before_anything_is_changed(
    tmp_path: Path, words: tuple[str, ...], typed: str, reason: str
) -> None:
    with network_manager(tmp_path) as world:
        done = wifi("connect", *words, typed=typed)
        assert all("show" in call for call in world.calls())
    assert done.returncode == 2
    assert done.stderr.startswith(f"cozmo wifi: {reason}")


BOTH: dict[str, object] = {
    "adapters": ["wlan1", "wlan2"],
    "profiles": {**SAVED, "cozmo-Cozmo_02EF01": {}, "HomeNet": {}},
    "joined": {PROFILE: "wlan1", "cozmo-Cozmo_02EF01": "wlan2", "HomeNet": "wlan0"},
}


@pytest.mark.parametrize(
    ("words", "left"), [((), {"HomeNet"}), ((ROBOT,), {"HomeNet", "cozmo-Cozmo_02EF01"})]
)
def test_leaving_concerns_robots_only(
    tmp_path: Path, words: tuple[str, ...], left: set[str]
) -> None:
    with network_manager(tmp_path, **BOTH) as world:
        done = wifi("disconnect", *words)
        assert done.returncode == 0, done.stderr
        assert set(world["joined"]) == left
    assert f"left {ROBOT} (wlan1)\n" in done.stdout


def test_the_status_tells_what_is_joined_and_what_is_known(tmp_path: Path) -> None:
    joined = {**BOTH, "joined": {PROFILE: "wlan1"}}
    with network_manager(tmp_path, **joined):
        done, rows = wifi("status"), json.loads(wifi("status", "--json").stdout)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        f"{ROBOT}: activated on wlan1, signal 71 %",
        "Cozmo_02EF01: not joined, signal 44 %",
    ]
    assert [row["adapter"] for row in rows] == ["wlan1", ""]


def test_without_network_manager_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = wifi("scan")
    assert done.returncode == 1
    assert re.match(
        r"cozmo wifi: the program nmcli is missing: install NetworkManager", done.stderr
    )
    assert "docs/wifi.md" in done.stderr


def test_a_network_manager_that_does_not_run_is_to_be_started(tmp_path: Path) -> None:
    with network_manager(tmp_path, is_running=False):
        done = wifi("status")
    assert done.returncode == 1
    assert "systemctl start NetworkManager" in done.stderr


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("", [""]),
        ("a:b", ["a", "b"]),
        (r" :Home\: a\\b:00\:23\:F8:6", [" ", r"Home: a\b", "00:23:F8", "6"]),
        (r"a\::", ["a:", ""]),
        (r"a\:", ["a:"]),
        (r"\\:x", ["\\", "x"]),
    ],
)
def test_escapes_of_the_terse_output_are_undone(line: str, fields: list[str]) -> None:
    assert split_terse(line) == fields
