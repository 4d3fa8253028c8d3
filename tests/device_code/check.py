# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the device code of the portable ladder against its table: check.py ARCHITECTURE EXPECTED FILES [ASSEMBLIES MODEL]

EXPECTED is what expected.cpp prints. FILES are code objects of an AMD GPU or logs of `ptxas -v`, separated by commas.
Every kernel must be there and no other, fit its registers, leave a full team room on an SM and have the GPU's wave size.
In the ASSEMBLIES of an AMD GPU a kernel must have the instructions that its rung is about, and as many waves must fit a
SIMD unit as MODEL, the program of occupancy.cpp, says. Beside each kernel that multiplies by matrix instructions stands
how much of their rate its innermost loop can have, in percent, and what holds it (matrix_rate.py).
"""
import re
import subprocess
import sys

from code_object import functions_of, kernels_of, waves_of
from matrix_rate import rate_of

# Per architecture: registers per lane that the waves of a scheduler share, wave width, allocation granularity, and
# maximum per thread. A block's waves are distributed over the 4 schedulers of an SM, a compute unit or a work-group
# processor. NVIDIA: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (65536 registers per
# SM). AMD: LLVM, AMDGPUBaseInfo.cpp, getTotalNumVGPRs, getVGPRAllocGranule.
REGISTER_FILES = {"sm_": (512, 32, 8, 255), "gfx9": (512, 64, 8, 512), "gfx11": (1536, 32, 24, 256)}
# Patterns that a functor's code must contain, by prefix of the architecture and of the functor's name without
# namespace.
VECTORS = r"ds_(read|load)_b128"
MFMA = r"v_mfma_f{0}_16x16x4_?f{0}"
MFMA16 = r"v_mfma_f32_16x16x16_?{}"
INSTRUCTIONS = [
    ("gfx", "RegisterBlocked<", VECTORS),
    ("gfx", "Pipelined<", VECTORS),
    ("gfx", "StreamK<", VECTORS),
    ("gfx9", "TensorCore<", VECTORS),
    ("gfx9", "TensorCore<float", MFMA.format(32)),
    ("gfx9", "TensorCore<double", MFMA.format(64)),
    ("gfx9", "TensorCore<rooftile::float16", MFMA16.format("f16")),
    ("gfx9", "TensorCore<rooftile::bfloat16", MFMA16.format("bf16(_1k)?")),
    ("gfx9", "StreamKTensorCore<", VECTORS),
    ("gfx9", "StreamKTensorCore<float", MFMA.format(32)),
    ("gfx9", "StreamKTensorCore<double", MFMA.format(64)),
]
KOKKOS_SHARED = 16  # bytes of static shared memory that Kokkos reserves in a team kernel; tiles are dynamic


def demangled(names):
    for tool in ("c++filt", "llvm-cxxfilt-19", "llvm-cxxfilt"):
        try:
            done = subprocess.run([tool], input="\n".join(names), capture_output=True, text=True, check=True)
            return [plain(line) for line in done.stdout.splitlines()]
        except FileNotFoundError:
            continue
    sys.exit("check.py: no c++filt: install binutils or LLVM's tools")


def plain(name):
    return re.sub(r"\s+", "", name)  # demanglers differ in their blanks


def functor_in(name):
    """`rooftile::portable::F<…>` in a kernel's demangled name, or None for a kernel that is not ours."""
    entry = name.find("rooftile::portable::team_entry<")  # on CUDA, instead of Kokkos' own entry
    start = name.find("rooftile::portable::", entry + 1)
    if start < 0:
        return None
    depth = 0
    for end in range(start, len(name)):
        depth += {"<": 1, ">": -1}.get(name[end], 0)
        if name[end] == ">" and depth == 0:
            return without_epilogue(name[start:end + 1])
    return name[start:]


def without_epilogue(functor):
    """The functor's name with `FusedTile<tile,epilogue>` as `FusedTile<tile>`."""
    start = functor.find("rooftile::portable::FusedTile<")
    depth, comma = 0, None
    for end in range(start, len(functor) if start >= 0 else start):
        depth += {"<": 1, "{": 1, "(": 1, ">": -1, "}": -1, ")": -1}.get(functor[end], 0)
        if functor[end] == "," and depth == 1 and comma is None:
            comma = end
        if functor[end] == ">" and depth == 0:
            return functor[:comma] + functor[end:]
    return functor


