// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/parts.hpp"

#include <random>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "cpu/group.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using namespace portable;
using testing::seed;

/// A row-major or column-major matrix.
template <class T>
MatrixRef<T> matrix(bool by_rows, T* data, Index rows, Index cols) {
  return by_rows ? row_major(data, rows, cols) : column_major(data, rows, cols);
}

TEST_CASE("a complex product with few rows or columns leaves the large operand where it lies", "[plan]") {
  using Z = complex<double>;
  const TileShape blocks{56, 1024, 1024, 14, 16};
  const Z* const none = nullptr;
  const auto parts_of = [&](const GemmArgs<Z>& args) {
    const detail::CpuProduct product = detail::cpu_product<Z>(args);
    return detail::parts_of(args.C.rows <= args.C.cols ? product : product.transposed(), blocks);
  };
  const auto parts = [&](const GemmShape& shape, bool a_by_rows, bool b_by_rows) {
    const auto [m, n, k] = shape;
    return parts_of(
        {1, matrix(a_by_rows, none, m, k), matrix(b_by_rows, none, k, n), 0, row_major<Z>(nullptr, m, n)});
  };
  CHECK((parts({2, 1000, 1000}, true, true) == CpuParts::rows &&
         parts({2, 1000, 1000}, true, false) == CpuParts::columns));
  CHECK((parts({1000, 2, 1000}, true, true) == CpuParts::columns &&
         parts({1000, 2, 1000}, false, true) == CpuParts::rows));
  // Split by rows: products that stream B, with few rows and a B larger than half of L2 (57,344 real
  // numbers).
  CHECK(parts({3, 1000, 1000}, true, true) == CpuParts::none);
  CHECK((parts({2, 256, 112}, true, true) == CpuParts::none &&
         parts({2, 256, 113}, true, true) == CpuParts::rows));
  // Split by columns: products with vectors along K.
  CHECK((parts({3, 20, 64}, true, false) == CpuParts::columns &&
         parts({3, 20, 63}, true, false) == CpuParts::none &&
         parts({4, 1000, 1000}, true, false) == CpuParts::none));
  CHECK(parts({3, 3, 1'000'000}, true, false) == CpuParts::none);          // too large to be a small operand
  constexpr Index longest = detail::small_operand / (4 * sizeof(double));  // for one row
  CHECK((parts({1, 20, longest}, true, false) == CpuParts::columns &&
         parts({1, 20, longest + 1}, true, false) == CpuParts::none));
  const GemmArgs<Z> strided{
      1, row_major(none, 1, 900), {none, 900, 700, 2100, 3}, 0, row_major<Z>(nullptr, 1, 700)};
  CHECK(parts_of(strided) == CpuParts::none);
}

