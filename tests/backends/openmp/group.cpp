// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "backends/openmp/group.hpp"

#include <numeric>
#include <random>

#include <catch2/catch_template_test_macros.hpp>

namespace rooftile {
namespace {

using namespace portable;

/// Blocks of real numbers for AVX-512.
constexpr TileShape wide{126, 2048, 1024, 14, 32};

/// Products of nothing but extents and strides.
template <class T>
std::vector<GemmArgs<T>> group(const std::vector<GemmShape>& shapes) {
  std::vector<GemmArgs<T>> products;
  const T* const none = nullptr;
  for (const auto& [m, n, k] : shapes) {
    products.push_back({Scalar<T>(1), row_major(none, m, k), row_major(none, k, n), Scalar<T>(0),
                        row_major<T>(nullptr, m, n)});
  }
  return products;
}

template <class T>
GroupSharing sharing(const std::vector<GemmShape>& shapes, int threads) {
  const std::vector<GemmArgs<T>> products = group<T>(shapes);
  return sharing_of<T>(products, wide, threads);
}

std::vector<GemmShape> random_shapes(unsigned seed) {
  std::mt19937 bits(seed);
  const auto extent = [&] {
    const double exponent = std::uniform_real_distribution<double>(0, 7)(bits);
    return static_cast<Index>(std::exp(exponent)) - (bits() % 20 == 0 ? 1 : 0);
  };
  std::vector<GemmShape> shapes(std::uniform_int_distribution<std::size_t>(0, 300)(bits));
  for (GemmShape& shape : shapes) shape = {extent(), extent(), extent()};
  return shapes;
}

TEMPLATE_LIST_TEST_CASE("each product of a group that is not empty is computed once", "[group]", Elements) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<GemmShape> shapes = random_shapes(seed);
    for (const int threads : {1, 2, 5, 64}) {
      INFO("seed " << seed << ", " << threads << " threads");
      const GroupSharing how = sharing<TestType>(shapes, threads);
      std::vector<int> computed(shapes.size(), 0);
      for (const Index i : how.together) ++computed.at(static_cast<std::size_t>(i));
      for (const Index i : how.apart) ++computed.at(static_cast<std::size_t>(i));
      for (std::size_t i = 0; i < shapes.size(); ++i)
        CHECK(computed[i] == (shapes[i].m > 0 && shapes[i].n > 0 ? 1 : 0));
      if (threads == 1) CHECK(how.apart.empty());
      if (how.apart.empty()) continue;
      CHECK((how.begins.front() == 0 && how.begins.back() == static_cast<Index>(how.apart.size())));
      CHECK(std::is_sorted(how.begins.begin(), how.begins.end(), std::less_equal<>()));
      // The larger ones first, within a factor of 2.
      double smallest = std::numeric_limits<double>::infinity();
      for (const Index i : how.apart) {
        const double work = multiply_adds<TestType>(shapes[static_cast<std::size_t>(i)]);
        CHECK(work < 2 * std::max(smallest, 1.0));
        smallest = std::min(smallest, work);
      }
    }
  }
}

TEST_CASE("threads divide what is worth it, and the others share a product", "[group]") {
  const GemmShape small{16, 16, 16}, fits{220, 220, 220}, large{1000, 1000, 1000};
  using Numbers = std::vector<Index>;
  // What one thread computes before the others are awake.
  CHECK(sharing<float>({small, small}, 4).together == Numbers{0, 1});
  const std::vector<GemmShape> as_much(125, small);  // 80³ multiply-adds
  CHECK(sharing<float>(as_much, 4).apart.empty());
  CHECK(sharing<float>(std::vector<GemmShape>(126, small), 4).together.empty());
  // As many as there are threads, of those that fit L2.
  CHECK(sharing<float>({fits, fits, fits}, 4).together == Numbers{0, 1, 2});
  CHECK(sharing<float>({fits, fits, fits, fits}, 4).apart == Numbers{0, 1, 2, 3});
  const GemmShape in_place{700, 16, 600};  // beyond L2, but little for one thread, which packs nothing
  CHECK(sharing<float>({in_place, in_place}, 2).apart == Numbers{0, 1});
  CHECK(sharing<bfloat16>({fits, fits, fits, fits}, 4).elements > 0);  // whose operands are packed
  const GroupSharing mixed = sharing<float>({small, large, fits, small, large, fits}, 2);
  CHECK((mixed.together == Numbers{1, 4} && mixed.apart == Numbers{2, 5, 0, 3}));
  CHECK(mixed.begins.size() == 4);  // small ones in one piece
  // A row of complex numbers is a product of real ones, which all threads share.
  CHECK(sharing<complex<float>>({{1, 400, 400}, fits, fits}, 2).together == Numbers{0});
}

TEST_CASE("a batch's products have one thread each, all threads together, or the calling one", "[group]") {
  struct Shared {
    int each, together;
    bool small;

    bool operator==(const Shared&) const = default;
  };
  const auto shared = [](const GemmShape& shape, Index count, int threads) {
    const BatchArgs<float> batch{group<float>({shape})[0], {.count = count}};
    const Sharing how = sharing_of(batch, wide, threads);
    return Shared{how.each, how.together, how.small};
  };
  CHECK(shared({16, 16, 16}, 1, 4) == Shared{1, 1, true});
  CHECK(shared({16, 16, 16}, 125, 4) == Shared{1, 1, true});
  CHECK(shared({16, 16, 16}, 1000, 4) == Shared{4, 1, false});
  CHECK(shared({100, 100, 60}, 3, 4) == Shared{1, 4, false});  // fewer than threads
  CHECK(shared({70, 70, 70}, 3, 4) == Shared{3, 1, false});
  CHECK(shared({1000, 1000, 1000}, 1, 4) == Shared{1, 4, false});
  CHECK(shared({1000, 1000, 1000}, 64, 4) == Shared{1, 4, false});
}

}  // namespace
}  // namespace rooftile
