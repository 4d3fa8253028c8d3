// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The rungs with matrix instructions, and `pipelined`, on a tile of C, executed by host threads
// (`emulated/`). Checks element positions, and that no data is read before the wait for it.
#include <array>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"
#include "device/common/tile.hpp"
#include "device/nvidia/mma_pipeline.hpp"
#include "device/nvidia/mma_tile.hpp"
#include "plan/batch_parts.hpp"
#include "plan/register_blocks.hpp"
#include "warp.hpp"

namespace rooftile::testing {
namespace {

/// A product whose operands have any layout, conjugated or not.
template <class T>
struct Product {
  Index m, n, k;
  bool a_by_k, b_by_k, conjugates_a, conjugates_b;
  std::vector<T> a, b, c;

  template <class Random>
  Product(std::array<Index, 3> shape, std::array<bool, 4> ways, Random& random)
      : m(shape[0]),
        n(shape[1]),
        k(shape[2]),
        a_by_k(ways[0]),
        b_by_k(ways[1]),
        conjugates_a(ways[2]),
        conjugates_b(ways[3]) {
    const auto fill = [&](std::vector<T>& x, Index size) {
      for (Index i = 0; i < size; ++i)
        x.push_back(detail::from_parts<T>([&] { return static_cast<float>(random() % 7) - 3; }));
    };
    fill(a, m * k), fill(b, k * n), fill(c, m * n);
  }

  MatrixRef<const T> A() const {
    const auto A = a_by_k ? row_major(a.data(), m, k) : column_major(a.data(), m, k);
    return conjugates_a ? A.conjugated() : A;
  }
  MatrixRef<const T> B() const {
    const auto B = b_by_k ? column_major(b.data(), k, n) : row_major(b.data(), k, n);
    return conjugates_b ? B.conjugated() : B;
  }

