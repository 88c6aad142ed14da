"""Side by side with PyCozmo 0.8.0, in one run; ``python -m benchmarks`` prints ratios."""

import atexit
import os
import socket
from pathlib import Path

_claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
atexit.register(_claim.close)


def _free_domain() -> int:
    """Return a ROS domain that no other benchmark has as long as this program runs.

    None of the tests have these (1 to 101), nor does Linux give their ports to anybody else.
    """
    for domain in range(215, 232):
        try:
            _claim.bind(f"\0cozmo_driver_benchmark_domain_{domain}")
        except OSError:
            continue
        return domain
    raise SystemExit("too many benchmarks run at once")


SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Recordings, pictures and an independent robot, beside the checkout of who has them."""
DOMAIN = os.environ.get("BENCH_DOMAIN_ID") or str(_free_domain())
