"""Be a robot: answer whoever connects, as one would, and tell what it is told until Ctrl-C.

python3 examples/python/emulated_robot.py --port 5551
cozmo linktest --robot 127.0.0.1
"""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser

from cozmo_driver.emulator import running_emulator


def main() -> None:
    """Be a robot."""
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=5551, help="default %(default)s, 0: a free one")
    with (
        contextlib.suppress(KeyboardInterrupt),
        running_emulator(port=parser.parse_args().port) as robot,
    ):
        print(f"listening on {robot.host}:{robot.port}", flush=True)
        while True:
            robot.wait_for(lambda now: now.connected, timeout=1e9)
            print("somebody is connected", flush=True)
            state = robot.wait_for(lambda now: not now.connected, timeout=1e9)
            print(f"gone after these messages: {dict(state.received)}", flush=True)


if __name__ == "__main__":
    main()
