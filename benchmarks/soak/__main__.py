"""``python -m benchmarks.soak``: run it, print the table; 1 when a limit is not met."""

from __future__ import annotations

import argparse
import os
import sys

from cozmo_driver.emulator.wifi import WIFI

from .. import DOMAIN
from .run import Failure, Plan, soak
from .verdict import table


def main() -> int:
    """Run for as long as asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak",
        description="Everything at once over a bad link, with a robot that goes and comes back.",
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="default %(default)s")
    parser.add_argument(
        "--loss", type=float, default=0.05, help="share of datagrams lost (default %(default)s)"
    )
    parser.add_argument("--wifi", choices=WIFI, default="", help="stalls and bursts besides")
    arguments = parser.parse_args()
    # Nobody else's robot: neither on another machine nor in a domain that is in use.
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    plan = Plan(length=60.0 * arguments.minutes, loss=arguments.loss, wifi=arguments.wifi)
    try:
        findings = soak(plan, lambda text: print(text, file=sys.stderr, flush=True))
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    print(table(findings))
    return 0 if all(finding.is_met for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
