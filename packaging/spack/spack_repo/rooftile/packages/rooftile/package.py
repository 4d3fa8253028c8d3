# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Rooftile(CMakePackage, CudaPackage, ROCmPackage):
    """Matrix multiplication for HPC codes: one Kokkos source for CUDA, HIP and OpenMP, a hand-written CUDA ladder,
    gemm for C, Fortran and BLAS on CPUs, and a program that measures and explains all of them."""

    # Builds the checkout that this file is part of.
    git = Path(__file__).resolve().parents[6].as_uri()

    license("Apache-2.0")

    version("main", branch="main")

    variant("openmp", default=True, description="Kokkos' OpenMP backend; without it Serial is the one of CPUs")
    variant("shared", default=False, description="Shared libraries in C++")
    variant("blas", default=True, description="librooftile_blas, gemm of BLAS and CBLAS on CPUs")
    variant("c", default=True, description="librooftile_c, for C and Fortran on CPUs")
    variant("program", default=True, description="The program rooftile")
    variant("vendor", default=False, when="+program", description="Vendor libraries to compare with in the program")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    conflicts("%gcc@:11", msg="Rooftile is C++20: take gcc 12 or newer")

    depends_on("kokkos@4.6:5")
    depends_on("kokkos cxxstd=20", when="^kokkos@4")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos+serial", when="~openmp")
    depends_on("kokkos+pic", when="+shared")

    conflicts("+cuda", when="+rocm", msg="a Kokkos has one kind of GPU")
    with when("+cuda"):
        conflicts("cuda_arch=none", msg="name the GPU: cuda_arch=90")
        depends_on("cuda@12.2:")
        depends_on("kokkos+cuda+cmake_lang")
        depends_on("kokkos+cuda_lambda", when="^kokkos@4")
        for arch in CudaPackage.cuda_arch_values:
            depends_on(f"kokkos cuda_arch={arch}", when=f"cuda_arch={arch}")
    with when("+rocm"):
        conflicts("amdgpu_target=none", msg="name the GPU: amdgpu_target=gfx90a")
        depends_on("kokkos+rocm")
        for target in ROCmPackage.amdgpu_targets:
            depends_on(f"kokkos amdgpu_target={target}", when=f"amdgpu_target={target}")

    with when("+program"):
        depends_on("cli11")
        depends_on("nlohmann-json")
        depends_on("fmt@9:")
    with when("+vendor"):
        depends_on("openblas")
        depends_on("rocblas", when="+rocm")
    depends_on("catch2@3:", type="test")

    def cmake_args(self):
        spec = self.spec
        backend = "OpenMP" if spec.satisfies("+openmp") else "Serial"
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("ROOFTILE_ENABLE_CUDA_NATIVE", "cuda"),
            self.define_from_variant("ROOFTILE_ENABLE_BLAS", "blas"),
            self.define_from_variant("ROOFTILE_ENABLE_C", "c"),
            self.define_from_variant("ROOFTILE_ENABLE_PERF", "program"),
            self.define("ROOFTILE_ENABLE_VENDOR", spec.satisfies("+vendor")),
            self.define("ROOFTILE_ENABLE_TESTS", self.run_tests),
            self.define("ROOFTILE_ENABLE_EXAMPLES", False),
            self.define("ROOFTILE_ENABLE_NATIVE_ARCH", False),  # Spack's compiler wrapper sets the target CPU
        ]
        if spec.satisfies("+cuda"):
            backend = "CUDA"
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", spec.variants["cuda_arch"].value))
        if spec.satisfies("+rocm"):
            backend = "HIP"
            args.append(self.define("CMAKE_CXX_COMPILER", spec["hip"].hipcc))
        args.append(self.define("ROOFTILE_BACKEND", backend))
        return args

    def test_bench(self):
        """the installed program multiplies a small product and verifies it"""
        if self.spec.satisfies("~program"):
            raise SkipTest("built without the program")
        rooftile = which(self.prefix.bin.rooftile)
        rooftile("bench", "--shape", "64", "--samples", "1", "--path", "portable")
