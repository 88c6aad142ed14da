"""Enumerations and bit masks of the wire (spec 02).

Messages hold plain ints, so that values unknown here survive decoding and encoding.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag


class AnimEvent(IntEnum):
    """Ids carried by the Event keyframe (0x95) and echoed in 0xD5."""

    DEVICE_AUDIO_TRIGGER = 0
    ENERGY_DRAINCUBE_END = 1
    TAPPED_BLOCK = 2


class AnimTrackFlag(IntFlag):
    """Bit mask; after InitController the robot reports 0xFF [H]."""

    HEAD = 0x1
    LIFT = 0x2
    BODY = 0x4
    FACE_IMAGE = 0x8
    EVENT = 0x10
    BACKPACK_LIGHTS = 0x20
    AUDIO = 0x40
    ALL = 0xFF


class BackpackLayer(IntEnum):
    USER = 0
    ANIMATION = 1
    IMPULSE = 2


class BlockStatus(IntEnum):
    NO_BLOCK = 0
    BLOCK_PLACED = 1
    BLOCK_PICKED_UP = 2


class BluetoothConnectionState(IntEnum):
    BLE_CONNECTED = 0
    BLE_DISCONNECTED_NORMALLY = 1
    BLE_CANNOT_CONFIGURE_CONN_PARAMS = 2


class BodyColor(IntEnum):
    """Engine accepts 0, 2, 3, 4 as real colours [E]."""

    UNKNOWN = -1
    WHITE_V10 = 0
    RESERVED = 1
    WHITE_V15 = 2
    CE_LM_V15 = 3
    LE_BL_V16 = 4
    DEV = 5


class BodyRadioMode(IntEnum):
    """Accessory (1) is the normal connected mode."""

    BLUETOOTH_OPERATING_MODE = 0
    ACCESSORY_OPERATING_MODE = 1
    LOW_POWER_OPERATING_MODE = 2
    FORCE_RECOVERY = 3
    STARTUP = 4
    DTM_OPERATING_MODE = 32
    OTA_MODE = 64
    BATTERY_CHARGE_TEST_MODE = 120


class CarryState(IntEnum):
    NONE = 0
    ONE_BLOCK = 1
    TWO_BLOCKS = 2


class ControllerChannel(IntEnum):
    CONTROLLER_WHEEL = 0
    CONTROLLER_HEAD = 1
    CONTROLLER_LIFT = 2
    CONTROLLER_STEERING = 3
    CONTROLLER_POINT_TURN = 4


class DockingMethod(IntEnum):
    """What the robot does with error signals once it drives [F]."""

    BLIND = 0
    TRACKER = 1
    HYBRID = 2
    EVEN_BLINDER = 3


class DockAction(IntEnum):
    PICKUP_LOW = 0
    PICKUP_HIGH = 1
    PLACE_HIGH = 2
    PLACE_LOW = 3
    PLACE_LOW_BLIND = 4
    ROLL_LOW = 5
    DEEP_ROLL_LOW = 6
    POST_DOCK_ROLL = 7
    FACE_PLANT = 8
    POP_A_WHEELIE = 9
    ALIGN = 10
    ALIGN_SPECIAL = 11
    RAMP_ASCEND = 12
    RAMP_DESCEND = 13
    CROSS_BRIDGE = 14


class ImageEncoding(IntEnum):
    """Only 8 has been seen on the wire [H]."""

    NONE_IMAGE_ENCODING = 0
    RAW_GRAY = 1
    RAW_RGB = 2
    YUYV = 3
    BAYER = 4
    JPEG_GRAY = 5
    JPEG_COLOR = 6
    JPEG_COLOR_HALF_WIDTH = 7
    JPEG_MINIMIZED_GRAY = 8
    JPEG_MINIMIZED_COLOR = 9


class ImageResolution(IntEnum):
    """Only QVGA (320x240) is produced [H]."""

    VERIFICATION_SNAPSHOT = 0
    QQQQVGA = 1
    QQQVGA = 2
    QQVGA = 3
    QVGA = 4
    CVGA = 5
    VGA = 6
    SVGA = 7
    XGA = 8
    SXGA = 9
    UXGA = 10
    QXGA = 11
    QUXGA = 12
    IMAGE_RESOLUTION_NONE = 14


class ImageSendMode(IntEnum):
    OFF = 0
    STREAM = 1
    SINGLE_SHOT = 2


class MotorID(IntEnum):
    LEFT_WHEEL = 0
    RIGHT_WHEEL = 1
    LIFT = 2
    HEAD = 3
    COUNT = 4


class NVEntryTag(IntEnum):
    """PyCozmo: NvEntryTag."""

    GAME_SKILL_LEVELS = 0x180000
    ONBOARDING_DATA = 0x181000
    GAME_UNLOCKS = 0x182000
    FACE_ENROLL_DATA = 0x183000
    FACE_ALBUM_DATA = 0x184000
    NURTURE_GAME_DATA = 0x194000
    INVENTORY_DATA = 0x195000
    LAB_ASSIGNMENTS = 0x196000
    SAVED_CUBE_I_DS = 0x197000
    NEXT_SLOT = 0x198000
    FACTORY_RESERVED1 = 0x1C0000
    FACTORY_RESERVED2 = 0x1DE000
    BIRTH_CERTIFICATE = 0x80000000
    CAMERA_CALIB = 0x80000001
    TOOL_CODE_INFO = 0x80000002
    CALIB_POSE = 0x80000003
    CALIB_META_INFO = 0x80000004
    OBSERVED_CUBE_POSE = 0x80000005
    IMU_INFO = 0x80000006
    CLIFF_VAL_ON_DROP = 0x80000007
    CLIFF_VAL_ON_GROUND = 0x80000008
    PLAYPEN_TEST_RESULTS = 0x80000010
    FACTORY_LOCK = 0x80000011
    VERSION_MAGIC = 0x80000012
    CALIB_IMAGE1 = 0x80010000
    CALIB_IMAGE2 = 0x80020000
    CALIB_IMAGE3 = 0x80030000
    CALIB_IMAGE4 = 0x80040000
    CALIB_IMAGE5 = 0x80050000
    CALIB_IMAGE6 = 0x80060000
    TOOL_CODE_IMAGE_LEFT = 0x80100000
    TOOL_CODE_IMAGE_RIGHT = 0x80110000
    PRE_PLAYPEN_RESULTS = 0xC0000000
    PRE_PLAYPEN_CENTROIDS = 0xC0000001
    IMU_AVERAGES = 0xC0000004
    FACTORY_BASE_TAG = 0xDE000
    FACTORY_BASE_TAG_WITH_BC_OFFSET = 0xDE030
    INVALID = 0xFFFFFFFF


class NVOperation(IntEnum):
    """PyCozmo: NvOperation."""

    READ = 0
    WRITE = 1
    ERASE = 2
    WIPEALL = 3


class NVResult(IntEnum):
    """PyCozmo: NvResult; 4..8 exist only in PyCozmo."""

    OKAY = 0
    SCHEDULED = 1
    NO_DO = 2
    MORE = 3
    UNKNOWN_4 = 4
    UNKNOWN_5 = 5
    UNKNOWN_6 = 6
    UNKNOWN_7 = 7
    UNKNOWN_8 = 8
    NOT_FOUND = -1
    NO_ROOM = -2
    ERROR = -3
    TIMEOUT = -4
    BUSY = -5
    BAD_ARGS = -6
    NO_MEM = -7
    LOOP = -8
    CORRUPT = -9


class ObjectType(IntEnum):
    INVALID_OBJECT = -1
    UNKNOWN_OBJECT = 0
    BLOCK_LIGHTCUBE1 = 1
    BLOCK_LIGHTCUBE2 = 2
    BLOCK_LIGHTCUBE3 = 3
    BLOCK_LIGHTCUBE_GHOST = 4
    FLAT_MAT_GEARS_4X4 = 5
    FLAT_MAT_LETTERS_4X4 = 6
    FLAT_MAT_ANKI_LOGO_8_BIT = 7
    FLAT_MAT_LAVA_PLAYTEST = 8
    PLATFORM_LARGE = 9
    BRIDGE_LONG = 10
    BRIDGE_SHORT = 11
    RAMP_BASIC = 12
    CHARGER_BASIC = 13
    PROX_OBSTACLE = 14
    CLIFF_DETECTION = 15
    COLLISION_OBSTACLE = 16
    CUSTOM_TYPE00 = 17
    CUSTOM_TYPE01 = 18
    CUSTOM_TYPE02 = 19
    CUSTOM_TYPE03 = 20
    CUSTOM_TYPE04 = 21
    CUSTOM_TYPE05 = 22
    CUSTOM_TYPE06 = 23
    CUSTOM_TYPE07 = 24
    CUSTOM_TYPE08 = 25
    CUSTOM_TYPE09 = 26
    CUSTOM_TYPE10 = 27
    CUSTOM_TYPE11 = 28
    CUSTOM_TYPE12 = 29
    CUSTOM_TYPE13 = 30
    CUSTOM_TYPE14 = 31
    CUSTOM_TYPE15 = 32
    CUSTOM_TYPE16 = 33
    CUSTOM_TYPE17 = 34
    CUSTOM_TYPE18 = 35
    CUSTOM_TYPE19 = 36
    CUSTOM_FIXED_OBSTACLE = 37


class PathEventType(IntEnum):
    STARTED = 0
    INTERRUPTED = 1
    COMPLETED = 2


class PayloadFlags(IntFlag):
    """Bit mask in BLE Frame.flags."""

    START_OF_MESSAGE = 0x1
    END_OF_MESSAGE = 0x2
    MESSAGE_ENCRYPTED = 0x4


class RobotErrorCode(IntEnum):
    """Shortened labels."""

    CRASH_REPORT = 0
    I2_SPI_TMD = 1
    RELIABLE_TRANSPORT = 2
    I2_SPI_SYNC = 3
    I2_SPI_LOST = 4
    NO_K02 = 5


class RobotStatusFlag(IntFlag):
    """Bit mask; the firmware snapshot never sets 0x40, 0x400, 0x800 [F]."""

    NONE_ROBOT_STATUS_FLAG = 0x0
    IS_MOVING = 0x1
    IS_CARRYING_BLOCK = 0x2
    IS_PICKING_OR_PLACING = 0x4
    IS_PICKED_UP = 0x8
    IS_BODY_ACC_MODE = 0x10
    IS_FALLING = 0x20
    IS_ANIMATING = 0x40
    IS_PATHING = 0x80
    LIFT_IN_POS = 0x100
    HEAD_IN_POS = 0x200
    IS_ANIM_BUFFER_FULL = 0x400
    IS_ANIMATING_IDLE = 0x800
    IS_ON_CHARGER = 0x1000
    IS_CHARGING = 0x2000
    CLIFF_DETECTED = 0x4000
    ARE_WHEELS_MOVING = 0x8000
    IS_CHARGER_OOS = 0x10000


class TestMode(IntEnum):
    NONE = 0
    PLACE_BLOCK_ON_GROUND = 1
    DOCK_PATH = 2
    PATH_FOLLOW = 3
    PATH_FOLLOW_CONVENIENCE_FUNCTIONS = 4
    DIRECT_DRIVE = 5
    LIFT = 6
    LIFT_TOGGLE = 7
    HEAD = 8
    IMU = 9
    LIGHTS = 10
    STOP_TEST = 11
    MAX_POWER_TEST = 12


class UpAxis(IntEnum):
    X_NEGATIVE = 0
    X_POSITIVE = 1
    Y_NEGATIVE = 2
    Y_POSITIVE = 3
    Z_NEGATIVE = 4
    Z_POSITIVE = 5
    UNKNOWN_AXIS = 7
