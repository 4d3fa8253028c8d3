// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "cpu/bf16_dot.hpp"
#include "cpu/blocks.hpp"
#include "cpu/instruction_set.hpp"
#include "cpu/int8_dot.hpp"

/// The functions that `blocks.hpp`, `bf16_dot.hpp` and `int8_dot.hpp` declare, as one table per instruction
/// set.
namespace rooftile::portable {

/// The functions of one element type, or of mixed types. Null where the type lacks a function.
template <class E>
struct KernelsOf {
  TileShape (*cache_blocks)() = nullptr;
  void (*pack)(const MatrixRef<const In<E>>&, int, Index, Index, Scalar<E>*) = nullptr;
  void (*copy_by_rows)(const MatrixRef<const E>&, Scalar<E>*, Index) = nullptr;
  void (*update_by_rows)(const MatrixRef<E>&, float, const float*, Index, float) = nullptr;
  void (*multiply_block)(const Micropanels<E>&, const Micropanels<E>&, Index, const MatrixRef<E>&, E,
                         E) = nullptr;
  void (*multiply_unpacked)(const BatchArgs<E>&, Index, Index) = nullptr;
  void (*multiply_dots)(const GemmArgs<E>&) = nullptr;
  void (*multiply_skinny_m)(const GemmArgs<E>&, Index, E*) = nullptr;
};

struct CpuKernels {
  std::tuple<KernelsOf<float>, KernelsOf<double>, KernelsOf<float16>, KernelsOf<bfloat16>,
             KernelsOf<complex<float>>, KernelsOf<complex<double>>, KernelsOf<Mixed<float, double>>>
      of_types;
  bool (*multiplies_pairs)();
  void (*pack_pairs)(const MatrixRef<const bfloat16>&, int, Index, Index, float*);
  void (*multiply_pairs)(const Micropanels<float>&, const Micropanels<float>&, Index, const MatrixRef<float>&,
                         float, float);
  void (*pack_integers)(const MatrixRef<const std::int8_t>&, int, Index, Index, std::int32_t*);
  void (*multiply_integers)(const Micropanels<std::int32_t>&, const Micropanels<std::int32_t>&, Index,
                            const MatrixRef<std::int32_t>&, std::int32_t, std::int32_t);
};

}  // namespace rooftile::portable

#define INSTRUCTION_SET(name) extern "C" const rooftile::portable::CpuKernels rooftile_cpu_kernels_##name;
#include "instruction_sets.inc"
#undef INSTRUCTION_SET
