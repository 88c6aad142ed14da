"""What holds for every test run: its own ROS domain and log folder, checked message fields."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Without it a field of the wrong type is published as nonsense, silently. Modules of messages read
# it as they are imported, some by the next conftest.py.
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"
# Tests run side by side: threads of their small matrices and images would only wait for each other.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OPENCV_FOR_THREADS_NUM"] = "1"

ROOT = Path(__file__).parents[1]

# Above 101 the ports of a domain reach into those that Linux gives to anybody.
DOMAINS = range(1, 102)


# Their tests wait for other processes most of the time; the others compute.
WAITING = (
    "test/assistant/",
    "test/benchmarks/",
    "test/cli/",
    "test/cockpit/",
    "test/examples/",
    "test/launch/",
    "test/nodes/",
    "test/packaging/",
)


def claim_domain() -> tuple[int, socket.socket]:
    """A domain no other test run on this machine has, and the socket that holds the claim.

    The claim is a name in the abstract socket namespace: the kernel gives it to one process only
    and takes it back when that process ends, however it ends.
    """
    first = os.getpid() % len(DOMAINS)
    for domain in (*DOMAINS[first:], *DOMAINS[:first]):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0cozmo_driver_test_domain_{domain}")
        except OSError:
            claim.close()
        else:
            return domain, claim
    raise RuntimeError(f"all {len(DOMAINS)} ROS domains are in use by other test runs")


def _only_this_computer() -> dict[str, str]:
    """Return what keeps the graph on this computer; of Fast DDS see loopback.xml."""
    if not os.environ.get("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp").startswith("rmw_fastrtps"):
        return {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    profiles = str(Path(__file__).with_name("loopback.xml"))
    return {
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT",
        "FASTRTPS_DEFAULT_PROFILES_FILE": profiles,
        "FASTDDS_DEFAULT_PROFILES_FILE": profiles,
    }


def pytest_configure(config: pytest.Config) -> None:
    """Set the environment before anything imports rclpy; child processes inherit it."""
    # A run that was started in the background ignores it, and so would every program under test.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # By nohup. What handles a signal does so in this process only.
        signal.signal(signal.SIGHUP, lambda *_: None)
    # The same examples in every run, however slow the machine.
    settings.register_profile(
        "repeatable",
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("repeatable")
    domain, claim = claim_domain()
    logs = Path(tempfile.mkdtemp(prefix="cozmo_driver_test_logs_"))
    os.environ.update(
        ROS_DOMAIN_ID=str(domain),
        **_only_this_computer(),
        ROS_LOG_DIR=str(logs),
        # What the driver keeps of a robot must neither come from the user's files nor go there.
        XDG_CACHE_HOME=str(logs / "cache"),
        XDG_DATA_HOME=str(logs / "data"),
        XDG_STATE_HOME=str(logs / "state"),
        ROS_HOME=str(logs / "ros"),
        # What matplotlib knows of the fonts here takes it a second to find out.
        MPLCONFIGDIR=str(ROOT / "build" / "matplotlib"),
        # A program that the middleware crashes tells where it was.
        PYTHONFAULTHANDLER="1",
    )
    os.environ.pop("ROS_STATIC_PEERS", None)
    config.add_cleanup(claim.close)
    config.add_cleanup(lambda: shutil.rmtree(logs, ignore_errors=True))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files in the order in which `--no-loadscope-reorder` hands them out.

    Those that wait and those that compute are spread evenly: cores are neither idle nor fought for.
    """
    files: dict[bool, list[Path]] = {True: [], False: []}
    for file in dict.fromkeys(item.path for item in items):
        files[str(file.relative_to(ROOT)).startswith(WAITING)].append(file)
    place = {
        file: (index + 0.5) / len(some)
        for some in files.values()
        for index, file in enumerate(some)
    }
    items.sort(key=lambda item: place[item.path])


def pytest_collection_finish() -> None:
    """Leave the thousands of tests out of garbage collections.

    On a busy computer one took up to 3 s, in which the emulator's thread stood still, too.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what one file's robots learn from the next file's, which have the same serial number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield
