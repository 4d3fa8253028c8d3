// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace rooftile {

/// The kernels, from the lowest rung. Their sources are `cuda_native/NN_name.cu` and
/// `backends/kokkos/NN_name.hpp`.
enum class Kernel {
  automatic = -1,
  single_block,
  naive,
  tiled,
  tiled_checked,
  tiled_dynamic,
  packed,
  register_blocked,
  pipelined,
  tensor_core,
  stream_k,
  stream_k_tensor_core,
  warpgroup,
  warpgroup_tf32x3,
  small_batched,
  warpgroup_int8,
  warpgroup_1m,
  split_k,
  split_k_tensor_core,
};

/// The kernel that computes every product on a CPU by default.
inline constexpr Kernel cpu_kernel = Kernel::packed;

/// The two ladders of kernels: Kokkos (portable) and CUDA (native).
enum class Path { portable, native };

/// Returns `native` or `portable`.
constexpr std::string_view to_string(Path path) {
  return path == Path::native ? "native" : "portable";
}

}  // namespace rooftile
