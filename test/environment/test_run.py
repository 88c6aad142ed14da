"""What `test/conftest.py` promises for every run."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from ..conftest import DOMAINS, claim_domain
from ..each import for_each


def test_runs_at_the_same_time_never_share_a_domain() -> None:
    claims = [claim_domain() for _ in range(5)]
    try:
        domains = [domain for domain, _ in claims]
        assert len({*domains, int(os.environ["ROS_DOMAIN_ID"])}) == 6
        assert set(domains) <= set(DOMAINS)
    finally:
        for _, claim in claims:
            claim.close()


def test_nothing_leaves_this_machine_nor_goes_through_its_memory() -> None:
    pytest.importorskip("rclpy", reason="no ROS 2 here")
    from ..nodes.graph import running_graph

    with running_graph():
        this = psutil.Process()
        sockets = {one.laddr.ip for one in this.net_connections(kind="udp")}
        memory = {one.path for one in this.memory_maps() if "/dev/shm/fast" in one.path}
    assert (sockets, memory) == ({"127.0.0.1"}, set())


def test_logs_go_to_a_folder_of_the_run() -> None:
    assert Path(os.environ["ROS_LOG_DIR"]).name.startswith("cozmo_driver_test_logs_")


def test_a_field_of_the_wrong_type_is_an_error() -> None:
    messages = pytest.importorskip("geometry_msgs.msg", reason="no ROS 2 here")

    with pytest.raises(AssertionError, match="'x' field must be of type 'float'"):
        messages.Point().x = 1


def test_a_test_for_each_of_many_values_lists_all_that_fail() -> None:
    @for_each("number", range(1, 6))
    def is_odd(number: int) -> None:
        assert number % 2, f"{number} is even"

    with pytest.raises(AssertionError, match=r"(?s)2 of 5\n2: 2 is even.*\n4: 4 is even"):
        is_odd()
