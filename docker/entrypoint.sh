#!/usr/bin/env bash
# Run a command with ROS 2 and the driver sourced; it replaces this script, and gets the signals.
set -eo pipefail
# shellcheck disable=SC1090,SC1091 # made with the image
. "/opt/ros/$ROS_DISTRO/setup.bash"
# shellcheck disable=SC1091
. /opt/cozmo_driver/setup.bash
exec "$@"