  T element(Index i, Index j) const {
    Scalar<T> sum{};
    for (Index l = 0; l < k; ++l)
      detail::multiply_add(sum, Scalar<T>(A().value(i, l)), Scalar<T>(B().value(l, j)));
    return static_cast<T>(Scalar<T>(2) * sum - Scalar<T>(c[static_cast<std::size_t>(i * n + j)]));
  }
};

/// Computes 2·A·B − C tile by tile and counts the elements that differ from the definition.
/// @param multiply  computes acc += A·B over a tile, as in a kernel
template <class Acc, class Tile, class T, class Ring, class Multiply>
int wrong_elements(const Product<T>& p, Ring*, const Multiply& multiply) {
  const MatrixRef<const T> A = p.A(), B = p.B();
  std::vector<T> result = p.c;
  const MatrixRef<T> C = row_major(result.data(), p.m, p.n);
  std::vector<T> panels(Ring::elements, std::numeric_limits<T>::quiet_NaN());
  for (Index row0 = 0; row0 < p.m; row0 += Tile::bm()) {
    for (Index col0 = 0; col0 < p.n; col0 += Tile::bn()) {
      run_team(Tile::max_threads, [&](const EmulatedTeam& team) {
        Acc acc(team.rank(), detail::conjugates_b(A, B));
        multiply(team, acc, Ring{panels.data()}, A, B, row0, col0);
        acc.store(C, row0, col0, team.rank(), Scalar<T>(2), Scalar<T>(-1), detail::reads_conjugates(A));
      });
    }
  }
  int wrong = 0;
  for (Index i = 0; i < p.m; ++i) {
    for (Index j = 0; j < p.n; ++j) wrong += C(i, j) == p.element(i, j) ? 0 : 1;
  }
  return wrong;
}

template <class T, TileShape shape>
using TileOf = Tile<shape, detail::teams_per_sm(shape, type_of<T>())>;

/// The panel ring of the native kernel.
template <Kernel kernel, class T, class Tile, detail::Major a, detail::Major b>
using RingOf = detail::PanelRing<T, Tile, detail::stages(rung_of(kernel), Tile::shape, type_of<T>()),
                                 detail::has_fragments(rung_of(kernel), type_of<T>()), a, b>;

/// Calls f(product) for every layout of A and B, each with and without conjugation.
template <class T, class F>
void for_each_way(std::array<Index, 3> extents, const F& f) {
  std::mt19937 random(20261125);
  for (int ways = 0; ways < (detail::is_complex<T> ? 16 : 4); ++ways) {
    const auto way = [&](int bit) { return (ways >> bit & 1) != 0; };
    INFO(to_string(type_of<T>()) << " ways " << ways);
    f(Product<T>(extents, {way(0), way(1), way(2), way(3)}, random));
  }
}

/// @tparam vectors  whether lines consist of whole vectors, which selects the vector kernel
template <class T, TileShape shape, bool vectors>
void check_tile(std::array<Index, 3> extents) {
  constexpr Kernel kernel = Kernel::tensor_core;
  static_assert(detail::is_built(rung_of(kernel), Path::native, shape, type_of<T>()));
  using Tile = TileOf<T, shape>;
  for_each_way<T>(extents, [&](const Product<T>& p) {
    detail::with_majors(p.A(), p.B(), [&]<detail::Major a, detail::Major b>() {
      RingOf<kernel, T, Tile, a, b>* ring = nullptr;
      const auto multiply = [](const auto& team, auto& acc, const auto& panels, const auto&... rest) {
        detail::multiply_fragments<T, Tile, vectors>(team, acc, panels, rest...);
      };
      CHECK(wrong_elements<detail::MmaTile<T, Tile>, Tile>(p, ring, multiply) == 0);
    });
  });
}

TEST_CASE("matrix instructions multiply complex numbers in tf32 as the definition does", "[fragments]") {
  check_tile<complex<float>, TileShape{32, 64, 16, 4, 4}, false>({37, 68, 41});
  check_tile<complex<float>, TileShape{64, 64, 16, 8, 4}, false>({64, 63, 21});
}

TEST_CASE("matrix instructions multiply complex numbers in fp64 as the definition does", "[fragments]") {
  check_tile<complex<double>, TileShape{32, 64, 16, 4, 4}, false>({33, 66, 19});
  check_tile<complex<double>, TileShape{32, 16, 16, 4, 1}, false>({33, 17, 21});
  check_tile<complex<double>, TileShape{64, 64, 16, 4, 4}, false>({63, 64, 12});
}

/// The main loop of `pipelined`, which uses no matrix instructions.
template <class T, TileShape shape>
void check_registers(std::array<Index, 3> extents) {
  constexpr Kernel kernel = Kernel::pipelined;
  static_assert(detail::is_built(rung_of(kernel), Path::native, shape, type_of<T>()));
  using Tile = TileOf<T, shape>;
  for_each_way<T>(extents, [&](const Product<T>& p) {
    RingOf<kernel, T, Tile, detail::Major::x, detail::Major::x>* ring = nullptr;
    const auto multiply = [](const auto& team, auto& acc, const auto& panels, const auto&... rest) {
      detail::multiply_pipelined<T, Tile>(team, acc, panels, rest...);
    };
    CHECK(wrong_elements<detail::RegisterTile<T, Tile>, Tile>(p, ring, multiply) == 0);
  });
}

TEST_CASE("threads multiply complex numbers in registers as the definition does", "[registers]") {
  check_registers<complex<float>, TileShape{32, 64, 8, 4, 4}>({37, 70, 21});
  check_registers<complex<double>, TileShape{32, 64, 8, 4, 4}>({30, 65, 17});
}

TEST_CASE("matrix instructions multiply fp64, tf32 and 16 bits as the definition does", "[fragments]") {
  check_tile<double, TileShape{32, 64, 16, 4, 4}, false>({35, 70, 29});
  check_tile<double, TileShape{32, 32, 16, 4, 2}, true>({34, 70, 30});
  check_tile<float, TileShape{32, 64, 16, 4, 4}, true>({32, 128, 48});
  check_tile<float, TileShape{32, 64, 16, 4, 4}, false>({33, 67, 35});
  check_tile<bfloat16, TileShape{32, 64, 32, 4, 4}, true>({32, 64, 96});
  check_tile<float16, TileShape{32, 64, 32, 4, 4}, false>({31, 62, 67});
}

}  // namespace
}  // namespace rooftile::testing
