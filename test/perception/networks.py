"""Networks as small as can be, in ONNX, in place of YuNet and SFace, whose files are not here.

OpenCV runs them as it would run those: same inputs, outputs and shapes. What they find are no
faces: the detector sees a white square of 8 x 8 pixels as the nose of a face, the recogniser
compares where an image is lighter to the left or above.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cozmo_driver.perception.detection.face_models import ModelFile

BOX = (80.0, 96.0)
"""Width and height of what the detector takes for a face around its nose."""
POINTS = ((-20.0, -12.0), (20.0, -12.0), (0.0, 0.0), (-14.0, 24.0), (14.0, 24.0))
"""Eyes, nose and corners of the mouth, from the nose."""
NOSE = 8
"""Pixels of the square, whose corner is at multiples of it."""

_FLOAT, _INT64 = 1, 7


def write_detector(path: Path) -> ModelFile:
    """Write a network that OpenCV's FaceDetectorYN takes for YuNet."""
    nodes, tensors, outputs = [], [], []
    for stride in (8, 16, 32):
        names = {"cls": 1, "obj": 1, "bbox": 4, "kps": 10}
        for kind, count in names.items():
            weights = np.zeros((count, 3, stride, stride))
            bias = np.zeros(count)
            if kind == "cls" and stride == NOSE:
                weights[:], bias[:] = 1 / (3 * stride**2 * 10), -24.0
            elif kind == "obj":
                bias[:] = 1.0
            elif kind == "bbox":
                bias[:] = 0.5, 0.5, *(math.log(side / stride) for side in BOX)
            elif kind == "kps":
                bias[:] = (np.array(POINTS) / stride + 0.5).ravel()
            name = f"{kind}_{stride}"
            tensors += [
                _tensor(f"{name}_w", weights),
                _tensor(f"{name}_b", bias),
                _tensor(f"{name}_s", np.array([1, -1, count])),
            ]
            nodes += [
                _convolution(["input", f"{name}_w", f"{name}_b"], f"{name}_c", stride),
                _node("Transpose", [f"{name}_c"], f"{name}_t", _ints("perm", (0, 2, 3, 1))),
                _node("Reshape", [f"{name}_t", f"{name}_s"], name),
            ]
            outputs.append(_value(name, (1, 256 * 320 // stride**2, count)))
    return _write(path, nodes, tensors, _value("input", (1, 3, 256, 320)), outputs)


def write_recognizer(path: Path, features: int = 128) -> ModelFile:
    """Write a network that OpenCV's FaceRecognizerSF takes for SFace."""
    step = 14
    weights = np.zeros((features // 64, 3, step, step))
    weights[0, :, :, : step // 2], weights[0, :, :, step // 2 :] = 0.01, -0.01
    if len(weights) > 1:
        weights[1, :, : step // 2], weights[1, :, step // 2 :] = 0.01, -0.01
    tensors = [_tensor("w", weights), _tensor("b", np.full(len(weights), 0.01))]
    nodes = [
        _convolution(["data", "w", "b"], "c", step),
        _node("Flatten", ["c"], "fc1", _int("axis", 1)),
    ]
    return _write(
        path, nodes, tensors, _value("data", (1, 3, 112, 112)), [_value("fc1", (1, features))]
    )


def _write(
    path: Path,
    nodes: Sequence[bytes],
    tensors: Sequence[bytes],
    source: bytes,
    outputs: Sequence[bytes],
) -> ModelFile:
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"test")
    graph += b"".join(_field(5, tensor) for tensor in tensors) + _field(11, source)
    graph += b"".join(_field(12, output) for output in outputs)
    data = _field(1, 7) + _field(7, graph) + _field(8, _field(1, b"") + _field(2, 11))
    path.write_bytes(data)
    return model_file(path)


def model_file(path: Path) -> ModelFile:
    """Return what makes a file a known one."""
    data = path.read_bytes()
    return ModelFile(path.name, hashlib.sha256(data).hexdigest(), len(data), "this version")


def _convolution(sources: Sequence[str], target: str, stride: int) -> bytes:
    sizes = [_ints(name, (stride, stride)) for name in ("kernel_shape", "strides")]
    return _node("Conv", sources, target, *sizes)


def _node(operation: str, sources: Sequence[str], target: str, *attributes: bytes) -> bytes:
    node = b"".join(_field(1, name.encode()) for name in sources) + _field(2, target.encode())
    node += _field(3, f"{target}_node".encode()) + _field(4, operation.encode())
    return node + b"".join(_field(5, attribute) for attribute in attributes)


def _ints(name: str, values: Sequence[int]) -> bytes:
    return _field(1, name.encode()) + b"".join(_field(8, v) for v in values) + _field(20, 7)


def _int(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _field(3, value) + _field(20, 2)


def _tensor(name: str, values: npt.NDArray[np.generic]) -> bytes:
    is_whole = np.issubdtype(values.dtype, np.integer)
    data = values.astype("<i8" if is_whole else "<f4").tobytes()
    dimensions = b"".join(_field(1, length) for length in values.shape)
    kind = _INT64 if is_whole else _FLOAT
    return dimensions + _field(2, kind) + _field(8, name.encode()) + _field(9, data)


def _value(name: str, shape: Sequence[int]) -> bytes:
    dimensions = b"".join(_field(1, _field(1, length)) for length in shape)
    tensor = _field(1, _FLOAT) + _field(2, dimensions)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))


def _field(number: int, value: int | bytes) -> bytes:
    """Return a field of a protocol buffer."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes(parts) + struct.pack("B", value)
