// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The kernel `small_batched` on the host, with its threads executed in sequence.
#include "device/common/small_tiles.hpp"

#include <random>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "device/common/tile.hpp"
#include "numerics/reference.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile {
namespace {

constexpr int threads = rung_of(Kernel::small_batched).block_threads;

/// Executes one phase of the kernel (the code between two barriers) for all threads, then the next.
template <class T, TileShape shape>
void multiply(const BatchArgs<T>& batch) {
  using Tiles = detail::SmallTiles<T, Tile<shape, 0>, threads, BatchArgs<T>>;
  std::vector<typename Tiles::Sum> shared(std::size_t{Tiles::elements});
  const Index blocks = (batch.batch.count + Tiles::tiles - 1) / Tiles::tiles;
  for (Index block = 0; block < blocks; ++block) {
    std::vector<typename Tiles::Accumulator> accumulators(std::size_t{threads});
    const auto each = [&](const auto& phase) {
      for (int rank = 0; rank < threads; ++rank)
        phase(Tiles(batch, shared.data(), block, rank), accumulators[static_cast<std::size_t>(rank)]);
    };
    for (Index k0 = 0; k0 < batch.first.A.cols; k0 += shape.bk) {
      each([&](const Tiles& tiles, auto&) { tiles.load(k0); });
      each([&](const Tiles& tiles, auto& acc) { tiles.multiply_add(acc); });
    }
    each([&](const Tiles& tiles, auto& acc) { tiles.keep(acc); });
    each([&](const Tiles& tiles, auto&) { tiles.store(); });
  }
}

/// Exact integer products in every layout of A, B and C.
template <class T, TileShape shape>
void check(Index m, Index n, Index k, Index count) {
  std::mt19937_64 bits(5);
  const auto filled = [&](Index elements) {
    std::vector<T> x(static_cast<std::size_t>(elements));
    for (T& e : x) e = detail::from_parts<T>([&] { return static_cast<float>(bits() % 3) - 1.0F; });
    return x;
  };
  std::vector<T> a = filled(count * m * k), b = filled(count * k * n), c = filled(count * m * n);
  const auto matrix = [](auto* data, Index rows, Index cols, bool by_rows) {
    return by_rows ? row_major(data, rows, cols) : column_major(data, rows, cols);
  };
  for (int order = 0; order < 8; ++order) {
    std::vector<T> result = c;
    const auto args = [&](T* to) -> BatchArgs<T> {
      return {{Scalar<T>(2), matrix(static_cast<const T*>(a.data()), m, k, (order & 1) == 0),
               matrix(static_cast<const T*>(b.data()), k, n, (order & 2) == 0), Scalar<T>(1),
               matrix(to, m, n, (order & 4) == 0)},
              {count, m * k, k * n, m * n}};
    };
    multiply<T, shape>(args(result.data()));
    for (Index i = 0; i < count; ++i) {
      INFO(to_string(type_of<T>()) << ' ' << m << 'x' << n << 'x' << k << " order " << order << " entry "
                                   << i);
      const Reference<T> reference(args(c.data()).product(i));
      CHECK(reference.compare_exact(args(result.data()).product(i).C).passed());
    }
  }
}

TEMPLATE_TEST_CASE("entries that share a thread block are multiplied, whatever their extents and order",
                   "[small_tiles]", float, double, float16, bfloat16, complex<float>) {
  check<TestType, ladder_tiles::small_batched[0]>(3, 4, 5, 70);
  check<TestType, ladder_tiles::small_batched[1]>(8, 5, 9, 17);
  check<TestType, ladder_tiles::small_batched[2]>(16, 11, 3, 9);
  check<TestType, ladder_tiles::small_batched[3]>(32, 32, 8, 4);
  check<TestType, ladder_tiles::small_batched[3]>(31, 17, 21, 5);
}

}  // namespace
}  // namespace rooftile
