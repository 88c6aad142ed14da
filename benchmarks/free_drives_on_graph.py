"""The drives of ``benchmarks.free_drives`` through a driver node and ``cmd_vel``."""

from __future__ import annotations

import asyncio
import re
import time

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry

from benchmarks.free_drives import LEAST_WAY, PAUSE, PERIOD, drives, main, peer
from cozmo_interfaces.msg import ConnectionState, RobotEvent
from test.nodes.graph import LATCHED, running_driver, running_graph


def drive_about_on_graph(scale: float, count: int, seed: int) -> list[str]:
    """Drive about by ``cmd_vel``; return the drives cut short, and complaints of the driver."""
    cut = []
    with (
        peer(scale, seed) as port,
        running_graph() as graph,
        running_driver(port, graph.namespace, stop_on_bump=True) as driver,
    ):
        states = graph.listen(ConnectionState, "connection_state", LATCHED)
        states.wait_for(lambda message: message.state == ConnectionState.CONNECTED)
        events, odometry = graph.listen(RobotEvent, "events"), graph.listen(Odometry, "odom")
        publisher, command = graph.publisher(Twist, "cmd_vel"), Twist()
        odometry.collect(1)
        for drive in drives(count, seed):
            events.clear()
            odometry.clear()
            for linear, angular, seconds in (*drive.legs, (0.0, 0.0, PAUSE)):
                command.linear.x, command.angular.z = linear, angular
                for _ in range(round(seconds / PERIOD)):
                    publisher.publish(command)
                    time.sleep(PERIOD)
            faults = [event.description for event in events.messages]
            twists = [odom.twist.twist for odom in odometry.messages]
            if sum(abs(t.linear.x) + abs(t.angular.z) for t in twists) * 0.03 < LEAST_WAY:
                faults.append("it did not move")
            if faults:
                cut.append(f"{drive.name}: {', '.join(faults)}")
        complaints = re.findall(r"[^\n]*(?:stopped: the |refused)[^\n]*", driver.log)
    return cut + complaints


async def _in_thread(scale: float, count: int, seed: int) -> list[str]:
    return await asyncio.to_thread(drive_about_on_graph, scale, count, seed)


if __name__ == "__main__":
    main(_in_thread)
