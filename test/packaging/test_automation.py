"""What other services run: the workflows, the image, the hooks before a commit."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cozmo_driver.installation import data_directory, state_directory

from .declared import PACKAGES, ROOT, from_pip, setup_argument

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
REQUIREMENTS = ROOT / "scripts" / "requirements"


def jobs() -> dict[str, Any]:
    """Every job of every workflow, by name."""
    found: dict[str, Any] = {}
    for file in WORKFLOWS:
        found |= yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
    return found


def steps() -> Iterator[dict[str, Any]]:
    """Every step of every job."""
    for job in jobs().values():
        yield from job["steps"]


def commands() -> list[list[str]]:
    """Every command line that a workflow runs, as words."""
    lines = []
    for step in steps():
        for line in step.get("run", "").replace("\\\n", " ").splitlines():
            lines.append(shlex.split(line, comments=True))
    return [line for line in lines if line]


def supported() -> tuple[str, ...]:
    """Distributions that `scripts/env` takes."""
    text = (ROOT / "scripts" / "environment" / "world.py").read_text(encoding="utf-8")
    (line,) = re.findall(r"^SUPPORTED = \((.*)\)$", text, re.MULTILINE)
    return tuple(re.findall(r"\w+", line))


def targets() -> set[str]:
    """Targets of the Makefile."""
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_every_make_target_of_a_workflow_exists() -> None:
    called = [line[1] for line in commands() if line[0] == "make"]

    assert {"test", "site"} <= set(called)
    assert [target for target in called if target not in targets()] == []


def test_every_supported_distribution_is_tried_in_its_own_container() -> None:
    job = jobs()["ros"]

    assert tuple(job["strategy"]["matrix"]["distribution"]) == supported()
    assert job["container"] == "ros:${{ matrix.distribution }}"


def test_the_launch_tests_run_with_the_installed_workspace() -> None:
    (line,) = [line for line in commands() if line[:2] == ["colcon", "test"]]

    assert "pytest" in setup_argument("extras_require")["test"], "colcon runs pytest only then"
    for folder in line[line.index("--pytest-args") + 1 :]:
        assert (ROOT / folder).is_dir()
    assert "test/launch" in line


def test_the_wheels_are_tried_with_every_python_from_the_first_on() -> None:
    pythons = jobs()["wheels"]["strategy"]["matrix"]["python"]

    assert pythons == [f"3.{minor}" for minor in range(10, 10 + len(pythons))]
    assert setup_argument("python_requires") == f">={pythons[0]}"


def test_every_action_is_pinned_by_its_major_version() -> None:
    used = [step["uses"] for step in steps() if "uses" in step]

    assert used
    assert [name for name in used if not re.fullmatch(r"actions/[\w-]+@v\d+", name)] == []


def test_a_workflow_may_only_read() -> None:
    for file in WORKFLOWS:
        assert yaml.safe_load(file.read_text())["permissions"] == {"contents": "read"}


def test_the_paths_of_a_workflow_exist() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in WORKFLOWS)
    inside = set(re.findall(r"src/cozmo_driver/([\w./-]+)", text))

    assert inside
    assert [path for path in inside if not (ROOT / path).exists()] == []
    assert list(REQUIREMENTS.glob("*.txt"))


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    allowed = {
        line[1:].rstrip("/")
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = [words.split()[:-1] for words in re.findall(r"^COPY ((?!--from).*)$", text, re.M)]

    for path in {path for paths in copied for path in paths} - {"."} | allowed:
        assert (ROOT / path).exists(), path
        assert any(path == one or path.startswith(f"{one}/") for one in allowed), path


def test_the_image_builds_every_package() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    for folder in PACKAGES.values():
        inside = Path("src/cozmo_driver", folder.relative_to(ROOT)).as_posix()
        assert re.search(rf"--base-paths .*{inside}(\s|$)", text, re.MULTILINE), inside


def test_a_container_ends_as_by_ctrl_c_so_that_the_driver_stops_the_robot() -> None:
    final = re.split(r"^FROM ", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)[-1]
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"].values()

    assert {"STOPSIGNAL SIGINT", "ENV TINI_KILL_PROCESS_GROUP=1"} <= set(final.splitlines())
    assert [(one["init"], one["stop_grace_period"]) for one in services] == [(True, "15s")] * 3


def test_every_container_of_compose_has_the_time_zone_of_whoever_starts_it() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"].values()

    assert [one.get("environment", {}).get("TZ") for one in services] == ["${TZ:-UTC}"] * 3


@pytest.mark.parametrize("file", ["Dockerfile", ".github/workflows/ci.yml"])
def test_what_rosdep_does_not_bring_is_in_the_image_and_tried(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ")
    (by_apt,) = re.findall(r"apt-get install .* (espeak-ng [\w -]+)", text)
    (by_pip,) = re.findall(r"pip install --break-system-packages .*pypi\.txt ([\w -]+)", text)

    assert {"espeak-ng", "opencv-data"} <= set(by_apt.split())
    assert set(by_pip.split()) == from_pip() - {"mcp"}


@pytest.mark.parametrize("page", ["README.md", "docs/containers.md"])
def test_what_the_image_leaves_out_is_told(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8").replace("\n", " ")
    (left_out,) = re.findall(r"(?:everything|their dependencies) except ([^.|]*)[.|]", text)

    assert [name for name in ("RViz", "Nav2", "`cozmo mcp`") if name not in left_out] == []


def test_what_the_image_must_not_lose_is_the_users_and_in_the_table_of_what_to_keep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", "/home/cozmo")
    kept = {data_directory().parent, state_directory().parents[1], Path("/home/cozmo/.ros")}
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    (made,) = re.findall(r"install --directory --owner cozmo --group cozmo (.*)", text)
    table = (ROOT / "docs" / "containers.md").read_text(encoding="utf-8")

    assert {Path(folder) for folder in made.split()} == kept
    assert {Path(folder) for folder in re.findall(r"-v cozmo_\w+:(\S+)`", table)} == kept


@pytest.mark.parametrize("file", ["Dockerfile", ".devcontainer/devcontainer.json"])
def test_images_are_those_of_a_supported_distribution(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    named = re.findall(r"(?:ARG ROS_DISTRO=|ros:|/opt/ros/)([a-z]+)", text)

    assert named
    assert set(named) <= set(supported())


def test_terminals_of_the_development_container_have_the_ros_that_was_set_up_on() -> None:
    """Without it a set-up would begin anew, from wheels, which ARM has none of."""
    made = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    [sourced] = re.findall(
        r"\. (/opt/ros/\w+/setup\.bash) && make setup", made["postCreateCommand"]
    )

    assert f"echo . {sourced} >> ~/.bashrc" in made["postCreateCommand"]


def test_hooks_have_the_tests_version_of_ruff_and_run_programs_that_are_there() -> None:
    pinned = (REQUIREMENTS / "test.txt").read_text()
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    (revision,) = [r["rev"] for r in config["repos"] if r["repo"].endswith("/ruff-pre-commit")]

    assert f"ruff=={revision.removeprefix('v')}" in pinned.splitlines()
    local = [hook for r in config["repos"] if r["repo"] == "local" for hook in r["hooks"]]

    assert local
    assert all((ROOT / hook["entry"].split()[0]).is_file() for hook in local)
