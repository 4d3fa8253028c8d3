# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""How much of the matrix units' rate the innermost loop of a kernel for an AMD GPU (gfx9) can have, by its assembly.

A compute unit has four SIMD units, each with a matrix unit, and one local data share (LDS). With a wave on each, the
matrix units work all the time unless the instructions of a step take longer to issue, or its bytes to pass the LDS.
What waits for memory or for a barrier is not seen: the rate is a bound, as every roof.
"""
import re
from dataclasses import dataclass

# Cycles per matrix instruction, from peak rates: a compute unit does 256 FLOP per cycle in fp64 and fp32; in 16 bits,
# 2048 on gfx942 and 1024 on gfx90a (AMD's white papers on CDNA 3 and CDNA 2).
MATRIX_CYCLES = {
    "gfx942": {"f64_16x16x4": 32, "f32_16x16x4": 32, "f32_16x16x16": 16},
    "gfx90a": {"f64_16x16x4": 32, "f32_16x16x4": 32, "f32_16x16x16": 32},
}
ISSUE_CYCLES = 4  # per vector instruction: a wave of 64 on 16 lanes
LDS_BYTES_PER_CYCLE = 128
SIMD_UNITS, WAVE = 4, 64


@dataclass
class Rate:
    matrix: int  # cycles of a SIMD unit for one pass of the loop
    issue: int  # cycles to issue its vector instructions
    lds: int  # cycles that the LDS is busy with one wave per SIMD unit

    @property
    def share(self):
        return self.matrix / max(self.matrix, self.issue, self.lds)

    @property
    def limit(self):
        return max(("matrix", "issue", "lds"), key=lambda name: getattr(self, name))

    def __format__(self, spec):
        return format(f"{100 * self.share:.0f} {self.limit}", spec)


def innermost_loop(code):
    """The lines of the loop with the most matrix instructions that has no other such loop inside; none: no loop has any."""
    lines, labels, loops = code.splitlines(), {}, []
    for at, line in enumerate(lines):
        if label := re.match(r"(\.LBB\w+):", line):
            labels[label[1]] = at
        elif (branch := re.match(r"\s+s_c?branch\w*\s+(\.LBB\w+)", line)) and branch[1] in labels:
            loops.append((labels[branch[1]], at))
    counted = {loop: sum("v_mfma" in line for line in lines[loop[0]:loop[1]]) for loop in loops}
    inner = [a for a in loops if counted[a] and
             not any(b != a and counted[b] and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
    if not inner:
        return []
    begin, end = max(inner, key=counted.get)
    return lines[begin:end]


def lds_bytes(name):
    """Bytes of a lane that an instruction moves to or from the LDS."""
    m = re.match(r"ds_(?:read|load|write|store)(2)?(?:st64)?_(?:[biu])(\d+)", name)
    return int(m[2]) // 8 * (2 if m[1] else 1) if m else 0


def rate_of(architecture, code):
    """The rate of a kernel, or None: no loop with matrix instructions, or an architecture without a table."""
    names = [m[1] for line in innermost_loop(code) if (m := re.match(r"\s+([a-z]\w+)", line))]
    cycles = MATRIX_CYCLES.get(architecture)
    if not names or not cycles:
        return None
    mfma = [re.match(r"v_mfma_(f\d+_\d+x\d+x\d+)", name)[1] for name in names if name.startswith("v_mfma")]
    return Rate(matrix=sum(cycles[name] for name in mfma),
                issue=ISSUE_CYCLES * sum(name.startswith("v_") for name in names),
                lds=SIMD_UNITS * WAVE * sum(map(lds_bytes, names)) // LDS_BYTES_PER_CYCLE)
