# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0

set(random --file /dev/null --cases 2000 --kernel)

# Each barrier of the texts' kernels: between loading a tile and multiplying it, and before the next is loaded.
foreach(rung 02_tiled 03_tiled_checked 04_tiled_dynamic)
  string(SUBSTRING ${rung} 3 -1 kernel)
  set(tile "16x16x16 ")
  if(kernel STREQUAL "tiled_dynamic")
    set(tile "")
  endif()
  set(case --case "native ${kernel} ${tile}fp32 m=64 n=64 k=64")
  rooftile_fault(${kernel}_loaded cuda_native/${rung}.cu
                 "    barrier(team);\n    multiply_add(" "    multiply_add("
                 cuda_native/${rung}.cu racecheck ${case})
  rooftile_fault(${kernel}_multiplied cuda_native/${rung}.cu
                 "multiply_add(team, acc, a, b);\n    barrier(team);" "multiply_add(team, acc, a, b);"
                 cuda_native/${rung}.cu racecheck ${case})
endforeach()
# The texts' transposition without its barrier.
rooftile_fault(transposition cuda_native/repack.cuh "    __syncthreads();\n" ""
               cuda_native/repack.cu racecheck --case "native pipelined+repack 64x64x16 fp32 m=65 n=63 k=33 a=column,pad1")

rooftile_fault(bound_of_store cuda_native/tile_ops.cuh
               "if (row < args.C.rows && col < args.C.cols)" "if (row <= args.C.rows && col < args.C.cols)"
               cuda_native/03_tiled_checked.cu values ${random} tiled_checked)
rooftile_fault(bound_of_load cuda_native/tile_ops.cuh "col0 + team.tx < X.cols" "col0 + team.tx <= X.cols"
               cuda_native/03_tiled_checked.cu memcheck --case "native tiled_checked 16x16x16 fp32 m=33 n=33 k=33")
rooftile_fault(beta_0_reads_c src/rooftile/detail/epilogue.hpp "beta == S(0) ? alpha * product : " ""
               cuda_native/01_naive.cu values ${random} naive)

# Issue 13: the two boxes took turns within a tile only.
rooftile_fault(turns_of_boxes src/rooftile/device/nvidia/warpgroup/roles.hpp
               "    float acc[G::bn / 2];\n    if" "    BoxTurn turn;\n    float acc[G::bn / 2];\n    if"
               cuda_native/warpgroup/fp16.cu values ${random} warpgroup)
rooftile_fault(parity_of_ring src/rooftile/device/nvidia/warpgroup/multiply.hpp
               "at.parity);\n    wgmma::fence();\n    multiply_stage" "at.parity ^ 1);\n    wgmma::fence();\n    multiply_stage"
               cuda_native/warpgroup/fp16.cu values --file /dev/null --cases 200 --kernel warpgroup)
# What the repacking kernel, launched just before, has not written yet is what the workspace held before.
rooftile_fault(stale_operand src/rooftile/device/nvidia/warpgroup/roles.hpp "griddepcontrol.wait;" ""
               cuda_native/12_warpgroup_tf32x3.cu values ${random} warpgroup_tf32x3)
rooftile_fault(stale_sum cuda_native/warpgroup/run.hpp "work.splits, p.C, p.alpha" "work.splits + 1, p.C, p.alpha"
               cuda_native/12_warpgroup_tf32x3.cu values ${random} warpgroup_tf32x3)
# 1M: the conjugates of A are a sign in what is made of B.
rooftile_fault(sign_of_twins src/rooftile/device/nvidia/hopper/store_twins.hpp "-sign_a * b_im" "sign_a * b_im"
               cuda_native/17_warpgroup_1m.cu values ${random} warpgroup_1m)
rooftile_fault(group_too_few src/rooftile/device/common/pipeline.hpp
               "        if (s == steps - 1) {\n          wait_for_groups<Ring::stages - 2>"
               "        if (s == steps - 1) {\n          wait_for_groups<Ring::stages - 1>"
               cuda_native/07_pipelined.cu shaken --file /dev/null --cases 500 --smaller 0 --kernel pipelined)
