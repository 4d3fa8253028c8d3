# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the native ladder's machine code: sass.py OBJECT…

Reads compiled objects, archives or programs with cuobjdump (on the PATH, or beside nvcc) and asks of each rung's kernels
for the instructions that the rung is about, and of all for no registers in memory. Exit status 77, skipped, where there
is no cuobjdump. `sass.py --self-test` checks the checker.
"""
import pathlib
import re
import shutil
import subprocess
import sys

from check import demangled

# By prefix of a kernel's name without namespace: patterns that its code must contain, and on which architectures.
HOPPER = r"sm_90a?"
ANY = r"sm_\d+a?"
WIDE_COPY = r"LDGSTS\.E\.BYPASS\.(?:LTC128B\.)?128"
INSTRUCTIONS = [
    ("register_blocked<float,", ANY, ["FFMA", r"LDS\.128"]),
    ("pipelined<float,", ANY, ["FFMA", r"LDS\.128", WIDE_COPY]),
    ("pipelined<double,", ANY, ["DFMA", r"LDS\.128", WIDE_COPY]),
    ("pipelined<complex<float>,", ANY, ["FFMA", r"LDS\.128", r"LDGSTS\.E(?:\.LTC128B)?\.64"]),
    ("tensor_core<double,", HOPPER, [r"DMMA\.16x8x8", WIDE_COPY]),
    ("tensor_core<complex<double>,", HOPPER, [r"DMMA\.16x8x8", r"LDS\.128", WIDE_COPY]),
    ("tensor_core<float,", ANY, [r"HMMA\.1688\.F32\.TF32", WIDE_COPY]),
    ("tensor_core<float16,", ANY, [r"HMMA\.16816\.F32", r"LDSM\."]),
    ("tensor_core<bfloat16,", ANY, [r"HMMA\.16816\.F32\.BF16", r"LDSM\."]),
    ("stream_k<float,", ANY, ["FFMA", WIDE_COPY]),
    ("stream_k<complex<float>,", ANY, ["FFMA", r"LDS\.128"]),
    ("stream_k_tensor_core<double,", HOPPER, [r"DMMA\.16x8x8", WIDE_COPY]),
    ("stream_k_tensor_core<complex<double>,", HOPPER, [r"DMMA\.16x8x8", r"LDS\.128", WIDE_COPY]),
    ("stream_k_tensor_core<float,", ANY, [r"HMMA\.1688\.F32\.TF32", WIDE_COPY]),
    ("stream_k_tensor_core<float16,", ANY, [r"HMMA\.16816\.F32", r"LDSM\."]),
    ("stream_k_tensor_core<bfloat16,", ANY, [r"HMMA\.16816\.F32\.BF16", r"LDSM\."]),
    ("split_k<float,", HOPPER, ["FFMA", WIDE_COPY]),
    ("split_k<complex<float>,", HOPPER, ["FFMA", r"LDS\.128"]),
    ("split_k_tensor_core<double,", HOPPER, [r"DMMA\.16x8x8", WIDE_COPY]),
    ("split_k_tensor_core<complex<double>,", HOPPER, [r"DMMA\.16x8x8", r"LDS\.128", WIDE_COPY]),
    ("warpgroup<", HOPPER, ["HGMMA", "UTMALDG", "USETMAXREG"]),
]
IN_MEMORY = r"(STL|LDL)\S*"


def faults(kernels):
    """What is wrong, one sentence each. kernels: (architecture, demangled name) -> code."""
    met = set()
    for (architecture, name), code in kernels.items():
        own = name.split("rooftile::cuda_native::", 1)
        if len(own) < 2:
            continue
        short = own[1].replace("rooftile::", "")
        if spilled := re.search(rf"\s{IN_MEMORY}\s", code):
            yield f"{architecture} {short}: {spilled.group(1)}: registers, or an array, lie in memory"
        for rung, where, wanted in INSTRUCTIONS:
            if short.startswith(rung) and re.fullmatch(where, architecture):
                met.add(rung)
                yield from (f"{architecture} {short}: no {i}" for i in wanted if not re.search(rf"\s{i}", code))
    yield from (f"no kernel begins with {rung}" for rung, _, _ in INSTRUCTIONS if rung not in met)


def kernels_of(sass):
    """(architecture, demangled name) -> code, of what `cuobjdump -sass` printed."""
    found = {}
    for part in re.split(r"\n\s*code for ", "\n" + sass)[1:]:
        architecture = part.split(None, 1)[0]
        functions = re.split(r"\n\s*Function : ", part)[1:]
        names = [f.split(None, 1)[0] for f in functions]
        for name, function in zip(demangled(names), functions):
            found[architecture, re.sub(r"^void", "", name)] = function
    return found


def self_test():
    good = {("sm_90", f"rooftile::cuda_native::{rung}x>"): " ".join(" " + re.sub(r"\(.*\)\?|\\", "", i) for i in wanted)
            for rung, _, wanted in INSTRUCTIONS}
    assert list(faults(good)) == []
    for kernel in good:
        assert len(list(faults({**good, kernel: good[kernel] + "\n STL.64 [R1]"}))) == 1
        assert any("no kernel begins" in f for f in faults({k: v for k, v in good.items() if k != kernel}))
        assert any(": no " in f for f in faults({**good, kernel: ""}))


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    cuobjdump = shutil.which("cuobjdump") or shutil.which("cuobjdump", path=pathlib.Path(nvcc).parent)
    if cuobjdump is None:
        print("skipped: no cuobjdump")
        sys.exit(77)
    kernels = {}
    for path in sys.argv[1:]:
        done = subprocess.run([cuobjdump, "-sass", path], capture_output=True, text=True, check=True)
        kernels.update(kernels_of(done.stdout))
    wrong = list(faults(kernels))
    print(*wrong, f"{len(kernels)} kernels, {len(wrong)} faults", sep="\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
