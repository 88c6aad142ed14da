"""Which programs make up a running robot, as plain data.

``bringup`` starts them itself, ``launch/cozmo.launch.py`` hands them to launch; neither knows more
about them than stands here.
"""

from __future__ import annotations

import atexit
import importlib.util
import re
import shlex
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
)

from ..cockpit import WEB_PACKAGES
from ..installation import pip_install
from ..ros.errors import StartError
from ..ros.file_urls import DESCRIPTION, not_installed, shared_file

PACKAGE = "cozmo_driver"
EMULATOR_HOST = "127.0.0.1"
EMULATOR_READY = re.compile(r"Cozmo emulator on ([\d.]+):(\d+)")
"""What the emulator says when it listens: address and port."""

OWN_NODES = {
    "driver": ("cozmo", "the"),
    "face": ("face", "the face's"),
    "behavior": ("behavior", "the personality's"),
    "vision": ("vision_node", "the vision node's"),
    "manipulation": ("manipulation", "manipulation's"),
    "cockpit": ("cockpit", "the cockpit's"),
}
"""Nodes of this package, their parameter files, and whose those are for people."""
_STAMPED = "enable_stamped_cmd_vel"
"""Parameter of the driver, and of the nodes that publish or hear cmd_vel."""


@dataclass(frozen=True, slots=True)
class Process:
    """One program. ``parameters`` win over those of ``parameter_files``."""

    name: str
    package: str
    executable: str
    arguments: tuple[str, ...] = ()
    is_node: bool = True
    is_vital: bool = True
    """Without it the rest is of no use."""
    namespace: str = ""
    parameter_files: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remappings: tuple[tuple[str, str], ...] = ()
    node_name: str = ""
    """Empty: the program's own."""
    prefix: str = ""
    """Command that runs the program, such as a terminal; launch files only."""
    has_substitutions: bool = False
    """Launch replaces ``$(...)`` in the parameter files."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is chosen; an empty text leaves the matter to ``config_file``."""

    robot_address: str = ""
    robot_port: int = 0
    """0: as in ``config_file``."""
    network_interface: str = ""
    namespace: str = ""
    config_file: str = ""
    behavior_config: str = ""
    vision_config: str = ""
    cockpit_config: str = ""
    """Empty: the package's own, as of the three before."""
    use_sim_time: bool = False
    frame_prefix: str = ""
    localizes: bool = False
    """Let perception know where the robot is by the tags of ``tag_map``."""
    tag_map: str = ""


def emulator(
    port: int,
    world: str = "",
    view: str = "",
    hardware: str = "",
    wifi: str = "",
    *,
    port_option: str,
) -> Process:
    """Return the emulator on a UDP port, 0 for any free one.

    ``world`` is the name or file of the world it is in, empty for an endless floor; ``view`` the
    folder for pictures of what it sees and shows; ``hardware`` the version of the robot that it
    errs like, empty for the emulator's own; ``wifi`` how bad the link is, empty for a good one.
    ``port_option`` is what people choose the port with. Raises ``StartError`` for what cannot be.
    """
    from ..emulator import (  # takes half a second
        HARDWARE,
        WIFI,
        WorldFileError,
        find_world,
        load_layout,
    )

    if hardware and hardware not in HARDWARE:
        raise StartError(f"the hardware is {' or '.join(HARDWARE)}, not {hardware}")
    if wifi and wifi not in WIFI:
        raise StartError(f"the Wi-Fi is {' or '.join(WIFI)}, not {wifi}")
    try:
        if world:
            load_layout(find_world(world))
    except WorldFileError as error:
        raise StartError(str(error)) from error
    except OSError as error:
        raise StartError(f"the world {world} cannot be read: {error.strerror}") from error
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind((EMULATOR_HOST, port))
    except OSError as error:
        raise StartError(
            f"UDP port {port} of {EMULATOR_HOST} cannot be used ({error.strerror}): stop the other "
            f"program, or choose another port with {port_option}"
        ) from error
    given = {"--port": str(port), "--world": world, "--view": view}
    given |= {"--hardware": hardware, "--wifi": wifi}
    words = [word for option in given.items() if option[1] for word in option]
    arguments = ("emulator", "--host", EMULATOR_HOST, *words)
    return Process("emulator", PACKAGE, "cozmo", arguments, is_node=False)


