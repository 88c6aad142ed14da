"""Side by side with PyCozmo 0.8.0, in one run; ``python -m benchmarks`` prints ratios."""

import os

DOMAIN = os.environ.get("BENCH_DOMAIN_ID", "217")
"""The ROS domain: none of the tests (1 to 101), with ports that Linux gives to nobody else."""
