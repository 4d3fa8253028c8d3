// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Launches the kernels that compute scales, for each element type.
#include <array>
#include <cstring>

#include "cuda_native/fp64_int8/multiply.hpp"
#include "cuda_native/fp64_int8/scales.cuh"
#include "cuda_native/fp64_int8/scales.hpp"
#include "cuda_native/launch.cuh"

namespace rooftile::cuda_native {
namespace residues {

template <class T>
Guard start_scales(cudaStream_t stream, const Parts<T>& parts, Index k, int named) {
  Guard guard{parts.seen, part_count<T> * k, named, 0};
  const auto blocks = [&]<bool contiguous>(const Operand<T>& of) {
    return blocks_of(of.X.rows, RowReaders<contiguous>::rows);
  };
  const auto count = [&](const Operand<T>& of) {
    with_layout(of.X, [&]<bool contiguous>() { guard.blocks += blocks.template operator()<contiguous>(of); });
  };
  count(parts.a);
  count(parts.b);
  const auto start = [&](const Operand<T>& of, int of_b) {
    with_layout(of.X, [&]<bool contiguous>() {
      launch_kernel(stream, find_scales<contiguous, T>, dim3(blocks.template operator()<contiguous>(of)),
                    dim3(RowReaders<contiguous>::threads), 0, of, guard, of_b);
    });
  };
  check(cudaMemsetAsync(parts.seen, 0, sizeof(Seen), stream), "clear a guard's findings");
  start(parts.a, 0);
  start(parts.b, 1);
  return guard;
}

}  // namespace residues

template <class T>
std::array<rooftile::residues::Spread, 2> spreads(cudaStream_t stream, const BatchArgs<T>& product) {
  const GemmShape shape = product.shape();
  const detail::ResidueChunks chunks{shape, 0, 0};  // no planes
  Workspace workspace(stream, chunks.bytes(), nullptr);
  const residues::Parts<T> parts(workspace.take<char>(chunks.bytes()), product, chunks);
  residues::start_scales(stream, parts, shape.k, 0);
  residues::Seen seen;
  check(cudaMemcpyAsync(&seen, parts.seen, sizeof seen, cudaMemcpyDeviceToHost, stream),
        "read a guard's findings");
  check(cudaStreamSynchronize(stream), "wait for a guard");
  const auto spread = [&](int of_b) {
    double squared;
    std::memcpy(&squared, &seen.squared[of_b], sizeof squared);
    return rooftile::residues::Spread{squared, seen.not_finite[of_b] == 0};
  };
  return {spread(0), spread(1)};
}

template residues::Guard residues::start_scales(cudaStream_t, const Parts<double>&, Index, int);
template residues::Guard residues::start_scales(cudaStream_t, const Parts<complex<double>>&, Index, int);
template std::array<rooftile::residues::Spread, 2> spreads(cudaStream_t, const BatchArgs<double>&);
template std::array<rooftile::residues::Spread, 2> spreads(cudaStream_t, const BatchArgs<complex<double>>&);

}  // namespace rooftile::cuda_native