def tag_map_of(world: str) -> str:
    """Return the map of the tags in one of the package's worlds, empty where there is none.

    Raises ``StartError``.
    """
    if not world.isidentifier():
        return ""
    file = shared_file(PACKAGE, f"config/maps/{world}_tags.yaml")
    return file if Path(file).is_file() else ""


def own_node(name: str, options: Options, **chosen: Any) -> Process:
    """Return one of ``OWN_NODES``; what of its parameters is 0 or empty is left to its file.

    Raises ``StartError`` for a parameter file that is missing.
    """
    if name == "driver":
        chosen |= {
            "robot_address": options.robot_address,
            "robot_port": options.robot_port,
            "network_interface": options.network_interface,
        }
    if name in ("driver", "face", "vision"):
        chosen["frame_prefix"] = options.frame_prefix
    if name == "vision":
        chosen |= {"localization": options.localizes, "tag_map": options.tag_map}
    if name in ("behavior", "cockpit"):
        chosen[_STAMPED] = is_cmd_vel_stamped(options)
    chosen["use_sim_time"] = options.use_sim_time
    files = {
        "driver": options.config_file,
        "behavior": options.behavior_config,
        "vision": options.vision_config,
        "cockpit": options.cockpit_config,
    }
    return Process(
        name,
        PACKAGE,
        f"{name}_node",
        is_vital=name == "driver",
        namespace=options.namespace,
        parameter_files=(_config(files.get(name, ""), *OWN_NODES[name]),),
        parameters={name: value for name, value in chosen.items() if value},
    )


def is_cmd_vel_stamped(options: Options) -> bool:
    """Return whether the driver's cmd_vel is a TwistStamped, as its parameter file says.

    The last of several parts of the file counts. What is wrong with the file, the driver tells.
    Raises ``StartError`` for a file that is missing.
    """
    file = _config(options.config_file, *OWN_NODES["driver"])
    try:
        content = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return False
    return [False, *_values(content, _STAMPED)][-1] is True


def _values(content: Any, name: str) -> Iterator[Any]:
    if isinstance(content, Mapping):
        for key, value in content.items():
            if key == name:
                yield value
            else:
                yield from _values(value, name)


