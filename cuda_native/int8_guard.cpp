// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cuda_native/device.hpp"
#include "cuda_native/fp64_int8/multiply.hpp"
#include "cuda_native/reach.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/detail/batch.hpp"

namespace rooftile::cuda_native {

Int8Guard int8_guard(cudaStream_t stream, MatrixRef<const double> A, MatrixRef<const double> B) {
  const BatchArgs<double> product{{1, A, B, 0, {nullptr, A.rows, B.cols, B.cols, 1}}, {}};
  detail::check_shapes(product);
  detail::check_memory("A", A);
  detail::check_memory("B", B);
  const OnDeviceOf there(stream);
  const Rung& rung = rung_of(Kernel::warpgroup_int8);
  if (const Refusal problem = refusal(rung, {1, 1, 1}, rung.default_tile, target(Math::fp64_int8));
      !problem.empty())
    throw Refused(problem);
  const GemmShape shape = product.shape();
  if (const std::string_view why = detail::why_not_int8(shape, Path::native, Type::fp64); !why.empty())
    return {0, {}, {}, why};
  Int8Guard guard;
  if (shape.m > 0 && shape.n > 0) {
    const auto reached = [device = current_device()](const void* address) {
      return reaches(device, address);
    };
    detail::check_reached("A", A.data, reached);
    detail::check_reached("B", B.data, reached);
    const auto [a, b] = spreads(stream, product);
    guard.a = a, guard.b = b;
  }
  guard.decide(shape.k);
  return guard;
}

}  // namespace rooftile::cuda_native
