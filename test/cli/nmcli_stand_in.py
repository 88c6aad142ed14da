"""A stand-in for ``nmcli`` 1.42, run as a program: takes what that takes and refuses the rest.

Its world is the JSON file that NMCLI_WORLD names: ``adapters``, ``sight`` (what they hear),
``profiles`` with their settings, ``joined`` (profile: adapter), ``password`` (the right one) and
``calls`` (the arguments of every call).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

MISUSED, FAILED, NOT_RUNNING, NOT_FOUND = 2, 4, 8, 10
SIGHT = ("IN-USE", "SSID", "BSSID", "CHAN", "SIGNAL", "SECURITY", "DEVICE")
PROFILES = ("NAME", "UUID", "TYPE", "DEVICE", "STATE")
DEVICES = ("DEVICE", "TYPE", "STATE", "CONNECTION")
SETTINGS = {
    "connection.autoconnect-priority": lambda text: -999 <= int(text) <= 999,
    "connection.interface-name": lambda text: len(text) < 16,
    "ipv4.never-default": lambda text: text in ("yes", "no"),
    "ipv4.ignore-auto-dns": lambda text: text in ("yes", "no"),
    "ipv6.method": lambda text: text in ("ignore", "auto", "link-local", "disabled"),
    "802-11-wireless.powersave": lambda text: text in ("0", "1", "2", "3"),
    "802-11-wireless-security.key-mgmt": lambda text: text in ("none", "wpa-psk", "sae"),
}
SECRET = "802-11-wireless-security.psk:"


def end(code: int, text: str) -> NoReturn:
    print(f"Error: {text}", file=sys.stderr)
    raise SystemExit(code)


def take_pairs(words: list[str], allowed: tuple[str, ...]) -> dict[str, str]:
    """Take words and their values from the front, as far as they are allowed."""
    pairs = {}
    while words and words[0] in allowed:
        if len(words) < 2:
            end(MISUSED, f"value for '{words[0]}' is missing.")
        name = words.pop(0)
        pairs[name] = words.pop(0)
    return pairs


def take_settings(words: list[str]) -> dict[str, str]:
    settings = take_pairs(words, tuple(SETTINGS))
    for name, value in settings.items():
        if not SETTINGS[name](value):
            end(MISUSED, f"failed to modify {name}: '{value}' is not valid.")
    return settings


def nothing_left(words: list[str]) -> None:
    if words:
        end(MISUSED, f"invalid extra argument '{words[0]}'.")


def show(fields: list[str], known: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    for field in fields:
        if field not in known:
            end(MISUSED, f"invalid field '{field}'; allowed fields: {','.join(known)}.")
    for row in rows:
        values = [str(row[field]).replace("\\", "\\\\").replace(":", "\\:") for field in fields]
        print(":".join(values))


def list_networks(world: dict[str, Any], words: list[str], fields: list[str]) -> None:
    asked = take_pairs(words, ("ifname", "--rescan"))
    nothing_left(words)
    if asked.get("--rescan", "auto") not in ("yes", "no", "auto"):
        end(MISUSED, f"invalid rescan argument: '{asked['--rescan']}' not among [auto, no, yes]")
    adapter = asked.get("ifname")
    if adapter and adapter not in world["adapters"]:
        end(NOT_FOUND, f"Device '{adapter}' not found.")
    used = {name.removeprefix("cozmo-"): device for name, device in world["joined"].items()}
    rows = []
    for device in [adapter] if adapter else world["adapters"]:
        for one in world["sight"]:
            mark = "*" if used.get(one["ssid"]) == device else " "
            values = (mark, one["ssid"], "02:00:00:00:00:2A", 6, one["signal"], "WPA2", device)
            rows.append(dict(zip(SIGHT, values, strict=True)))
    show(fields, SIGHT, rows)


def show_profiles(world: dict[str, Any], words: list[str], fields: list[str]) -> None:
    nothing_left(words)
    kinds = {"Wired connection 1": "802-3-ethernet"}
    rows = [
        {
            "NAME": name,
            "UUID": f"uuid-of-{name}",
            "TYPE": kinds.get(name, "802-11-wireless"),
            "DEVICE": world["joined"].get(name, ""),
            "STATE": "activated" if name in world["joined"] else "",
        }
        for name in world["profiles"]
    ]
    show(fields, PROFILES, rows)


def add(world: dict[str, Any], words: list[str]) -> None:
    given = take_pairs(words, ("type", "con-name", "ifname", "ssid"))
    if given.get("type") != "wifi" or not {"con-name", "ifname", "ssid"} <= given.keys():
        end(MISUSED, "required argument is missing.")
    settings = take_settings(words)
    nothing_left(words)
    if given["ifname"] != "*":
        settings["connection.interface-name"] = given["ifname"]
    world["profiles"][given["con-name"]] = {"ssid": given["ssid"], **settings}


def named(world: dict[str, Any], words: list[str]) -> str:
    """Take ``id NAME`` or ``uuid UUID`` and return the profile's name."""
    kind, value = words.pop(0), words.pop(0)
    name = value.removeprefix("uuid-of-") if kind == "uuid" else value
    if kind not in ("id", "uuid"):
        end(MISUSED, f"invalid argument '{kind}'.")
    if name not in world["profiles"]:
        end(NOT_FOUND, f"unknown connection '{value}'.")
    return name


