# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""Checks what `bench --json` computes from its times and ceilings: check_values.py FILE, of --batch 3 --beta 0.5 and
the shapes below."""
import json
import math
import sys

# Computed by hand: the operations (2·m·n·k for each of three products) and the bytes of A and B read, C read and
# written.
OPERATIONS = {"64x32x16": 3 * 65536, "512x512x512": 3 * 268435456, "1x2x3": 3 * 12}
BYTES = {"64x32x16": 4 * (1024 + 512 + 2 * 2048), "512x512x512": 4 * (4 * 262144), "1x2x3": 4 * (3 + 6 + 2 * 2)}


def faults(result, ceilings):
    shape = f"{result['m']}x{result['n']}x{result['k']}"
    single = result["math"] in ("fp32", "tf32", "tf32x3")
    kind, seconds = "fp32" if single else "fp64", result["seconds"]["median"]
    peak = max([ceilings[f"{kind}_gflops"], *(r["rate"] for r in ceilings["matrix_gflops"] if r["name"] == kind)])
    intensity = OPERATIONS[shape] / 3 / (BYTES[shape] * (1 if single else 2))
    slope = intensity * ceilings["bandwidth_gbs"]
    wanted = {"gflops": OPERATIONS[shape] / seconds / 1e9, "intensity": intensity,
              "roofline_fraction": OPERATIONS[shape] / seconds / 1e9 / min(peak, slope)}
    for name, value in wanted.items():
        if not math.isclose(result[name], value, rel_tol=1e-12):
            yield f"{name} of {result['math']} {shape} is {result[name]}, not {value}"
    needed = {"compute": OPERATIONS[shape] / peak, "memory": OPERATIONS[shape] / slope,
              "launch": 1e3 * ceilings["launch_us"]}
    if result.get("request_intensity"):
        needed["cache"] = OPERATIONS[shape] / (result["request_intensity"] * ceilings["levels_gbs"][0]["rate"])
    if result["bound"] != max(needed, key=needed.get):
        yield f"bound of {result['math']} {shape} is {result['bound']}"
    if result["batch"] != 3 or not seconds > 0:
        yield f"batch of {result['math']} {shape} is {result['batch']}, its time {seconds}"


def main(path):
    with open(path, encoding="utf-8") as file:
        bench = json.load(file)
    (device,) = bench["devices"]
    results = [r for r in bench["results"] if r["status"] == "ok"]
    wrong = [fault for result in results for fault in faults(result, device["ceilings"])]
    if {f"{r['m']}x{r['n']}x{r['k']} {r['math']}" for r in results} != {
            f"{shape} {kind}" for shape in OPERATIONS for kind in ("fp32", "fp64")}:
        wrong.append("not the results of these shapes in fp32 and fp64")
    print("\n".join(wrong) or f"{len(results)} results are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 2 else __doc__)
