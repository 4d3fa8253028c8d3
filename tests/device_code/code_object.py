# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what compilers say of their kernels: AMD code objects (the ELF note), and the log of `ptxas -v`."""
import re
import struct
from dataclasses import dataclass


@dataclass
class Kernel:
    name: str  # mangled
    registers: int  # per thread
    spills: int  # registers of lanes (AMD) or bytes (NVIDIA) that did not fit
    private: int  # bytes of local memory per thread: spilled registers, arrays indexed at run time
    shared: int  # bytes of static shared memory per block
    wave: int  # threads that execute in lockstep
    threads: int = 0  # the largest block size it was compiled for, if the compiler states it
    scalar_spills: int = 0  # AMD's scalar registers that did not fit and are kept in vector lanes


def kernels_of(paths):
    """The kernels of one or several files, whose names a comma separates. Several files may have the same kernel."""
    kernels = {}
    for path in paths.split(","):
        with open(path, "rb") as file:
            data = file.read()
        here = amd_kernels(data) if data[:4] == b"\x7fELF" else ptxas_kernels(data.decode())
        kernels.update((k.name, k) for k in here)
    return list(kernels.values())


def text_of(paths):
    texts = []
    for path in paths.split(","):
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts)


def functions_of(assembly_paths):
    """The text of each function in clang's assembly for AMD GPUs, by its mangled name."""
    text = text_of(assembly_paths)
    return {m[1]: m[2] for m in re.finditer(r"^(_Z\w+):(.*?)^\.Lfunc_end", text, re.MULTILINE | re.DOTALL)}


def waves_of(assembly_paths):
    """The waves that a SIMD unit holds of each kernel, as far as the compiler sees, by its mangled name."""
    text = text_of(assembly_paths)
    return {m[1]: int(m[2]) for m in re.finditer(r"^(_Z\w+):(?:(?!^_Z\w+:).)*?^; Occupancy: (\d+)", text,
                                                 re.MULTILINE | re.DOTALL)}


PTXAS = re.compile(
    r"Compiling entry function '(?P<name>\w+)'.*\n"
    r"(?:ptxas info +: Function properties for .*\n)?"
    r" *(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads\n"
    r".*Used (?P<registers>\d+) registers(?P<rest>.*)")


def ptxas_kernels(log):
    kernels = []
    for m in PTXAS.finditer(log):
        shared = re.search(r"(\d+) bytes smem", m["rest"])
        kernels.append(Kernel(m["name"], int(m["registers"]), int(m["stores"]) + int(m["loads"]), int(m["stack"]),
                              int(shared[1]) if shared else 0, 32))
    # A newer ptxas may change its log format: raise an error instead of finding fewer kernels.
    announced = log.count("Compiling entry function")
    if announced != len(kernels):
        raise ValueError(f"understood {len(kernels)} of the {announced} kernels in the log of ptxas")
    return kernels


NT_AMDGPU_METADATA = 32
SHT_NOTE = 7


def amd_kernels(elf):
    """https://llvm.org/docs/AMDGPUUsage.html#code-object-v3-and-above-metadata"""
    section_table, = struct.unpack_from("<Q", elf, 40)
    entry_size, entries = struct.unpack_from("<HH", elf, 58)
    for i in range(entries):
        header = section_table + i * entry_size
        kind, = struct.unpack_from("<I", elf, header + 4)
        offset, size = struct.unpack_from("<QQ", elf, header + 24)
        if kind != SHT_NOTE:
            continue
        for note, content in notes(elf[offset:offset + size]):
            if note == NT_AMDGPU_METADATA:
                return [Kernel(k[".name"], k[".vgpr_count"], k[".vgpr_spill_count"],
                               k[".private_segment_fixed_size"], k[".group_segment_fixed_size"],
                               k[".wavefront_size"], k[".max_flat_workgroup_size"], k[".sgpr_spill_count"])
                        for k in unpack(content)[0]["amdhsa.kernels"]]
    raise ValueError("no AMDGPU metadata: not a code object of an AMD GPU")


def notes(section):
    at = 0
    while at < len(section):
        name_size, size, kind = struct.unpack_from("<III", section, at)
        content = at + 12 + (name_size + 3) // 4 * 4
        yield kind, section[content:content + size]
        at = content + (size + 3) // 4 * 4


def unpack(data, at=0):
    """MessagePack, as much of it as the metadata uses -> (value, where the next one begins)."""
    tag = data[at]
    at += 1

    def number(size, signed=False):
        return int.from_bytes(data[at:at + size], "big", signed=signed), at + size

    def items(count, at):
        values = []
        for _ in range(count):
            value, at = unpack(data, at)
            values.append(value)
        return values, at

    def pairs(count, at):
        values, at = items(2 * count, at)
        return dict(zip(values[::2], values[1::2])), at

    def text(size, at):
        return data[at:at + size].decode(), at + size

    if tag < 0x80:
        return tag, at
    if tag < 0x90:
        return pairs(tag & 0x0F, at)
    if tag < 0xA0:
        return items(tag & 0x0F, at)
    if tag < 0xC0:
        return text(tag & 0x1F, at)
    if tag >= 0xE0:
        return tag - 0x100, at
    if tag in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[tag], at
    if tag in (0xCC, 0xCD, 0xCE, 0xCF):
        return number(1 << (tag - 0xCC))
    if tag in (0xD0, 0xD1, 0xD2, 0xD3):
        return number(1 << (tag - 0xD0), signed=True)
    for first, sizes, read in ((0xD9, (1, 2, 4), text), (0xDC, (2, 4), items), (0xDE, (2, 4), pairs)):
        if first <= tag < first + len(sizes):
            return read(*number(sizes[tag - first]))
    raise ValueError(f"MessagePack type {tag:#x} is not known here")
