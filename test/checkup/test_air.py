"""Who is on the robot's Wi-Fi channel: by programs that answer as the real ones do."""

from __future__ import annotations

import pytest

from cozmo_driver.checkup.air import air_towards, channel_of

LINK = """\
Connected to 5c:cf:7f:00:11:22 (on wlan1)
\tSSID: Cozmo_123456
\tfreq: 2437
\tRX: 13209 bytes (112 packets)
\tsignal: -48 dBm
\ttx bitrate: 54.0 MBit/s
"""
SURVEY = """\
Survey data from wlan1
\tfrequency:\t\t\t2412 MHz
\tnoise:\t\t\t\t-95 dBm
\tchannel active time:\t\t100 ms
\tchannel busy time:\t\t90 ms
Survey data from wlan1
\tfrequency:\t\t\t2437 MHz [in use]
\tnoise:\t\t\t\t-92 dBm
\tchannel active time:\t\t200000 ms
\tchannel busy time:\t\t50000 ms
\tchannel receive time:\t\t30000 ms
"""
SEEN = "*:6:90\n :6:55\n :6:40\n :3:70\n :11:30\n :1:20\n :36:80\n"
ROUTE = '[{"dst":"172.31.1.1","dev":"wlan1","prefsrc":"172.31.1.2"}]'


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Return what puts a program into the path that prints some texts, by its arguments."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    def put(name, **texts):
        cases = ""
        for number, (words, text) in enumerate(texts.items()):
            (tmp_path / f"{name}{number}").write_text(text)
            cases += f"*{words}*) cat {tmp_path}/{name}{number} ;;\n"
        (tmp_path / name).write_text(f'#!/bin/sh\ncase "$*" in\n{cases}*) exit 1 ;;\nesac\n')
        (tmp_path / name).chmod(0o755)

    return put


def test_other_access_points_are_counted_and_nobody_is_named(programs):
    programs("ip", route=ROUTE)
    programs("iw", link=LINK, survey=SURVEY)
    programs("nmcli", wifi=SEEN)
    values, words = air_towards("172.31.1.1")
    assert {name: one.value for name, one in values.items()} == {
        "channel": 6,
        "signal": -48.0,
        "channel_busy_share": 0.25,
        "channel_noise": -92.0,
        "access_points_on_channel": 2,
        "access_points_overlapping": 1,
        "strongest_on_channel": 55,
    }
    assert words == "channel 6, 2 other access points on it, -48 dBm, busy for 25%"
    assert not [text for text in (words, str(values)) if "Cozmo_" in text or "5c:cf" in text]


def test_what_a_missing_program_knows_is_not_known(programs, monkeypatch, tmp_path):
    programs("nmcli", wifi=SEEN)
    programs("iw", nothing="")
    values, words = air_towards("172.31.1.1", "wlan1")
    assert "signal" not in values
    assert words == "channel 6, 2 other access points on it"
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert air_towards("172.31.1.1") == ({}, "of its Wi-Fi channel the adapter tells nothing")


@pytest.mark.parametrize("nonsense", ["", "[]", "not json", "*:x:y\n*:6", "freq: -"])
def test_nonsense_is_nothing(nonsense, programs):
    programs("ip", route=nonsense)
    programs("iw", link=nonsense, survey=nonsense)
    programs("nmcli", wifi=nonsense)
    assert air_towards("172.31.1.1", "wlan1")[0] == {}


@pytest.mark.parametrize(
    ("megahertz", "channel"), [(2412, 1), (2437, 6), (2484, 14), (5180, 36), (5825, 165)]
)
def test_channels_have_their_numbers(megahertz, channel):
    assert channel_of(megahertz) == channel
