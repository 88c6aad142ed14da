"""What old programs pay for their façade: latency of a call, and CPU of a program that idles.

``python -m benchmarks facades``. Programs, run by ``cozmo run``, send numbered commands by their
façade and by our own API in turn; the robot, in its own process, tells when each arrived.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .commands import COUNT, RobotProcess
from .rows import Row, limit_row

_IDLE = 10.0
_LATENCY, _CPU = 5.0, 3.0
"""ms that a façade may add, and % of a core that an idle program may take."""
_PACED = f"""
import json, time
from cozmo_driver.compat.engine import _open_engines
from cozmo_driver.protocol import messages
def paced(send):
    [engine] = _open_engines
    handed_over = []
    for value in range({2 * COUNT}):
        time.sleep(0.02)
        handed_over.append(time.monotonic())
        if value % 2:
            engine.thread.post(engine.robot.session.send, messages.SetAudioVolume(value))
        else:
            send(value)
    time.sleep(1.0)
    print(json.dumps(handed_over), flush=True)
"""
_CALLS = {
    "SDK, plain": """
import cozmo
cozmo.run_program(lambda robot: paced(lambda value: robot.set_robot_volume(value / 65535)))
""",
    "SDK, async": """
import cozmo
async def main(robot):
    paced(lambda value: robot.set_robot_volume(value / 65535))
cozmo.run_program(main)
""",
    "PyCozmo": """
import pycozmo
with pycozmo.connect() as robot:
    paced(robot.set_volume)
""",
}
_USED = f"""
import json, time
def used():
    time.sleep(4.0)
    cpu, begun = time.process_time(), time.monotonic()
    time.sleep({_IDLE})
    print(json.dumps((time.process_time() - cpu) / (time.monotonic() - begun)), flush=True)
"""
_IDLES = {
    "SDK": "import cozmo\ncozmo.run_program(lambda robot: used())\n",
    "PyCozmo": "import pycozmo\nwith pycozmo.connect():\n    used()\n",
}
_PEER = """
import pycozmo
client = pycozmo.Client(robot_addr=("127.0.0.1", {port}))
client.start()
client.connect()
client.wait_for_robot()
used()
client.disconnect()
client.stop()
"""


def _said_by(program: str, robot: RobotProcess | None = None) -> Any:
    """Run a program, by ``cozmo run`` with this robot if any; return the JSON that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(program)
        command = [sys.executable]
        if robot is not None:
            command += ["-m", "cozmo_driver.cli.main", "run", "--no-pictures"]
            command += ["--robot", f"127.0.0.1:{robot.port}"]
        done = subprocess.run(
            [*command, str(file)],
            stdout=subprocess.PIPE,
            text=True,
            timeout=90,
            check=True,
        )
    return json.loads(done.stdout.splitlines()[-1])


def added(program: str) -> tuple[float, float]:
    """Return what a façade adds to our own API's median and 95 % of calls, ms to the wire."""
    with RobotProcess() as robot:
        handed_over = _said_by(_PACED + program, robot)
    arrivals = robot.seen["arrivals"]
    times = [(arrivals[str(value)] - at) * 1000.0 for value, at in enumerate(handed_over)]
    theirs, own = (statistics.quantiles(times[first::2], n=20) for first in (0, 1))
    return theirs[9] - own[9], theirs[18] - own[18]


def cpu_of_idle(program: str) -> float:
    """Return % of a core."""
    with RobotProcess() as robot:
        return float(_said_by(_USED + program, robot)) * 100.0


def cpu_of_peer() -> float:
    """Return % of a core that PyCozmo's own client takes."""
    with RobotProcess() as robot:
        return float(_said_by(_USED + _PEER.format(port=robot.port))) * 100.0


def rows() -> list[Row]:
    """Measure and return the rows of this section."""
    result = []
    for name, program in _CALLS.items():
        for share, more in zip(("p50", "p95"), added(program), strict=True):
            work = f"a call of an old program ({name}), added to our own API's {share}"
            result.append(limit_row(work, None, more, _LATENCY, "ms"))
    for name, program in _IDLES.items():
        work = f"CPU of an old program ({name}) that idles"
        peer = cpu_of_peer() if name == "PyCozmo" else None
        result.append(limit_row(work, peer, cpu_of_idle(program), _CPU, "%"))
    return result
