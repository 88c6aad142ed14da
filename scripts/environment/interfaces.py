"""Generate and compile an interface package beside the wheels' ROS 2, for Python alone.

    python interfaces.py PACKAGE_FOLDER BUILD_FOLDER INSTALL_PREFIX

rosidl's own generators write the code. What other languages would need (C++, headers, CMake files)
is left out, and everything is linked into one library, the extension that rclpy loads.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy
import rosidl_parser.parser
from rosidl_adapter import convert_to_idl
from rosidl_parser.definition import IdlLocator

KINDS = ("msg", "srv", "action")
PREFIX = Path(sys.prefix)
# With more, less is put together.
CORES = min(len(os.sched_getaffinity(0)), 8)

DESCRIPTIONS = "rosidl_generator_type_description"
C = "rosidl_generator_c"
FASTRTPS = "rosidl_typesupport_fastrtps_c"
INTROSPECTION = "rosidl_typesupport_introspection_c"
DISPATCH = "rosidl_typesupport_c"
PYTHON = "rosidl_generator_py"
# Module, function and further arguments.
GENERATORS: dict[str, tuple[Any, ...]] = {
    DESCRIPTIONS: (DESCRIPTIONS, "generate_type_hash"),
    C: (C, "generate_c"),
    FASTRTPS: (FASTRTPS, "generate_typesupport_fastrtps_c"),
    INTROSPECTION: (INTROSPECTION, "generate_c"),
    DISPATCH: (DISPATCH, "generate_c", [FASTRTPS, INTROSPECTION]),
    PYTHON: ("rosidl_generator_py.generate_py_impl", "generate_py", [DISPATCH]),
}
# In a debug build a field of the wrong Python type aborts the process.
FLAGS = ("-O1", "-DNDEBUG", "-fPIC", "-w")
RUNTIME = ("rosidl_runtime_c", DISPATCH, FASTRTPS, INTROSPECTION)
RUNTIME += ("rosidl_typesupport_fastrtps_cpp", "fastcdr")


def known_packages() -> list[str]:
    """Interface packages of the wheels."""
    return sorted(os.listdir(PREFIX / "share/ament_index/resource_index/rosidl_interfaces"))


class Package:
    """An interface package, and the folder its code is generated in."""

    def __init__(self, folder: Path, build: Path) -> None:
        self.name = folder.name
        self.folder = folder
        self.build = build
        self.flags = build / "flags"
        self.sources = [path for kind in KINDS for path in sorted(folder.glob(f"{kind}/*.{kind}"))]

    def read(self, source: Path) -> tuple[Path, Any]:
        """Make an IDL file of a source; return its path and what is in it."""
        relative = source.relative_to(self.folder)
        convert_to_idl(self.folder, self.name, relative, self.build / "idl")
        locator = IdlLocator(self.build / "idl", relative.with_suffix(".idl"))
        return locator.get_absolute_path(), rosidl_parser.parser.parse_idl_file(locator)

    def generate(self, task: tuple[str, Sequence[Path]]) -> None:
        """Write a generator's code for some of the sources."""
        generator, sources = task
        paths = [path.relative_to(self.folder).with_suffix(".idl") for path in sources]
        described = self.build / DESCRIPTIONS / self.name
        arguments = {
            "package_name": self.name,
            "output_dir": str(self.build / generator / self.name),
            "template_dir": str(PREFIX / "share" / generator / "resource"),
            "idl_tuples": [f"{self.build / 'idl'}:{path}" for path in paths],
            "ros_interface_files": [str(path) for path in sources],
            "type_description_tuples": [
                f"{path}:{described / path.with_suffix('.json')}" for path in paths
            ],
            "include_paths": [f"{name}:{PREFIX / 'share' / name}" for name in known_packages()],
            "target_dependencies": [],
        }
        file = self.build / f"{generator}-{sources[0].stem}.json"
        file.write_text(json.dumps(arguments))
        module, function, *further = GENERATORS[generator]
        getattr(importlib.import_module(module), function)(str(file), *further)

    def write_visibility(self, generator: str) -> None:
        """Write the header that CMake would make of a template, if the generator has one."""
        name = f"{generator}__visibility_control.h"
        template = PREFIX / "share" / generator / "resource" / f"{name}.in"
        if not template.exists():
            return
        text = template.read_text()
        for key, value in (("NAME", self.name), ("NAME_UPPER", self.name.upper())):
            text = text.replace(f"@PROJECT_{key}@", value)
        target = self.build / generator / self.name / "msg" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def units(self) -> list[Path]:
        """What to compile, the longest first. Files are put together: that takes a tenth."""
        found = []
        for name, pattern in (
            ("serialization.cpp", f"{FASTRTPS}/**/*.cpp"),
            ("functions.c", f"{C}/**/*__functions.c"),
            ("conversions.c", f"{PYTHON}/**/_*_s.c"),
            ("introspection.c", f"{INTROSPECTION}/**/*.c"),
            ("dispatch.cpp", f"{DISPATCH}/**/*.cpp"),
        ):
            for number, files in enumerate(split(sorted(self.build.glob(pattern)))):
                found.append(self.build / f"{number}_{name}")
                found[-1].write_text("".join(f'#include "{file}"\n' for file in files))
        # Except for these, which have variables of the same names.
        found += self.build.glob(f"{C}/**/*__description.c")
        found += self.build.glob(f"{C}/**/*__type_support.c")
        return [*found, *self.build.glob(f"{PYTHON}/**/*.ep.*.c")]

    def write_flags(self) -> None:
        """Write the compilers' options."""
        folders = [self.build / generator for generator in (C, FASTRTPS, INTROSPECTION, PYTHON)]
        folders += [PREFIX / "include", *(PREFIX / "include").glob("*/")]
        folders += [Path(numpy.get_include()), Path(sysconfig.get_path("include"))]
        included = [f'"-I{folder}"' for folder in folders]
        self.flags.write_text("\n".join([*FLAGS, *included]))

    def compile(self, unit: Path) -> Path:
        """Compile a unit; return the object file."""
        target = Path(f"{unit}.o")
        compiler = "c++" if unit.suffix == ".cpp" else "cc"
        subprocess.run([compiler, f"@{self.flags}", "-c", unit, "-o", target], check=True)
        return target

    def install(self, objects: Sequence[Path], prefix: Path) -> None:
        """Put the Python package and the files that describe it below a prefix."""
        shared = prefix / "share" / self.name
        for folder in (self.build / "idl", self.build / DESCRIPTIONS / self.name):
            shutil.copytree(folder, shared, dirs_exist_ok=True)
        for source in self.sources:
            shutil.copy(source, shared / source.parent.name)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        target = prefix / "lib" / version / "site-packages" / self.name
        ignored = shutil.ignore_patterns("*.c", "*.o")
        shutil.copytree(self.build / PYTHON / self.name, target, ignore=ignored)
        (target / "__init__.py").touch()
        parts = (C, FASTRTPS, INTROSPECTION, DISPATCH, PYTHON)
        names = [f"{name}__{part}" for name in known_packages() for part in parts]
        libraries = [f"-l{name}" for name in (*names, *RUNTIME)]
        extension = target / f"{self.name}_s__{DISPATCH}.so"
        command = ["c++", "-shared", *objects, f"-L{PREFIX / 'lib'}", "-Wl,--as-needed"]
        subprocess.run([*command, *libraries, "-o", extension], check=True)
        for part in (FASTRTPS, INTROSPECTION):
            # What is dispatched to is looked for by these names.
            (prefix / "lib" / f"lib{self.name}__{part}.so").symlink_to(extension)


