"""`scripts/env` and what decides whether the environment is made anew."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
ENV = ROOT / "scripts" / "env"
FRESH = {"COZMO_DRIVER_ENV": "", "COZMO_SKIP_SETUP": "1"}

pytestmark = pytest.mark.skipif(
    os.environ.get("COZMO_DRIVER_ENV") != str(ROOT), reason="not run by scripts/env"
)


def env(*command: str, without: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run scripts/env as from a shell that is not inside of it."""
    given = {**os.environ, **FRESH, **variables}
    given.pop(without, None)
    return subprocess.run(
        [ENV, *command],
        env=given,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_signal_is_the_commands() -> None:
    process = subprocess.Popen(
        [ENV, sys.executable, "-c", "print('up', flush=True); import signal; signal.pause()"],
        env={**os.environ, **FRESH},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"

    process.send_signal(signal.SIGTERM)

    assert process.wait(timeout=60) == -signal.SIGTERM
    process.stdout.close()


def test_output_and_exit_code_are_the_commands_alone() -> None:
    ran = env("bash", "-c", "echo 'two  words'; exit 7")

    assert (ran.stdout, ran.stderr, ran.returncode) == ("two  words\n", "", 7)


def test_without_a_command_it_says_what_it_is_for() -> None:
    ran = env()

    assert ran.returncode == 64
    assert "scripts/env COMMAND" in ran.stderr


def test_the_packages_executables_are_on_the_path() -> None:
    found = env("bash", "-c", "command -v driver_node").stdout.strip()

    assert Path(found) == ROOT / "install/cozmo_driver/lib/cozmo_driver/driver_node"


def test_the_drivers_sources_are_used_where_they_are(tmp_path: Path) -> None:
    code = "import os, cozmo_driver; os.chdir('/'); print(os.path.realpath(cozmo_driver.__file__))"
    ran = env("bash", "-c", f'cd "{tmp_path}" && python -c "{code}"')

    assert Path(ran.stdout.strip()) == ROOT / "cozmo_driver" / "__init__.py"


def test_home_is_set_where_it_was_not() -> None:
    assert env("printenv", "HOME", without="HOME").stdout.startswith("/")


def test_discovery_stays_on_this_machine_unless_told_otherwise() -> None:
    name = "ROS_AUTOMATIC_DISCOVERY_RANGE"

    assert env("printenv", name, without=name).stdout == "LOCALHOST\n"
    assert env("printenv", name, ROS_AUTOMATIC_DISCOVERY_RANGE="SUBNET").stdout == "SUBNET\n"


def test_what_is_compiled_is_kept_for_the_next_process() -> None:
    code = "import sys; print(sys.dont_write_bytecode)"

    assert env("python", "-c", code, PYTHONDONTWRITEBYTECODE="1").stdout == "False\n"


@pytest.fixture
def setup(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The program `scripts/setup`."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    loader = SourceFileLoader("setup_program", str(ROOT / "scripts" / "setup"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    yield module
    for name in [name for name in sys.modules if name.split(".")[0] == "environment"]:
        del sys.modules[name]


@pytest.fixture
def stamps(setup: ModuleType) -> ModuleType:
    """The module that decides what is out of date."""
    return setup.stamps


def test_only_commands_of_developers_install_the_tools_of_the_tests(setup: ModuleType) -> None:
    asking = ("pytest test/link", "python -m pytest", "python -m docs.interface", "ruff check .")
    others = ("", "true", "bringup --world maze", "python -m http.server", "cozmo face list")

    assert [c for c in asking if setup.groups_for(c.split()) != ["run", "test"]] == []
    assert [c for c in others if setup.groups_for(c.split()) != ["run"]] == []


def test_every_tool_that_make_calls_is_one_of_them(setup: ModuleType) -> None:
    text = (ROOT / "Makefile").read_text()
    called = re.findall(r"\$\(ENV\) (.*)", text)
    running = {"true", "bringup", "python -m scores"}

    assert len(called) > 10
    for command in called:
        is_running = any(command.startswith(words) for words in running)
        assert (setup.groups_for(command.split()) == ["run"]) == is_running, command


def test_an_environment_with_the_tools_serves_the_driver_but_not_the_other_way_round(
    stamps: ModuleType,
) -> None:
    from environment.world import World

    world = World("jazzy", "/opt/ros/jazzy")
    run, both = stamps.wanted_venv(world, ["run"]), stamps.wanted_venv(world, ["run", "test"])

    assert stamps.holds(both, run)
    assert not stamps.holds(run, both)


def test_another_python_behind_the_same_link_makes_the_environment_anew(
    tmp_path: Path, stamps: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    from environment import virtualenv
    from environment.world import World

    world, installed, system = World("jazzy", ""), [], tmp_path / "python3"

    def release(version: str) -> None:
        (tmp_path / version).touch()
        system.unlink(missing_ok=True)
        system.symlink_to(version)

    def create(*_: object) -> None:
        python = stamps.VENV / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.symlink_to(system)

    monkeypatch.setattr(stamps, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(stamps, "VENV_STAMP", tmp_path / ".venv" / "stamp.json")
    monkeypatch.setattr(virtualenv, "check", lambda *_: None)
    monkeypatch.setattr(virtualenv, "create", create)
    monkeypatch.setattr(virtualenv, "install_requirements", lambda *_: installed.append(1))
    release("python3.12")
    virtualenv.make(world, ["run"])
    assert stamps.venv_is_current(world, ["run"])

    release("python3.14")
    made, wanted = stamps.read(stamps.VENV_STAMP), stamps.wanted_venv(world, ["run"])
    assert not stamps.venv_is_current(world, ["run"])
    assert virtualenv.reusable(made, wanted) == ""


def test_without_the_ros_it_was_made_with_an_environment_stays(
    tmp_path: Path, setup: ModuleType, stamps: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver in another terminal may be running in it."""
    from environment.world import World

    ros, made = tmp_path / "ros", []
    monkeypatch.setattr(stamps, "VENV_STAMP", tmp_path / "stamp.json")
    monkeypatch.setattr(setup.virtualenv, "make", lambda *_: made.append("venv"))
    monkeypatch.setattr(setup.packages, "build", lambda *_: made.append("build"))
    monkeypatch.setattr(stamps, "build_is_current", lambda _: False)
    monkeypatch.setattr(sys, "argv", ["setup", "drive", "--keys"])
    monkeypatch.setenv("AMENT_PREFIX_PATH", "")
    monkeypatch.delenv("ROS_WHEELS", raising=False)
    ros.mkdir()
    stamps.write_stamp(stamps.VENV_STAMP, stamps.wanted_venv(World("jazzy", str(ros)), ["run"]))
    with pytest.raises(setup.SetupError, match=f"{ros}: source its setup.bash"):
        setup.main()
    assert made == []

    monkeypatch.setenv("ROS_WHEELS", "jazzy")
    setup.main()
    assert made == ["venv", "build"]

    monkeypatch.delenv("ROS_WHEELS")
    ros.rmdir()
    setup.main()
    assert made == ["venv", "build"] * 2


@pytest.mark.parametrize(
    ("module", "advice"),
    [
        ("raise ImportError('built for another Python')", "conda deactivate, or PATH=/usr/bin:"),
        ("", "sudo apt-get install .*ros-jazzy-rclpy"),
    ],
    ids=["of conda", "of the system"],
)
def test_a_python_that_the_sourced_ros_is_not_for_is_named_before_any_package(
    tmp_path: Path,
    setup: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    advice: str,
) -> None:
    from environment import machine
    from environment.world import World

    (tmp_path / "rclpy").mkdir()
    (tmp_path / "rclpy" / "__init__.py").touch()
    (tmp_path / "rclpy" / "node.py").write_text(module)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("AMENT_PREFIX_PATH", "")
    monkeypatch.setenv("COZMO_NO_APT", "1")
    python = os.path.realpath(sys.executable)

    with pytest.raises(setup.SetupError, match=advice):
        machine.check(World("jazzy", str(tmp_path)), python, ["run"])


def test_a_step_that_fails_says_what_it_printed_and_where_all_of_it_is(
    tmp_path: Path, setup: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    from environment import steps

    code = "for number in range(100): print(number)\nraise SystemExit(3)"
    log = tmp_path / "step.log"
    with pytest.raises(setup.SetupError, match=f"trying: failed with code 3; .* {log}"):
        steps.run("trying", [sys.executable, "-c", code], log)

    shown = capsys.readouterr().err.split()
    assert shown[-steps.TAIL :] == [str(number) for number in range(60, 100)]
    assert "0" in log.read_text().split("\n")


def test_a_file_with_other_content_is_noticed(tmp_path: Path, stamps: ModuleType) -> None:
    stamps.ROOT = tmp_path
    file = tmp_path / "a.msg"
    file.write_text("float64 x\n")
    first = stamps.digest([file])

    file.write_text("float64 y\n")
    second = stamps.digest([file])

    file.write_text("float64 x\n")
    assert stamps.digest([file]) == first != second


def test_a_stamp_that_is_cut_off_counts_as_none(tmp_path: Path, stamps: ModuleType) -> None:
    file = tmp_path / "stamp.json"
    file.write_text('{"world": ')

    assert stamps.read(file) == {}
    assert stamps.read(tmp_path / "none.json") == {}
    assert not stamps.holds(stamps.read(file), {"world": "jazzy"})


def test_what_the_environment_is_made_of_is_watched(stamps: ModuleType) -> None:
    from environment.world import World

    world = World("jazzy", "/opt/ros/jazzy")
    folders = {"cozmo_driver": ROOT, "cozmo_interfaces": ROOT / "cozmo_interfaces"}
    watched = {
        path.relative_to(ROOT).as_posix()
        for name, folder in folders.items()
        for path in stamps.files_of(name, folder)
    }

    assert world.is_sourced
    assert {
        "package.xml",
        "setup.py",
        "config/cozmo.yaml",
        "launch/cozmo.launch.py",
        "cozmo_interfaces/package.xml",
        "cozmo_interfaces/msg/RobotStatus.msg",
    } <= watched
    assert not any(path.startswith("cozmo_driver/") for path in watched)
