# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""check.py must see what is wrong: test_check.py ARCHITECTURE EXPECTED FILE BROKEN_FILE

On the ladder's own code with one thing off each, and on the kernel of broken.cpp, which keeps an array in memory.
"""
import dataclasses
import sys
import unittest

from check import (demangled, disagreements, faults, functor_in, missing, read_expected, wave_and_most_registers,
                   whole_teams)
from code_object import Kernel, kernels_of, ptxas_kernels
from matrix_rate import rate_of

architecture, expected_path, path, broken_path = sys.argv[1:]


class Check(unittest.TestCase):
    def setUp(self):
        self.expected = read_expected(expected_path)
        # One good kernel, so that errors of the ladder itself do not count here.
        kernels = kernels_of(path)
        names = demangled([k.name for k in kernels])
        ours = [(k, functor_in(n)) for k, n in zip(kernels, names) if functor_in(n)]
        self.kernel, functor = next((k, f) for k, f in ours if not k.spills and not k.private and not k.scalar_spills)
        self.expected = {functor: self.expected[functor]}

    def faults_with(self, **changes):
        return list(faults(architecture, self.expected, [dataclasses.replace(self.kernel, **changes)]))

    def test_good_kernel(self):
        self.assertEqual(self.faults_with(), [])

    def test_missing_kernel(self):
        self.assertRegex(list(faults(architecture, self.expected, []))[0], "no kernel")

    def test_unknown_kernel(self):
        self.assertRegex(list(faults(architecture, {}, [self.kernel]))[0], "table does not have")

    def test_same_kernel_twice(self):
        self.assertRegex(list(faults(architecture, self.expected, [self.kernel] * 2))[0], "2 kernels")

    def test_spills(self):
        self.assertRegex(self.faults_with(spills=1)[0], "spills registers")
        self.assertRegex(self.faults_with(scalar_spills=1)[0], "spills 1 scalar")

    def test_epilogue(self):
        tile = "rooftile::Tile<rooftile::TileShape{64,64,16,8,8},6>"
        fused = f"rooftile::portable::FusedTile<{tile},rooftile::detail::PlacedEpilogue<f<int,2>(int)::{{lambda(int)#1}}>>"
        name = f"void k<rooftile::portable::TensorCore<float,{fused},false>>(int)"
        self.assertEqual(functor_in(name),
                         f"rooftile::portable::TensorCore<float,rooftile::portable::FusedTile<{tile}>,false>")

    def test_too_many_registers(self):
        threads = next(iter(self.expected.values()))
        most = wave_and_most_registers(architecture, threads)[1]
        self.assertEqual(self.faults_with(registers=most), [])
        self.assertRegex(self.faults_with(registers=most + 1)[0], "can start with")

    def test_static_shared_memory(self):
        self.assertRegex(self.faults_with(shared=1024)[0], "team scratch")

    def test_wave(self):
        self.assertRegex(self.faults_with(wave=96 - self.kernel.wave)[0], "compiled for waves")

    def test_team_size(self):
        self.assertRegex(self.faults_with(threads=7)[0], "up to 7 threads")

    def test_compiled_kernel_with_an_array_in_memory(self):
        found = list(faults(architecture, {}, kernels_of(broken_path)))
        self.assertTrue([f for f in found if "private memory" in f], found)

    def test_matrix_rate(self):
        mfma, add = "\tv_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]\n", "\tv_add_u32_e32 v0, v1, v2\n"
        read, write = "\tds_read_b128 v[0:3], v4\n", "\tds_write2st64_b64 v4, v[0:1], v[2:3] offset1:8\n"
        back = "\ts_cbranch_scc1 .LBB0_{}\n"

        def rate(body, before="", behind=""):
            r = rate_of("gfx942", f".LBB0_1:\n{before}.LBB0_2:\n{body}{back.format(2)}{behind}{back.format(1)}")
            return r and (r.matrix, r.issue, r.lds, r.limit)

        # Per instruction: 16 cycles of the matrix unit and 4 to issue. A wave moves 1,024 bytes; four waves at 128
        # bytes per cycle.
        self.assertEqual(rate(8 * mfma + read + write), (128, 32, 64, "matrix"))
        self.assertEqual(rate(mfma + read, before=9 * read, behind=9 * add), (16, 4, 32, "lds"))
        self.assertEqual(rate(mfma + 9 * add), (16, 40, 0, "issue"))
        self.assertEqual(rate(add, behind=mfma), (16, 8, 0, "matrix"))  # the inner loop contains none
        self.assertEqual(rate_of("gfx90a", f".LBB0_1:\n{mfma}{back.format(1)}").matrix, 32)
        self.assertEqual(f"{rate_of('gfx942', f'.LBB0_1:{chr(10)}{mfma}{read}{back.format(1)}'):>8}", "  50 lds")
        self.assertIsNone(rate(add))
        self.assertIsNone(rate_of("gfx942", mfma))  # outside of a loop
        self.assertIsNone(rate_of("gfx1100", f".LBB0_1:\n{mfma}{back.format(1)}"))

    def test_missing_instruction(self):
        functor = "rooftile::portable::TensorCore<double,rooftile::Tile<>>"
        code = "\tds_read_b128 v[0:3], v4\n\tv_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]\n"
        self.assertEqual(list(missing("gfx942", functor, code)), [])
        self.assertEqual(list(missing("gfx90a", functor, code.replace("x4_f64", "x4f64"))), [])
        self.assertEqual(len(list(missing("gfx942", functor, code.replace("mfma_f64", "mfma_f32")))), 1)
        self.assertEqual(len(list(missing("gfx942", functor, "; ds_read_b128 v_mfma_f64_16x16x4_f64"))), 2)
        self.assertEqual(list(missing("gfx1100", functor, "")), [])
        for name, other, forms in (("float16", "bfloat16", ("_f16", "f16")), ("bfloat16", "float16", ("_bf16", "bf16_1k"))):
            for form in forms:
                code = f"\tds_read_b128 v[0:3], v4\n\tv_mfma_f32_16x16x16{form} v[0:3], v[4:5], v[6:7], v[0:3]\n"
                for kernel, faults_there in ((name, 0), (other, 1)):
                    functor = f"rooftile::portable::TensorCore<rooftile::{kernel},rooftile::Tile<>>"
                    self.assertEqual(len(list(missing("gfx942", functor, code))), faults_there)

    def test_model_that_disagrees(self):
        named = {"_Z1f": "f", "_Z1g": "g"}
        self.assertEqual(list(disagreements(named, {"_Z1f": 2, "_Z1g": 8}, {"_Z1f": 2, "_Z1g": 8})), [])
        self.assertEqual(list(disagreements(named, {}, {})), [])
        self.assertRegex(list(disagreements(named, {"_Z1f": 2, "_Z1g": 8}, {"_Z1f": 3, "_Z1g": 8}))[0], "2 waves.* 3")
        self.assertEqual(len(list(disagreements(named, {"_Z1f": 2}, {"_Z1f": 2, "_Z1g": 8}))), 1)

    def test_waves_of_whole_teams(self):
        teams = [Kernel("_Z1f", 96, 0, 0, 0, 64, 1024), Kernel("_Z1g", 96, 0, 0, 0, 64, 256)]
        self.assertEqual(whole_teams({"_Z1f": 5, "_Z1g": 5}, "gfx942", teams), {"_Z1f": 4, "_Z1g": 5})

    def test_log_that_is_not_understood(self):
        with self.assertRaises(ValueError):
            ptxas_kernels("ptxas info : Compiling entry function '_Z1fv' for 'sm_90'\nregisters: plenty\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