def modify(profile: dict[str, str], settings: dict[str, str]) -> None:
    for name, value in settings.items():
        if value:
            profile[name] = value
        else:
            profile.pop(name, None)


def up(world: dict[str, Any], words: list[str]) -> None:
    profile = world["profiles"][name := named(world, words)]
    asked = take_pairs(words, ("ifname", "passwd-file"))
    nothing_left(words)
    password = profile.get("psk", "")
    if "passwd-file" in asked:
        text = Path(asked["passwd-file"]).read_text()
        if not text.startswith(SECRET):
            end(MISUSED, "invalid passwd-file: missing colon.")
        password = text.removeprefix(SECRET).rstrip("\n")
    adapter = asked.get("ifname") or profile.get("connection.interface-name")
    if adapter is not None and adapter not in world["adapters"]:
        end(FAILED, f"device '{adapter}' not found for connection '{name}'.")
    if profile["ssid"] not in [one["ssid"] for one in world["sight"]]:
        end(FAILED, "Connection activation failed: The Wi-Fi network could not be found.")
    if password != world["password"]:
        end(FAILED, "Connection activation failed: Secrets were required, but not provided.")
    profile["psk"] = password
    world["joined"][name] = adapter or world["adapters"][0]


def main() -> None:
    place = Path(os.environ["NMCLI_WORLD"])
    world = json.loads(place.read_text())
    world["calls"].append(sys.argv[1:])
    place.write_text(json.dumps(world))
    if not world["is_running"]:
        end(NOT_RUNNING, "NetworkManager is not running.")
    words, fields, values = sys.argv[1:], [], []
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "--fields":
            fields = words.pop(0).split(",")
        elif option == "--get-values":
            values = words.pop(0).split(",")
        elif option != "--terse":
            end(MISUSED, f"Option '{option}' is unknown.")
    match words[:2], words[2:]:
        case ["device", "wifi"], ["list", *rest]:
            list_networks(world, rest, fields)
        case ["device", "status"], []:
            rows = [
                dict(zip(DEVICES, (one, "wifi", "", ""), strict=True)) for one in world["adapters"]
            ]
            show(fields, DEVICES, rows)
        case ["connection", "show"], rest if values:
            profile = world["profiles"][named(world, rest)]
            print("\n".join(profile.get(name, "") for name in values))
        case ["connection", "show"], rest:
            show_profiles(world, rest, fields)
        case ["connection", "add"], rest:
            add(world, rest)
        case ["connection", "modify"], rest:
            modify(world["profiles"][named(world, rest)], take_settings(rest))
            nothing_left(rest)
        case ["connection", "up"], rest:
            up(world, rest)
        case ["connection", "down"], rest:
            if world["joined"].pop(named(world, rest), None) is None:
                end(NOT_FOUND, "no active connection provided.")
        case ["connection", "delete"], rest:
            del world["profiles"][named(world, rest)]
        case _:
            end(MISUSED, f"argument '{' '.join(words[:3])}' not understood.")
    place.write_text(json.dumps(world))


if __name__ == "__main__":
    main()
