// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "rooftile/cuda_native.hpp"
#include "tests/support/device.hpp"

/// A product on the native path that is told by a glance.
namespace rooftile::testing {

/// The mode's own: what gemm takes of a small product in tf32x3 is fp32's.
inline GemmOptions options_of(Math math) {
  return {.kernel = math == Math::tf32x3 ? Kernel::warpgroup_tf32x3 : Kernel::automatic, .math = math};
}

/// C = A·A for A of ones: every element is n.
struct Ones {
  static constexpr Index n = 96;
  Buffer<float> a, c;
  std::vector<float> result = std::vector<float>(n * n);

  explicit Ones(Device& device) : a(device, n * n), c(device, n * n) {
    a.upload(std::vector<float>(n * n, 1));
    c.upload(std::vector<float>(n * n, -1));
  }

  void launch(cudaStream_t stream, float alpha = 1, Math math = Math::automatic) const {
    const auto A = row_major<const float>(a.data(), n, n);
    cuda_native::gemm(stream, alpha, A, A, 0, row_major(c.data(), n, n), options_of(math));
  }
  bool holds(float value) {
    c.download(result);
    return result == std::vector<float>(n * n, value);
  }
};

/// The modes that this device multiplies fp32 in; those of the tensor cores need workspace.
inline std::vector<Math> maths_of_fp32() {
  std::vector<Math> maths;
  for (const Math math : all_maths) {
    const Target here = cuda_native::target(math);
    const auto computes = [&](const Rung& rung) { return detail::computes(rung, here); };
    if (type_of(math) == Type::fp32 && std::any_of(std::begin(ladder), std::end(ladder), computes)) {
      maths.push_back(math);
    }
  }
  return maths;
}

}  // namespace rooftile::testing