def wave_and_most_registers(architecture, threads):
    for prefix, (file, wave, granule, most) in REGISTER_FILES.items():
        if architecture.startswith(prefix):
            waves = -(-threads // wave)
            per_scheduler = -(-waves // 4)
            return wave, min(most, file // per_scheduler // granule * granule)
    sys.exit(f"check.py: architecture {architecture} is not known: add it to REGISTER_FILES")


def faults(architecture, expected, kernels, code=None):
    """What is wrong, one sentence each. expected: demangled functor -> threads of its team; code: name -> assembly."""
    found = {}
    for kernel, name in zip(kernels, demangled([k.name for k in kernels])):
        if functor := functor_in(name):
            found.setdefault(functor, []).append(kernel)
    for functor in expected.keys() - found.keys():
        yield f"{functor}: no kernel: is the rung instantiated?"
    for functor in found.keys() - expected.keys():
        yield f"{functor}: a kernel that the ladder's table does not have"
    for functor, all_of_it in found.items():
        if len(all_of_it) > 1:
            yield f"{functor}: {len(all_of_it)} kernels instead of one"
        for k in all_of_it:
            yield from (f"{functor}: {fault}" for fault in faults_of(k, architecture, expected.get(functor, 1), functor))
            if code is not None:
                yield from (f"{functor}: no {wanted} in its code" for wanted in missing(architecture, functor, code[k.name]))


def missing(architecture, functor, code):
    """The instructions that a kernel must have and has not."""
    for prefix, name, wanted in INSTRUCTIONS:
        if architecture.startswith(prefix) and functor.startswith("rooftile::portable::" + name):
            if not re.search(rf"^\s+{wanted}\s", code, re.MULTILINE):
                yield wanted


def faults_of(kernel, architecture, threads, functor):
    wave, most = wave_and_most_registers(architecture, threads)
    # Clang reads an epilogue's operands before the product and keeps them in scalar registers, which may spill. The
    # rung does not control this.
    if kernel.scalar_spills and "FusedTile<" not in functor:
        yield f"spills {kernel.scalar_spills} scalar registers"
    if kernel.spills:
        yield f"spills registers: {kernel.registers} are not enough"
    if kernel.private:
        yield f"{kernel.private} bytes of private memory a thread: what should be a register lies in global memory"
    if kernel.registers > most:
        yield f"{kernel.registers} registers a thread, but a team of {threads} can start with {most} at most"
    if kernel.shared > KOKKOS_SHARED:
        yield f"{kernel.shared} bytes of static shared memory; tiles belong in team scratch"
    if kernel.wave != wave:
        yield f"compiled for waves of {kernel.wave}, {architecture} has {wave}"
    if kernel.threads not in (0, threads):
        yield f"compiled for teams of up to {kernel.threads} threads, the table says {threads}"


def read_expected(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return {plain(functor): int(threads) for functor, threads in lines}


def waves_by_model(model, architecture, kernels):
    """Waves of each kernel that a SIMD unit holds; nothing where the model does not know the architecture."""
    launches = "".join(f"{k.threads} {k.registers}\n" for k in kernels)
    done = subprocess.run([model, architecture], input=launches, capture_output=True, text=True, check=True)
    return dict(zip((k.name for k in kernels), map(int, done.stdout.split())))


def whole_teams(waves, architecture, kernels):
    """The same of waves of whole teams alone, as the model counts them: compilers may see registers only."""
    of_team = {k.name: -(-k.threads // (4 * wave_and_most_registers(architecture, k.threads)[0])) for k in kernels}
    return {name: count // of_team.get(name, 1) * of_team.get(name, 1) for name, count in waves.items()}


def disagreements(named, compiler, model):
    """named: kernel's name -> functor."""
    for name, functor in named.items():
        if name in model and model[name] != compiler.get(name):
            yield f"{functor}: {compiler.get(name)} waves fit a SIMD unit by the compiler, {model[name]} by the model"


def main(architecture, expected_path, path, assembly="", model=""):
    kernels, expected = kernels_of(path), read_expected(expected_path)
    named = {k.name: f for k, n in zip(kernels, demangled([k.name for k in kernels])) if (f := functor_in(n))}
    ours = [k for k in kernels if k.name in named]
    code = functions_of(assembly) if assembly else None
    compiler_waves = whole_teams(waves_of(assembly), architecture, kernels) if assembly else {}
    model_waves = waves_by_model(model, architecture, ours) if model else {}
    print(f"{architecture}: {'registers':>9} {'spills':>6} {'private':>7} {'shared':>6} {'waves':>5} {'model':>5} {'rate':>10}  kernel")
    for k in ours:
        rate = rate_of(architecture, code[k.name]) if code else None
        print(f"{'':{len(architecture)}}  {k.registers:9} {k.spills + k.scalar_spills:6} {k.private:7} {k.shared:6} "
              f"{compiler_waves.get(k.name, ''):>5} {model_waves.get(k.name, ''):>5} {rate or '':>10}  {named[k.name]}")
    wrong = sorted([*faults(architecture, expected, kernels, code), *disagreements(named, compiler_waves, model_waves)])
    for fault in wrong:
        print(f"{architecture}: {fault}")
    print(f"{architecture}: {len(expected)} kernels expected, {len(wrong)} faults")
    return 1 if wrong or not expected else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 6):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