def cockpit(options: Options, address: str = "", emulator_port: int = 0) -> Process:
    """Return the node with the page in a browser. Raises ``StartError``.

    ``address`` is what it listens on, HOST or HOST:PORT; empty: as in its parameter file.
    ``emulator_port`` is where the emulator listens, 0 for none.
    """
    missing = [name for name in WEB_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise StartError(f"the cockpit needs {', '.join(missing)}: {pip_install(*missing)}")
    host, port = _host_and_port(address)
    process = own_node("cockpit", options, cockpit_host=host, emulator_port=emulator_port)
    if port is None:
        return process
    return replace(process, parameters={**process.parameters, "cockpit_port": port})


def _host_and_port(address: str) -> tuple[str, int | None]:
    try:
        parts = urlsplit(f"//{address}")
        return parts.hostname or "", parts.port
    except ValueError as error:
        raise StartError(f"'{address}' is not HOST or HOST:PORT: {error}") from error


def _config(chosen: str, own: str, whose: str) -> str:
    file = chosen or shared_file(PACKAGE, f"config/{own}.yaml")
    return existing(file, f"{whose} parameter file")


def robot_state_publisher(options: Options) -> Process:
    """Return the node that publishes the robot's description and frames. Raises ``StartError``."""
    return Process(
        "robot_state_publisher",
        "robot_state_publisher",
        "robot_state_publisher",
        is_vital=False,
        namespace=options.namespace,
        parameters={
            "robot_description": robot_description(),
            "frame_prefix": options.frame_prefix,
            "use_sim_time": options.use_sim_time,
        },
    )


def robot_description() -> str:
    """Return the robot's URDF. Raises ``StartError`` when it cannot be made."""
    path = existing(shared_file(DESCRIPTION, "urdf/cozmo.urdf.xacro"), "the robot's description")
    try:
        import xacro  # only this program of several needs it
    except ImportError as error:
        raise StartError(f"the package xacro is not installed ({error})") from error
    try:
        return str(xacro.process_file(path).toxml())
    except Exception as error:  # xacro raises a class of its own for each kind of mistake
        raise StartError(f"xacro cannot read {path}: {error}") from error


def keyboard(namespace: str, terminal: str, *, speed: float, turn: float) -> Process:
    """Return ``drive --keys`` in a terminal of its own. Raises ``StartError``.

    ``terminal`` is the command that opens it (launch gives its programs no keyboard) and ends with
    it; ``speed`` in m/s and ``turn`` in rad/s are what the keys start with. ROS 2's
    teleop_twist_keyboard sends once for a key, so that a held one pauses before it repeats, and
    knows no speeds before 2.4.1.
    """
    words = shlex.split(terminal)
    if not words or shutil.which(words[0]) is None:
        raise StartError(
            f"there is no program '{terminal}' to open a terminal with: give another one, such as "
            "terminal:='gnome-terminal --wait --', or run in this one: ros2 run cozmo_driver drive "
            "--keys"
        )
    return Process(
        "keyboard",
        PACKAGE,
        "drive",
        ("--keys", "--linear", f"{speed:g}", "--angular", f"{turn:g}"),
        namespace=namespace,
        prefix=terminal,
    )


def joystick(namespace: str, device_id: int, config_file: str) -> list[Process]:
    """Return the joystick's node and the one that makes velocities of it. Raises ``StartError``."""
    file = _config(config_file, "teleop_joy", "the joystick's")
    return [
        Process(
            name, name, executable, namespace=namespace, parameter_files=(file,), parameters=own
        )
        for name, executable, own in (
            ("joy", "joy_node", {"device_id": device_id}),
            ("teleop_twist_joy", "teleop_node", {}),
        )
    ]


def existing(path: str, what: str) -> str:
    """Return the path. Raises ``StartError`` when no such file is there."""
    if not Path(path).is_file():
        raise StartError(f"{what} is missing: there is no file {path}")
    return path


def executable_path(process: Process) -> str:
    """Return where the program is installed. Raises ``StartError``."""
    try:
        prefix = get_package_prefix(process.package)
    except PackageNotFoundError as error:
        raise StartError(not_installed(process.package)) from error
    return existing(
        str(Path(prefix, "lib", process.package, process.executable)),
        f"the executable {process.executable} of {process.package}",
    )


def command(process: Process, folder: Path) -> list[str]:
    """Return the command line; parameters go through a file in ``folder``.

    Raises ``StartError``.
    """
    return [executable_path(process), *command_words(process, folder)]


def command_words(process: Process, folder: Path) -> list[str]:
    """Return what follows the executable."""
    words = list(process.arguments)
    if not process.is_node:
        return words
    words.append("--ros-args")
    if process.namespace:
        words += ["-r", f"__ns:=/{process.namespace.strip('/')}"]
    if process.node_name:
        words += ["-r", f"__node:={process.node_name}"]
    for source, target in process.remappings:
        words += ["-r", f"{source}:={target}"]
    for file in process.parameter_files:
        words += ["--params-file", file]
    if process.parameters:
        content = {"/**": {"ros__parameters": dict(process.parameters)}}
        words += ["--params-file", str(write_yaml(content, ".yaml", folder))]
    return words


def write_yaml(content: Mapping[str, Any], suffix: str, folder: Path | None = None) -> Path:
    """Write a new file into ``folder``, by default one that is removed when this process ends."""
    # Of several parts of a parameter file for one node the later wins: the order stays.
    return write_text(yaml.safe_dump(dict(content), sort_keys=False), suffix, folder)


def write_text(text: str, suffix: str, folder: Path | None = None) -> Path:
    """Write a new file, as ``write_yaml`` does."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="cozmo_", suffix=suffix, dir=folder, delete=False, encoding="utf-8"
    ) as file:
        file.write(text)
    path = Path(file.name)
    if folder is None:
        atexit.register(path.unlink, missing_ok=True)
    return path
