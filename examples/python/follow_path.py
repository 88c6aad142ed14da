"""Drive a square: past its corners, with one word of where it is for each piece of the way.

python3 examples/python/follow_path.py --robot 127.0.0.1 --side 0.15
"""

from __future__ import annotations

from argparse import ArgumentParser

from cozmo_driver.robot import PathProgress, PathStyle, Pose2D, Robot, Waypoint, run_program


async def main(robot: Robot, side: float, speed: float) -> None:
    """Drive a square."""
    # Paths are those of the point that the robot turns about, 20 mm behind its origin.
    start = robot.localization.drive_center
    square = (Pose2D(side, 0.0), Pose2D(side, side), Pose2D(0.0, side))
    corners = [Waypoint(corner.x, corner.y) for corner in map(start.compose, square)]
    corners.append(Waypoint(start.x, start.y, start.yaw))
    told = 0

    def tell(progress: PathProgress) -> None:
        nonlocal told
        if progress.segments_completed > told:
            told = progress.segments_completed
            print(f"segment {told} of {progress.segment_count} is done")

    # Where the way shall be other than the planner's, ``paths.follow`` takes lines, arcs and turns.
    end = await robot.paths.follow_poses(corners, PathStyle(speed), on_progress=tell)
    print(f"{end.distance_traveled:.2f} m driven, now at {end.pose}")


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--side", type=float, default=0.15, help="m (default %(default)s)")
    parser.add_argument("--speed", type=float, default=0.1, help="m/s (default %(default)s)")
    run_program(main, parser)
