"""The messages as the specification lists them, written down apart from the declaration (spec 02).

Columns: tag, name, direction (engine to robot or robot to engine), delivery, size in bytes without
the tag (the least one if there is a tail), fixed fields as a ``struct`` format, tail as length and
element codes (``s`` for bytes).
"""

from __future__ import annotations

from typing import NamedTuple

_TABLE = """
0x01 AdjustTimestamp              e2r reliable     4 I                                        -
0x02 BackpackSetLayer             e2r reliable     1 B                                        -
0x03 BackpackLightsMiddle         e2r reliable    31 HH4BhHH4BhHH4BhB                         -
0x04 CubeLights                   e2r reliable    40 HH4BhHH4BhHH4BhHH4Bh                     -
0x05 SetPropSlot                  e2r reliable     5 IB                                       -
0x06 KillBodyCode                 e2r reliable     0 -                                        -
0x07 SetBodyRadioMode             e2r reliable     2 bB                                       -
0x08 StreamObjectAccel            e2r reliable     5 I?                                       -
0x0A SetAccessoryDiscovery        e2r reliable     1 ?                                        -
0x0B SetHeadlight                 e2r reliable     1 ?                                        -
0x0C SetCubeGamma                 e2r reliable     1 B                                        -
0x0D BodyEnterOTA                 e2r reliable     0 -                                        -
0x0E ReadBodyStorage              e2r reliable     2 BB                                       -
0x0F WriteBodyStorage             e2r reliable     2 B                                        B*s
0x10 CubeID                       e2r reliable     5 IB                                       -
0x11 BackpackLightsTurnSignals    e2r reliable    21 HH4BhHH4BhB                              -
0x12 SendDTMCommand               e2r reliable    16 4I                                       -
0x24 GetBodySerialNumber          e2r reliable     0 -                                        -
0x25 GetManufacturingInfo         e2r reliable     0 -                                        -
0x26 BleSendData                  e2r reliable    17 B16s                                     -
0x27 BleDisconnect                e2r reliable     4 I                                        -
0x30 EnterRecoveryMode            e2r reliable     1 B                                        -
0x32 DriveWheels                  e2r reliable    16 4f                                       -
0x33 DriveWheelsCurvature         e2r reliable    10 ffh                                      -
0x34 MoveLift                     e2r reliable     4 f                                        -
0x35 MoveHead                     e2r reliable     4 f                                        -
0x36 SetLiftHeight                e2r reliable    17 4fB                                      -
0x37 SetHeadAngle                 e2r reliable    17 4fB                                      -
0x38 HeadAngleUpdate              e2r reliable     4 f                                        -
0x39 SetBodyAngle                 e2r reliable    20 4fH?B                                    -
0x3A TurnInPlaceAtSpeed           e2r reliable     8 ff                                       -
0x3B StopAllMotors                e2r reliable     0 -                                        -
0x3C ClearPath                    e2r reliable     2 H                                        -
0x3D AppendPathSegmentLine        e2r reliable    28 7f                                       -
0x3E AppendPathSegmentArc         e2r reliable    32 8f                                       -
0x3F AppendPathSegmentPointTurn   e2r reliable    29 7f?                                      -
0x40 TrimPath                     e2r reliable     2 BB                                       -
0x41 ExecutePath                  e2r reliable     3 H?                                       -
0x42 DockWithObject               e2r reliable    21 I3fB?BB?                                 -
0x43 AbortDocking                 e2r reliable     0 -                                        -
0x44 PlaceObjectOnGround          e2r reliable    25 6f?                                      -
0x45 AbsoluteLocalizationUpdate   e2r reliable    24 3I3f                                     -
0x46 StartControllerTestMode      e2r reliable    13 3iB                                      -
0x47 ControllerGains              e2r reliable    17 4fB                                      -
0x48 DockingErrorSignal           e2r reliable    22 I4f??                                    -
0x49 CarryStateUpdate             e2r reliable     1 B                                        -
0x4A IMURequest                   e2r reliable     4 I                                        -
0x4B SyncTime                     e2r reliable     8 If                                       -
0x4C ImageRequest                 e2r reliable     2 Bb                                       -
0x4D FlashObjectIDs               e2r reliable     4 I                                        -
0x4E ObjectBeingCarried           e2r reliable     5 I?                                       -
0x4F CheckLiftLoad                e2r reliable     0 -                                        -
0x50 EnableMotorPower             e2r reliable     2 B?                                       -
0x51 SetMotionModelParams         e2r reliable     4 f                                        -
0x52 EnterSleepMode               e2r reliable     0 -                                        -
0x53 PowerState                   e2r reliable    17 3iB??b?                                  -
0x54 SetCliffDetectThreshold      e2r reliable     2 H                                        -
0x55 EnableReadToolCodeMode       e2r reliable     9 ff?                                      -
0x57 SetCameraParams              e2r reliable     7 fH?                                      -
0x58 StartMotorCalibration        e2r reliable     2 ??                                       -
0x59 RollActionParams             e2r reliable    20 3fIf                                     -
0x5A CameraFOVInfo                e2r reliable     8 ff                                       -
0x60 EnableStopOnCliff            e2r reliable     1 ?                                        -
0x61 ForceDelocalizeSimulatedRobot e2r reliable     0 -                                        -
0x62 ObjectConnectionStateToRobot e2r reliable    13 IIi?                                     -
0x63 EnableBraceWhenFalling       e2r reliable     1 ?                                        -
0x64 SetAudioVolume               e2r reliable     2 H                                        -
0x65 GenerateTestTone             e2r reliable     0 -                                        -
0x66 EnableColorImages            e2r reliable     1 ?                                        -
0x80 RequestCrashReports          e2r reliable     4 I                                        -
0x81 NVCommand                    e2r reliable    12 IiBB                                     H*s
0x82 EnableWiFiTelemetry          e2r reliable     0 -                                        -
0x86 BleConnectionState           e2r reliable     4 I                                        -
0x87 BleDataReceived              e2r reliable    17 B16s                                     -
0x89 DebugSetRTTO                 e2r reliable     2 H                                        -
0x8D AbortAnimation               e2r reliable     0 -                                        -
0x8E AudioSample                  e2r reliable   744 744s                                     -
0x8F AudioSilence                 e2r reliable     0 -                                        -
0x91 RecordHeading                e2r reliable     0 -                                        -
0x92 TurnToRecordedHeading        e2r reliable    13 4hHH?                                    -
0x93 HeadAngle                    e2r reliable     3 Hb                                       -
0x94 LiftHeight                   e2r reliable     3 HB                                       -
0x95 Event                        e2r reliable     1 B                                        -
0x96 AnimEventToRTIP              e2r reliable     2 BB                                       -
0x97 FaceImage                    e2r reliable     2 -                                        H*s
0x98 BackpackLights               e2r reliable    10 5H                                       -
0x99 BodyMotion                   e2r reliable     4 hh                                       -
0x9A EndOfAnimation               e2r reliable     0 -                                        -
0x9B StartOfAnimation             e2r reliable     1 B                                        -
0x9D DisableAnimTracks            e2r reliable     1 B                                        -
0x9E EnableAnimTracks             e2r reliable     1 B                                        -
0x9F InitController               e2r reliable     0 -                                        -
0xA0 SetAppRunID                  e2r reliable    16 4I                                       -
0xA1 TestState                    e2r reliable    49 8i6hH3B                                  -
0xA2 EnterFactoryTestMode         e2r reliable     8 Ii                                       -
0xA3 DisplayNumber                e2r reliable     7 I3B                                      -
0xA4 BodyStorageContents          e2r reliable     3 BB                                       B*s
0xA5 BodySerialNumber             e2r reliable     4 I                                        -
0xA9 ShutdownRobot                e2r reliable    32 8I                                       -
0xAA AppConnectConfigString       e2r reliable    17 B16s                                     -
0xAB AppConnectConfigFlags        e2r reliable    17 IIH7B                                    -
0xAC AppConnectConfigIPInfo       e2r reliable    13 3IB                                      -
0xAD AppConnectGetRobotIP         e2r reliable     1 B                                        -
0xAE WiFiOff                      e2r reliable     1 ?                                        -
0xAF OtaWrite                     e2r reliable   1026 H1024s                                   -
0xB0 PrintTrace                   r2e reliable     8 3Hb                                      B*i
0xB1 PrintText                    r2e reliable     2 b                                        B*text
0xB2 MainCycleTimeError           r2e reliable    16 4I                                       -
0xB3 GoalPose                     r2e reliable    21 5f?                                      -
0xB4 ObjectMoved                  r2e reliable    21 II3fB                                    -
0xB5 ObjectStoppedMoving          r2e reliable     8 II                                       -
0xB6 ObjectTapped                 r2e reliable    12 IIBBbb                                   -
0xB7 DataDump                     r2e reliable     5 I                                        B*s
0xB8 PickAndPlaceResult           r2e reliable     7 I?bB                                     -
0xB9 ObjectTappedFiltered         r2e reliable    10 IIBB                                     -
0xBA RampTraverseStart            r2e reliable     4 I                                        -
0xBB RampTraverseComplete         r2e reliable     5 I?                                       -
0xBC BridgeTraverseStart          r2e reliable     4 I                                        -
0xBD BridgeTraverseComplete       r2e reliable     5 I?                                       -
0xBE TimeProfileStat              r2e reliable    10 II?                                      B*text
0xBF IMUDataChunk                 r2e reliable   195 48f3B                                    -
0xC0 CliffEvent                   r2e reliable     6 IB?                                      -
0xC1 PotentialCliff               r2e reliable     0 -                                        -
0xC2 SyncTimeAck                  r2e reliable     0 -                                        -
0xC3 RobotPoked                   r2e reliable     0 -                                        -
0xC4 MotorActionAck               r2e reliable     1 B                                        -
0xC5 MovingLiftPostDock           r2e reliable     1 B                                        -
0xC6 PathFollowingEvent           r2e reliable     3 HB                                       -
0xC7 IMURawDataChunk              r2e reliable    14 6hBB                                     -
0xC8 DefaultCameraParams          r2e reliable    29 ffHH17s                                  -
0xC9 RobotAvailable               r2e reliable     6 IH                                       -
0xCA AnimationStarted             r2e reliable     1 B                                        -
0xCB AnimationEnded               r2e reliable     1 B                                        -
0xCD NVOpResult                   r2e reliable    12 IiBb                                     H*s
0xCE ObjectPowerLevel             r2e reliable     9 IIB                                      -
0xCF CrashReport                  r2e reliable     8 IHB                                      B*I
0xD0 ObjectConnectionState        r2e reliable    13 IIi?                                     -
0xD1 MotorCalibration             r2e reliable     3 B??                                      -
0xD2 FWVersionInfo                r2e reliable    44 3I16s16s                                 -
0xD3 DockingStatus                r2e reliable     5 IB                                       -
0xD4 RobotStopped                 r2e reliable     1 B                                        -
0xD5 AnimationEvent               r2e reliable     6 IBB                                      -
0xD6 FactoryTestParameter         r2e reliable     4 i                                        -
0xD7 ObjectUpAxisChanged          r2e reliable     9 IIB                                      -
0xD8 MotorAutoEnabled             r2e reliable     2 B?                                       -
0xD9 RobotErrorReport             r2e reliable     5 I?                                       -
0xDA LiftLoad                     r2e reliable     1 ?                                        -
0xDB BackpackButton               r2e reliable     1 ?                                        -
0xDC IMUTemperature               r2e reliable     4 f                                        -
0xDD FallingStarted               r2e reliable     4 I                                        -
0xDE FallingStopped               r2e reliable    12 IIf                                      -
0xEC WiFiFlashID                  r2e reliable     4 I                                        -
0xED ManufacturingID              r2e reliable    12 IIi                                      -
0xEE FirmwareVersion              r2e reliable     4 H                                        H*text
0xEF OtaAck                       r2e reliable     7 IHB                                      -
0xF0 RobotState                   r2e unreliable  91 3I16fI5Hb                                -
0xF1 AnimationState               r2e unreliable  15 Iii3B                                    -
0xF2 ImageChunk                   r2e unreliable  20 IIiBbBBh                                 H*s
0xF3 ObjectAvailable              r2e unreliable   9 Iib                                      -
0xF4 ImageImuData                 r2e unreliable  17 I3fB                                     -
0xF5 ObjectAccel                  r2e unreliable  20 II3f                                     -
"""


class Expected(NamedTuple):
    """What the specification says of one message."""

    tag: int
    name: str
    to_robot: bool
    reliable: bool
    size: int
    layout: str
    tail: str | None


def _parse(line: str) -> Expected:
    tag, name, direction, delivery, size, layout, tail = line.split()
    return Expected(
        int(tag, 16),
        name,
        direction == "e2r",
        delivery == "reliable",
        int(size),
        layout.strip("-"),
        None if tail == "-" else tail,
    )


EXPECTED = [_parse(line) for line in _TABLE.strip().splitlines()]
