# The driver in a container: docs/containers.md.
ARG ROS_DISTRO=jazzy

FROM ros:${ROS_DISTRO} AS base
SHELL ["/bin/bash", "-eo", "pipefail", "-c"]
WORKDIR /workspace/src/cozmo_driver
# Alone, so that only a change of what is needed installs it anew.
COPY package.xml ./
COPY cozmo_interfaces/package.xml cozmo_interfaces/
COPY cozmo_description/package.xml cozmo_description/
COPY scripts/requirements/pypi.txt scripts/requirements/
# What needs a screen stays away; so does mcp, which replaces packages of the system. No versions: the distribution has one of each.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends espeak-ng opencv-data python3-pip \
    && rosdep update --rosdistro "$ROS_DISTRO" \
    && rosdep install --from-paths . cozmo_interfaces cozmo_description --ignore-src --default-yes \
        --dependency-types exec --skip-keys "joint_state_publisher_gui rviz2" \
    && python3 -m pip install --break-system-packages --no-cache-dir \
        --constraint scripts/requirements/pypi.txt dpkt mcap mido soxr \
    && rm -rf /var/lib/apt/lists/* /root/.ros

FROM base AS build
RUN apt-get update \
    && rosdep update --rosdistro "$ROS_DISTRO" \
    && rosdep install --from-paths . cozmo_interfaces cozmo_description --ignore-src --default-yes \
        --dependency-types buildtool --dependency-types build \
    && rm -rf /var/lib/apt/lists/*
COPY . .
WORKDIR /workspace
RUN source "/opt/ros/$ROS_DISTRO/setup.bash" \
    && colcon build --install-base /opt/cozmo_driver \
        --base-paths src/cozmo_driver src/cozmo_driver/cozmo_interfaces src/cozmo_driver/cozmo_description \
        --cmake-args -DCMAKE_BUILD_TYPE=Release

FROM base
# Folders that a volume is mounted on must belong to the user, and those above them are root's.
RUN useradd --create-home --uid 1001 cozmo \
    && install --directory --owner cozmo --group cozmo \
        /home/cozmo/.local/share /home/cozmo/.local/state /home/cozmo/.ros
COPY --from=build /opt/cozmo_driver /opt/cozmo_driver
COPY docker/entrypoint.sh /usr/local/bin/cozmo-entrypoint
USER 1001
WORKDIR /home/cozmo
# To every program, as by Ctrl-C: at SIGTERM ros2 launch leaves the driver to be killed, which leaves the robot driving, and
# ros2 run passes no signal on.
STOPSIGNAL SIGINT
ENV TINI_KILL_PROCESS_GROUP=1
ENTRYPOINT ["cozmo-entrypoint"]
CMD ["ros2", "launch", "cozmo_driver", "cozmo.launch.py"]
