// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Packs and unpacks messages: copies a block whose rows and columns form runs, word by word.
#include <algorithm>

#include "cuda_native/check.hpp"
#include "distributed/nccl/copy_runs.hpp"

namespace rooftile::distributed {

namespace {

constexpr int threads = 256, lines_at_once = 4;

/// The sign of the imaginary part is the most significant bit.
__device__ std::uint64_t conjugate(std::uint64_t x) {
  return x ^ std::uint64_t{1} << 63;
}
__device__ uint4 conjugate(uint4 x) {
  return {x.x, x.y, x.z, x.w ^ 1u << 31};
}

/// Each thread copies one word along x, whose place it looks up once, for every gridDim.y-th group of lines
/// along y.
template <class Word, bool conjugates>
__global__ void __launch_bounds__(threads)
    copy_runs(RunCopy copy, Index word, const Word* __restrict__ from, Word* __restrict__ to) {
  const Index i = (static_cast<Index>(blockIdx.x) * threads + threadIdx.x) * word;  // elements per word
  if (i >= copy.x.extent) return;
  const Axis::Place x = copy.x.place(i);
  const Index step = static_cast<Index>(gridDim.y) * lines_at_once;
  for (Index first = static_cast<Index>(blockIdx.y) * lines_at_once; first < copy.y.extent; first += step) {
    Word words[lines_at_once];
    Index places[lines_at_once];
#pragma unroll
    for (int line = 0; line < lines_at_once; ++line) {
      if (first + line >= copy.y.extent) break;
      const RunCopy::Offsets at = copy.offsets(x, copy.y.place(first + line));
      words[line] = from[at.from / word], places[line] = at.to / word;
    }
#pragma unroll
    for (int line = 0; line < lines_at_once; ++line) {
      if (first + line >= copy.y.extent) break;
      if constexpr (conjugates) words[line] = conjugate(words[line]);
      to[places[line]] = words[line];
    }
  }
}

template <class Word, bool conjugates = false>
void start(cudaStream_t stream, const RunCopy& copy, Index word, const void* from, void* to) {
  constexpr Index max_blocks = 65535, enough = 8192;  // thread blocks, many per SM
  const Index across = (copy.x.extent / word + threads - 1) / threads;
  const Index lines = (copy.y.extent + lines_at_once - 1) / lines_at_once;
  const Index down = std::clamp<Index>(enough / across, 1, std::min(lines, max_blocks));
  const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(down));
  copy_runs<Word, conjugates>
      <<<grid, threads, 0, stream>>>(copy, word, static_cast<const Word*>(from), static_cast<Word*>(to));
  cuda_native::check(cudaGetLastError(), "start a kernel that packs or unpacks messages");
}

}  // namespace

void start_copy(cudaStream_t stream, const RunCopy& given, int size, Index word_of_x, Index word_of_y,
                const void* from, void* to) {
  if (given.x.extent == 0 || given.y.extent == 0) return;
  const auto [copy, bytes] = in_words(given, size, word_of_x, word_of_y, from, to);
  const Index word = bytes / size;
  if (copy.conjugates) {
    return bytes == 8 ? start<std::uint64_t, true>(stream, copy, word, from, to)
                      : start<uint4, true>(stream, copy, word, from, to);
  }
  switch (bytes) {
    case 2:
      return start<std::uint16_t>(stream, copy, word, from, to);
    case 4:
      return start<std::uint32_t>(stream, copy, word, from, to);
    case 8:
      return start<std::uint64_t>(stream, copy, word, from, to);
    default:
      return start<uint4>(stream, copy, word, from, to);
  }
}

}  // namespace rooftile::distributed