def split(files: Sequence[Path]) -> list[Sequence[Path]]:
    """The files in as many parts as there are cores."""
    return [files[start::CORES] for start in range(min(CORES, len(files)))]


def spread(
    stage: int, what: str, function: Callable[[Any], Any], tasks: Sequence[Any]
) -> list[Any]:
    """Results of a function for every task, on all cores, as one of three stages."""
    results = []
    with get_context("fork").Pool(CORES) as pool:
        for result in pool.imap(function, tasks):
            results.append(result)
            percent = 100 * (stage + len(results) / len(tasks)) / 3
            print(f"{percent:.0f}% {what}", flush=True)
    return results


def main(folder: Path, build: Path, prefix: Path) -> None:
    """Build a package."""
    package = Package(folder, build)
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)
    parsed = dict(spread(0, "reading the interfaces", package.read, package.sources))
    # Every generator would parse every file anew.
    rosidl_parser.parser.parse_idl_file = lambda locator: parsed[locator.get_absolute_path()]
    package.generate((DESCRIPTIONS, package.sources))
    tasks: list[tuple[str, Sequence[Path]]] = [(PYTHON, package.sources)]
    for generator in (C, FASTRTPS, INTROSPECTION, DISPATCH):
        package.write_visibility(generator)
        tasks += [(generator, part) for part in split(package.sources)]
    package.write_flags()
    spread(1, "generating code", package.generate, tasks)
    objects = spread(2, "compiling", package.compile, package.units())
    package.install(objects, prefix)


if __name__ == "__main__":
    main(*(Path(word).resolve() for word in sys.argv[1:]))
