"""Addresses by which a telephone opens the page, in networks as they are with a robot."""

from __future__ import annotations

from ..nodes.test_network_namespaces import NETWORK, run_isolated


def test_an_address_is_found_without_a_default_route() -> None:
    run_isolated("test.cockpit.addresses_of_networks", str(NETWORK.readlink()))
