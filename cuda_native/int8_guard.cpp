// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cuda_native/device.hpp"
#include "cuda_native/device_accessible.hpp"
#include "cuda_native/fp64_int8/multiply.hpp"
#include "numerics/parts.hpp"
#include "plan/int8_choice.hpp"
#include "plan/prepare.hpp"
#include "plan/refusal.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile::cuda_native {

namespace {

template <class T>
Int8Guard guard_of(cudaStream_t stream, ComputeMode math, const MatrixRef<const T>& A,
                   const MatrixRef<const T>& B) {
  const BatchArgs<T> product{{T(1), A, B, T(0), {nullptr, A.rows, B.cols, B.cols, 1}}, {}};
  detail::check_shapes(product);
  detail::check_memory("A", A);
  detail::check_memory("B", B);
  const OnDeviceOf there(stream);
  const Rung& rung = rung_of(Kernel::warpgroup_int8);
  if (const Refusal problem = refusal(rung, {1, 1, 1}, rung.default_tile, target(math)); !problem.empty())
    throw Unsupported(problem);
  const GemmShape shape = product.shape();
  if (const std::string_view why = detail::why_not_int8(shape, Path::native, type_of<T>()); !why.empty())
    return {0, {}, {}, why};
  Int8Guard guard;
  if (shape.m > 0 && shape.n > 0) {
    const auto reach_here = [device = current_device()](const void* address) {
      return device_accessible(device, address);
    };
    detail::check_operand("A", A.data, reach_here);
    detail::check_operand("B", B.data, reach_here);
    const auto [a, b] = spreads(stream, product);
    guard.a = a, guard.b = b;
  }
  guard.decide(residues::part_count<T> * shape.k);
  return guard;
}

}  // namespace

Int8Guard int8_guard(cudaStream_t stream, MatrixRef<const double> A, MatrixRef<const double> B) {
  return guard_of(stream, ComputeMode::fp64_int8, A, B);
}
Int8Guard int8_guard(cudaStream_t stream, MatrixRef<const complex<double>> A,
                     MatrixRef<const complex<double>> B) {
  return guard_of(stream, ComputeMode::cfp64_int8, A, B);
}

}  // namespace rooftile::cuda_native
