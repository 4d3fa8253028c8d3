// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/depths.cuh"
#include "cuda_native/fp64_int8/row_readers.cuh"
#include "cuda_native/fp64_int8/workspace.hpp"

/// The properties of each row of an operand (`RowScale`): its largest magnitude, its norm and its depth.
namespace rooftile::cuda_native::residues {

/// The largest magnitude that a thread read. Low bits that do not affect its exponent may be lost.
struct Largest {
  unsigned high = 0, low = 0;  ///< words of a double; low counts if high is 0

  __device__ void add(double x) {
    high = max(high, static_cast<unsigned>(__double2hiint(x)) & 0x7fffffffu);
    low = max(low, static_cast<unsigned>(__double2loint(x)));
  }
  __device__ double number() const {
    return __hiloint2double(static_cast<int>(high), high == 0 ? static_cast<int>(low) : 0);
  }
};

/// Computes the scales of an operand's rows and passes them to the guard. The last block of the launches for
/// both operands computes the number of moduli.
template <bool contiguous, class T>
__global__ void __launch_bounds__(RowReaders<contiguous>::threads)
    find_scales(Operand<T> of, Guard guard, int of_b) {
  using Readers = RowReaders<contiguous, T>;
  const Readers row(of.matrix());
  const Index k = part_count<T> * of.X.cols;

  Largest seen;
  row.for_elements([&](const auto& x) {
#pragma unroll
    for (int j = 0; j < Readers::at_once; ++j) seen.add(x[j]);
  });
  const auto larger = [](unsigned x, unsigned y) { return max(x, y); };
  seen = {over_row<contiguous>(seen.high, larger), over_row<contiguous>(seen.low, larger)};
  const double largest = seen.number();

  RowScale scale{0, 0, 0};
  const bool finite = is_finite(largest);
  if (finite && largest > 0) scale.exponent = exponent_of(largest);
  double squares = 0;
  RowDepths<contiguous> found;
  row.for_elements([&](const auto& x) {
#pragma unroll
    for (int j = 0; j < Readers::at_once; ++j) {
      const double fraction = times_power(x[j], -scale.exponent);
      squares += fraction * fraction;
      found.add(fraction);
    }
    found.count(Readers::at_once);
  });
  squares = over_row<contiguous>(squares, [](double x, double y) { return x + y; });
  found.finish();
  if (Readers::leads() && row.is_there()) {
    if (!finite) {
      scale = {infinity, 0, depths};
    } else if (largest > 0) {
      scale.squares = squares * (1 + static_cast<double>(k + 2) * 0x1p-52);
      scale.depth = found.of_most(k);
    }
    of.scales[row.number()] = scale;
    Spread spread;
    add_row(spread, scale, k);
    guard.see(spread, of_b);
  }
  __syncthreads();
  if (threadIdx.x == 0) guard.finish_block();
}

}  // namespace rooftile::cuda_native::residues