TEST_CASE("products of parts take equally many columns at a time", "[plan]") {
  for (const Index n : {1, 5, 8191, 8192, 8193, 100'000}) {
    const Index columns = detail::columns_at_a_time(CpuParts::rows, {4, n, 100}, sizeof(double));
    CHECK((columns >= 1 && columns <= 8192 && columns * ((n + columns - 1) / columns) >= n));
  }
  CHECK(detail::columns_at_a_time(CpuParts::columns, {4, 16384, 1}, sizeof(double)) == 16384);
}

TEMPLATE_TEST_CASE("products of parts are those of complex numbers", "[packed]", float, double) {
  using R = TestType;
  using Z = complex<R>;
  std::mt19937_64 bits(seed);
  const auto filled = [&](Index count) {
    std::vector<Z> all(static_cast<std::size_t>(count));
    for (Z& z : all)
      z = detail::from_parts<Z>([&] { return static_cast<R>(static_cast<int>(bits() % 7) - 3); });
    return all;
  };
  for (const GemmShape& shape :
       {GemmShape{1, 1, 1}, {1, 7, 5}, {3, 20, 9}, {2, 150'000, 2}, {1, 300'001, 1}}) {
    const auto [m, n, k] = shape;
    const std::vector<Z> a = filled(m * k), b = filled(k * n), before = filled(m * n);
    for (int how = 0; how < 8; ++how) {
      const bool by_rows = (how & 1) != 0;
      GemmArgs<Z> args{{2, -1}, row_major(a.data(), m, k), matrix(by_rows, b.data(), k, n), {0, 3}, {}};
      if ((how & 2) != 0) args.A = args.A.conjugated();
      if ((how & 4) != 0) args.B = args.B.conjugated();
      std::vector<Z> c = before;
      args.C = row_major(c.data(), m, n);
      Index products = 0;
      const CpuParts parts = by_rows ? CpuParts::rows : CpuParts::columns;
      const Index columns = detail::columns_at_a_time(parts, shape, sizeof(R));
      multiply_parts(parts, args, columns, [&](const GemmArgs<R>& product) {
        testing::multiply(product);
        ++products;
      });
      CHECK((products > 1) == (n > 100'000));
      Index wrong = 0;
      for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < n; ++j) {
          Z sum = 0;
          for (Index l = 0; l < k; ++l) sum += args.A.value(i, l) * args.B.value(l, j);
          const Z expected = args.alpha * sum + args.beta * before[static_cast<std::size_t>(i * n + j)];
          wrong += args.C(i, j) == expected ? 0 : 1;
        }
      }
      INFO(to_string(shape) << " how " << how);
      CHECK(wrong == 0);
    }
  }
}

/// Blocks of real numbers for AVX-512.
constexpr TileShape wide{126, 2048, 1024, 14, 32};

/// Products that consist of extents and strides only, without data.
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
detail::CpuGroup sharing(const std::vector<GemmShape>& shapes, int threads) {
  std::vector<detail::CpuProduct> products;
  for (const GemmArgs<T>& args : group<T>(shapes)) products.push_back(detail::cpu_product<T>(args));
  return detail::plan_cpu_group(products, wide, threads);
}

std::vector<GemmShape> random_shapes(unsigned number) {
  std::mt19937 bits(number);
  const auto extent = [&] {
    const double exponent = std::uniform_real_distribution<double>(0, 7)(bits);
    return static_cast<Index>(std::exp(exponent)) - (bits() % 20 == 0 ? 1 : 0);
  };
  std::vector<GemmShape> shapes(std::uniform_int_distribution<std::size_t>(0, 300)(bits));
  for (GemmShape& shape : shapes) shape = {extent(), extent(), extent()};
  return shapes;
}

TEMPLATE_LIST_TEST_CASE("each product of a group that is not empty is computed once", "[group]", Elements) {
  for (unsigned number = 0; number < 200; ++number) {
    const std::vector<GemmShape> shapes = random_shapes(number);
    for (const int threads : {1, 2, 5, 64}) {
      INFO("seed " << number << ", " << threads << " threads");
      const detail::CpuGroup how = sharing<TestType>(shapes, threads);
      std::vector<int> computed(shapes.size(), 0);
      for (const Index i : how.cooperative) ++computed.at(static_cast<std::size_t>(i));
      for (const Index i : how.independent) ++computed.at(static_cast<std::size_t>(i));
      for (std::size_t i = 0; i < shapes.size(); ++i)
        CHECK(computed[i] == (shapes[i].m > 0 && shapes[i].n > 0 ? 1 : 0));
      if (threads == 1) CHECK(how.independent.empty());
      if (how.independent.empty()) continue;
      CHECK((how.begins.front() == 0 && how.begins.back() == how.independent.size()));
      CHECK(std::is_sorted(how.begins.begin(), how.begins.end(), std::less_equal<>()));
      // The larger products come first, within a factor of 2.
      double smallest = std::numeric_limits<double>::infinity();
      for (const Index i : how.independent) {
        const double work =
            detail::multiply_adds({shapes[static_cast<std::size_t>(i)], own_mode<TestType>(), {}, {}});
        CHECK(work < 2 * std::max(smallest, 1.0));
        smallest = std::min(smallest, work);
      }
    }
  }
}

TEST_CASE("threads divide small products of a group among them, and share large ones", "[group]") {
  const GemmShape small{16, 16, 16}, fits{220, 220, 220}, large{1000, 1000, 1000};
  using Numbers = std::vector<Index>;
  // One thread computes this product before other threads wake up.
  CHECK(sharing<float>({small, small}, 4).cooperative == Numbers{0, 1});
  const std::vector<GemmShape> as_much(125, small);  // 80³ multiply-adds
  CHECK(sharing<float>(as_much, 4).independent.empty());
  CHECK(sharing<float>(std::vector<GemmShape>(126, small), 4).cooperative.empty());
  // At least as many products as threads, each of which fits L2: one thread per product.
  CHECK(sharing<float>({fits, fits, fits}, 4).cooperative == Numbers{0, 1, 2});
  CHECK(sharing<float>({fits, fits, fits, fits}, 4).independent == Numbers{0, 1, 2, 3});
  const GemmShape unpacked{700, 16, 600};  // exceeds L2, but one thread computes it unpacked
  CHECK(sharing<float>({unpacked, unpacked}, 2).independent == Numbers{0, 1});
  CHECK(sharing<bfloat16>({fits, fits, fits, fits}, 4).plans[0].space.elements() > 0);  // they are packed
  const detail::CpuGroup mixed = sharing<float>({small, large, fits, small, large, fits}, 2);
  CHECK((mixed.cooperative == Numbers{1, 4} && mixed.independent == Numbers{2, 5, 0, 3}));
  CHECK(mixed.begins.size() == 4);  // all small ones in one piece
  // A complex product with one row becomes a product of real numbers, which all threads share.
  CHECK(sharing<complex<float>>({{1, 400, 400}, fits, fits}, 2).cooperative == Numbers{0});
}

TEST_CASE("a batch's products have one thread each, all threads together, or the calling one", "[group]") {
  struct Shared {
    int each, together;
    bool small;

    bool operator==(const Shared&) const = default;
  };
  const auto shared = [](const GemmShape& shape, Index count, int threads) {
    const BatchArgs<float> batch{group<float>({shape})[0], {.count = count}};
    const CpuPlan how = detail::plan_on_cpu(detail::cpu_product(batch), wide, threads);
    return Shared{how.independent, how.cooperative, how.single_threaded && how.independent == 1};
  };
  CHECK(shared({16, 16, 16}, 1, 4) == Shared{1, 1, true});
  CHECK(shared({16, 16, 16}, 125, 4) == Shared{1, 1, true});
  CHECK(shared({16, 16, 16}, 1000, 4) == Shared{4, 1, false});
  CHECK(shared({100, 100, 60}, 3, 4) == Shared{1, 4, false});  // fewer products than threads
  CHECK(shared({70, 70, 70}, 3, 4) == Shared{3, 1, false});
  CHECK(shared({1000, 1000, 1000}, 1, 4) == Shared{1, 4, false});
  CHECK(shared({1000, 1000, 1000}, 64, 4) == Shared{1, 4, false});
}

}  // namespace
}  // namespace rooftile
