"""A disk that hangs and a flood of requests hold up nothing else, the emergency stop least."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import Any

import pytest
from rclpy.client import Client
from rclpy.task import Future
from sensor_msgs.msg import Image
from sensor_msgs.srv import SetCameraInfo
from std_srvs.srv import SetBool, Trigger

from cozmo_driver.emulator import running_emulator
from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.ros.camera_calibration import load
from cozmo_interfaces.action import PlayAudio, UpdateFirmware
from cozmo_interfaces.srv import ConnectCube, NvErase, SetVolume

from ..robot import firmware_files
from ..waiting import wait_until
from .goals import Action
from .graph import DriverProcess, Graph, running_graph

CALIBRATION = Path(__file__).parents[2] / "config" / "camera_default.yaml"
GAMES = NVEntryTag.GAME_UNLOCKS
FLOOD: tuple[tuple[Any, str, dict[str, Any]], ...] = (
    (SetBool, "enable_camera", {"data": True}),
    (SetBool, "set_head_light", {"data": True}),
    (SetVolume, "set_volume", {"volume": 0.5}),
    (ConnectCube, "connect_cube", {"factory_id": 1, "connect": True}),
    (Trigger, "calibrate_motors", {}),
    (Trigger, "connect", {}),
)


def client_of(graph: Graph, kind: Any, name: str) -> Client:
    client = graph.in_executor(lambda: graph.node.create_client(kind, name))
    wait_until(client.service_is_ready, f"nobody offers {name}")
    return client


def send(graph: Graph, client: Client, **fields: Any) -> Future:
    return graph.in_executor(lambda: client.call_async(client.srv_type.Request(**fields)))


@pytest.mark.covers(
    "emergency_stop", "camera/set_camera_info", "nv_erase", "play_audio", "update_firmware"
)
def test_the_robot_stops_while_the_disk_hangs_and_everything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    with wave.open(str(slow / "tone.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22_050)
        file.writeframes(bytes(22_050))
    firmware_files.write(slow / "cozmo.safe", 20_000)
    monkeypatch.setenv("SLOW_FOLDER", str(slow))
    monkeypatch.setenv("ROS_HOME", str(slow))
    with running_emulator(calibration_time=0.0) as emulator, running_graph() as graph:
        emulator.call(lambda firmware: firmware.storage.put(GAMES, b"1234"))
        parameters = {
            "robot_address": "127.0.0.1",
            "robot_port": emulator.port,
            "backup_directory": slow,
            "allow_nv_write": True,
        }
        driver = DriverProcess(graph.namespace, parameters, tmp_path, "test.nodes.slow_disk_driver")
        try:
            graph.connected()
            set_camera_info = client_of(graph, SetCameraInfo, "camera/set_camera_info")
            nv_erase = client_of(graph, NvErase, "nv_erase")
            flooding = [(client_of(graph, kind, name), fields) for kind, name, fields in FLOOD]
            # The driver, which answers only clients that it knows, knows them in this order.
            graph.listen(Image, "camera/image_raw").wait_for(lambda _: True)
            (slow / "stuck").touch()
            asked = {
                "set_camera_info": send(graph, set_camera_info, camera_info=load(str(CALIBRATION))),
                "nv_erase": send(graph, nv_erase, tag=int(GAMES), confirmation=f"{GAMES:#x}"),
            }
            sound = Action(graph, PlayAudio, "play_audio").send(file=str(slow / "tone.wav"))
            firmware = Action(graph, UpdateFirmware, "update_firmware").send(
                file=str(slow / "cozmo.safe"), is_dry_run=True
            )
            flood = [
                send(graph, client, **fields) for client, fields in flooding for _ in range(10)
            ]
            answer = graph.call(Trigger, "emergency_stop")
            assert answer.success, answer.message
            assert emulator.state().received["StopAllMotors"] >= 1
            assert [name for name, future in asked.items() if future.done()] == []

            (slow / "stuck").unlink()
            for name, future in asked.items():
                wait_until(future.done, f"{name} is not answered")
                assert future.result().success, (name, future.result())
            assert sound.wait()[0] == "succeeded"
            assert firmware.wait()[1].file_version == 2381
            for future in flood:
                wait_until(future.done, "a request is not answered")
            assert driver.stop() == 0
        finally:
            driver.kill()
    assert "DISK:" not in driver.log, driver.log
