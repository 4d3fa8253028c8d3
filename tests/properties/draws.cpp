// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Checks the random products that a GPU would get: they include the shapes that the kernels' checks are for.
#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "draw.hpp"
#include "operand.hpp"
#include "rooftile/error.hpp"
#include "tally.hpp"

namespace rooftile::testing {
namespace {

constexpr Limits gpu{4e9, std::size_t{1} << 30, 100000, 20000};
constexpr Limits emulated{2e6, std::size_t{1} << 18, 100000, 20000};

const std::vector<KernelName>& kernels() {
  static const std::vector<KernelName> names{
      {"naive", "16x16", ComputeMode::fp32, Fits::any, {16, 16, 1}},
      {"tiled", "32x32x32", ComputeMode::fp64, Fits::multiples_of_tile, {32, 32, 32}},
      {"single_block", "", ComputeMode::fp32, Fits::one_block, {}},
      {"warpgroup", "128x192x32", ComputeMode::bf16, Fits::any, {128, 192, 32}},
      {"automatic", "", ComputeMode::bf16, Fits::any, {}},
      {"pipelined", "64x64x16", ComputeMode::cfp32, Fits::any, {64, 64, 16}},
      {"packed", "8x64x512", ComputeMode::fp16_fp32, Fits::any, {8, 64, 512}},
      {"packed", "8x64x512", ComputeMode::int8_int32, Fits::any, {8, 64, 512}},
  };
  return names;
}

std::vector<Case> draw(int cases, const Limits& limits) {
  const rc::Gen<Case> random = cases_of("native", kernels(), limits);
  std::vector<Case> all;
  rc::Random seeds(20261122);
  for (int i = 0; i < cases; ++i) all.push_back(random(seeds.split()).value());
  return all;
}

/// 3,200 cases as drawn for a GPU.
const std::vector<Case>& drawn() {
  static const std::vector<Case> cases = draw(3200, gpu);
  return cases;
}

Index count(const std::function<bool(const Case&)>& is_so) {
  return std::count_if(drawn().begin(), drawn().end(), is_so);
}

TEST_CASE("a case is written to a line and read back", "[properties]") {
  for (const Case& c : drawn()) {
    INFO(to_string(c));
    CHECK(parse_case(to_string(c)) == c);
  }
  for (const char* line :
       {"", "native naive", "native naive fp31 m=1", "native naive fp32 m=-1", "native naive fp32 l=1",
        "native naive fp32 m=1 a=rows", "native naive 16x16 fp32 x m=1", "native naive fp32 m=1x"}) {
    INFO(line);
    CHECK_THROWS_AS(parse_case(line), Error);
  }
}

TEST_CASE("cases keep to the limits of multiply-adds and memory", "[properties]") {
  for (const Limits& limits : {gpu, emulated}) {
    for (const Case& c : draw(2000, limits)) {
      INFO(to_string(c));
      const auto [m, n, k] = c.shape;
      CHECK(static_cast<double>(c.count * m) * static_cast<double>(n * k) <= limits.multiply_adds);
      CHECK(static_cast<double>(c.c.shared ? 1 : c.count) * static_cast<double>(m * n) *
                static_cast<double>(size_of(mode_of(c.math).result)) <=
            static_cast<double>(limits.bytes));
    }
  }
}

TEST_CASE("guards stand at both ends where there is no fence", "[properties]") {
  const Block memory(1 << 16), expected(1 << 16);
  for (const bool behind : {false, true}) {
    for (const bool nan : {false, true}) {
      CAPTURE(behind, nan);
      const Placing placing = guarded({.shift = 3, .behind = behind});
      Operand<float> x(3, 4, {}, placing, memory, expected, nan);
      x.fill(true, {1, 3});
      CHECK(x.fault("C").empty());
      for (const Index at : {-guard_band, Index{-1}, Index{12}, 11 + guard_band}) {
        float* const beside = x.all().first.data + at;
        const float guard = std::exchange(*beside, 1.0F);
        CHECK(x.fault("C").starts_with("an element beside C"));
        *beside = guard;
      }
    }
  }
}

TEST_CASE("short K with many tiles, long K with few, and their edges are drawn", "[properties]") {
  const auto tiles = [](const Case& c, Index m, Index n) {
    return (c.shape.m + m - 1) / m * ((c.shape.n + n - 1) / n);
  };
  const auto on = [](const Case& c) { return c.kernel == "warpgroup" && c.count == 1; };
  CHECK(count([&](const Case& c) { return on(c) && tiles(c, 128, 192) > 1000 && c.shape.k <= 64; }) > 20);
  CHECK(count([&](const Case& c) { return on(c) && tiles(c, 128, 192) > 4000; }) > 5);
  CHECK(count([&](const Case& c) { return on(c) && tiles(c, 128, 192) < 10 && c.shape.k > 10000; }) > 5);
  for (const Index off : {-1, 0, 1}) {
    for (const auto& [extent, tile] :
         {std::pair(&GemmShape::m, 128), {&GemmShape::n, 192}, {&GemmShape::k, 32}}) {
      CHECK(count([&, e = extent, t = tile](const Case& c) {
              return on(c) && c.shape.*e > t / 2 && (c.shape.*e - off) % t == 0;
            }) > 20);
    }
  }
  CHECK(count([](const Case& c) { return c.count > 1000; }) > 20);
  CHECK(count([](const Case& c) {
          return c.kernel == "tiled" && c.shape.m % 32 + c.shape.n % 32 + c.shape.k % 32 == 0;
        }) > 200);
  for (const auto extent : {&GemmShape::m, &GemmShape::n, &GemmShape::k})
    CHECK(count([&](const Case& c) { return c.shape.*extent == 0; }) > 3);
}

TEST_CASE("only complex numbers have imaginary factors and conjugates, and factors of integers are whole",
          "[properties]") {
  const auto complex_type = [](const Case& c) { return is_complex(type_of(c.math)); };
  const auto integers = [](const Case& c) { return type_of(c.math) == Type::int8; };
  const auto conjugates = [](const Case& c) { return c.a.conjugated || c.b.conjugated || c.c.conjugated; };
  const auto imaginary = [](const Case& c) { return c.alpha.im != 0 || c.beta.im != 0; };
  CHECK(count([&](const Case& c) { return complex_type(c) && conjugates(c); }) > 100);
  CHECK(count([&](const Case& c) { return complex_type(c) && !conjugates(c); }) > 20);
  CHECK(count([&](const Case& c) { return !complex_type(c) && (conjugates(c) || imaginary(c)); }) == 0);
  for (const auto factor : {&Case::alpha, &Case::beta}) {
    CHECK(count([&](const Case& c) { return (c.*factor).im != 0; }) > 50);
    CHECK(count([&](const Case& c) { return integers(c) && c.*factor == 3.0; }) > 5);
    CHECK(count([&](const Case& c) { return integers(c) && c.*factor == 0.5; }) == 0);
  }
}

TEST_CASE("every way to lie in memory is drawn", "[properties]") {
  for (const auto operand : {&Case::a, &Case::b, &Case::c}) {
    std::set<Storage> storages;
    std::set<Index> shifts;
    for (const Case& c : drawn()) storages.insert((c.*operand).storage), shifts.insert((c.*operand).shift);
    CHECK(storages.size() == std::size(storage_names));
    CHECK(shifts.size() == 16);
    CHECK(count([&](const Case& c) { return (c.*operand).behind; }) > 400);
    CHECK(count([&](const Case& c) { return (c.*operand).pad > 0; }) > 400);
  }
  CHECK(count([](const Case& c) { return c.a.pad != c.b.pad && c.b.pad != c.c.pad && c.a.pad != c.c.pad; }) >
        100);
  CHECK(count([](const Case& c) { return c.count > 1 && c.a.shared; }) > 50);
  CHECK(count([](const Case& c) { return c.count > 1 && c.b.shared; }) > 50);
  CHECK(count([](const Case& c) { return c.c.shared; }) == 0);
  for (int by = 0; by < 8; ++by) {
    CHECK(count([&](const Case& c) {
            return c.count > 1 && 4 * c.a.pointers + 2 * c.b.pointers + c.c.pointers == by;
          }) > 3);
  }
  CHECK(count([](const Case& c) { return c.count == 1 && c.a.pointers && c.b.pointers && c.c.pointers; }) >
        10);
  for (const double factor : {0.0, 1.0, -1.0, 0.5, 2.0}) {
    CHECK(count([&](const Case& c) { return c.alpha == factor; }) > 100);
    CHECK(count([&](const Case& c) { return c.beta == factor; }) > 100);
  }
}

TEST_CASE("every way in which two dimensions of a batch lie is drawn", "[properties]") {
  CHECK(count([](const Case& c) { return c.inner > 0; }) > 100);
  CHECK(count([](const Case& c) { return c.inner > 0 && c.inner < c.count / c.inner; }) > 20);
  CHECK(count([](const Case& c) { return c.inner > 1 && c.inner > c.count / c.inner; }) > 20);
  CHECK(count([](const Case& c) { return c.inner > 0 && c.count % c.inner != 0; }) == 0);
  for (const auto operand : {&Case::a, &Case::b, &Case::c}) {
    const auto have = [&](bool Placing::*way, bool is_so) {
      return count([&](const Case& c) { return c.inner > 0 && c.*operand.*way == is_so; });
    };
    for (const bool is_so : {false, true}) {
      CHECK(have(&Placing::crossed, is_so) > 20);
      CHECK(have(&Placing::woven, is_so) > 20);
      CHECK(have(&Placing::pointers, is_so) > 20);
      if (is_so && operand == &Case::c) continue;
      CHECK(have(&Placing::shared_inner, is_so) > 20);
      CHECK(have(&Placing::shared_outer, is_so) > 20);
    }
  }
}

TEST_CASE("groups of different shapes are drawn for what the library chooses", "[properties]") {
  CHECK(count([](const Case& c) { return c.group; }) > 50);
  CHECK(count([](const Case& c) { return c.group && c.kernel != "automatic"; }) == 0);
  CHECK(shape_in_group({7, 5, 9}, 0) == GemmShape{7, 5, 9});
  std::set<Index> rows, columns, depths;
  for (Index i = 0; i < 1000; ++i) {
    const auto [m, n, k] = shape_in_group({7, 5, 9}, i);
    rows.insert(m), columns.insert(n), depths.insert(k);
  }
  CHECK(rows.size() == 8);
  CHECK(columns.size() == 6);
  CHECK(depths.size() == 10);
}

TEST_CASE("a case is drawn into every cell", "[properties]") {
  std::set<Cell> cells;
  for (const KernelName& kernel : kernels()) {
    const std::vector<Cell> own = cells_of(kernel);
    cells.insert(own.begin(), own.end());
  }
  const std::size_t layouts = 3, batches = 4, pairs = 4, complex_pairs = 16;
  CHECK(cells.size() == layouts * (batches * (5 * pairs + complex_pairs) + pairs));  // groups only in bf16
  rc::Random seeds(20261125);
  for (const Cell& cell : cells) {
    int in_cell = 0;
    for (int i = 0; i < 20; ++i) {
      const Case c = cases_of("native", kernels(), gpu, cell)(seeds.split()).value();
      CHECK(c.math == cell.math);
      in_cell += cell_of(c) == cell ? 1 : 0;
    }
    CHECK(in_cell >= 15);
  }
}

TEST_CASE("a cell is counted where a product shows it, and is a hole until then", "[properties]") {
  const std::vector<KernelName> complex_kernels{{"naive", "", ComputeMode::cfp64}};
  Tally tally(complex_kernels);
  CHECK(tally.cells() == 192);
  const Case right =
      parse_case("native naive cfp64 m=2 n=3 k=4 count=5 a=column,conjugated b=row,conjugated c=strided");
  for (const char* shows_little : {"m=1", "k=0", "count=0", "alpha=0"}) {
    tally.count(parse_case(to_string(right) + ' ' + shows_little));
  }
  const std::string name = "cfp64 C conj, C by general, strided\n";
  CHECK(tally.holes().find(name) != std::string::npos);
  std::set<Cell> found;
  for (int i = 0; i < 192; ++i) found.insert(tally.next_fewest());
  CHECK(found.size() == 192);
  CHECK(found.contains(*cell_of(right)));
  tally.count(right);
  CHECK(tally.holes().find(name) == std::string::npos);
  for (int i = 0; i < 192; ++i) CHECK(tally.next_fewest() != *cell_of(right));
  int products = 0;
  for (const auto& row : tally.to_json()) products += row["strided"].get<int>();
  CHECK(tally.to_json().size() == 48);
  CHECK(products == 1);
  for (const Cell& cell : found)
    tally.count(cases_of("native", complex_kernels, gpu, cell)(rc::Random(1)).value());
  for (int i = 0; i < 1000 && !tally.holes().empty(); ++i) {
    tally.count(cases_of("native", complex_kernels, gpu,
                         tally.next_fewest())(rc::Random(static_cast<std::uint64_t>(i)))
                    .value());
  }
  CHECK(tally.holes().empty());
}

TEST_CASE("a mode whose kernels all use TMA has no cells of pointers", "[properties]") {
  const Tally tally({{"warpgroup", "", ComputeMode::fp8_bf16},
                     {"automatic", "", ComputeMode::fp8_bf16},
                     {"warpgroup", "", ComputeMode::bf16},
                     {"naive", "", ComputeMode::bf16}});
  CHECK(tally.holes().find("bf16 N N, C by row, pointers") != std::string::npos);
  CHECK(tally.holes().find("fp8_bf16 N N, C by row, strided") != std::string::npos);
  CHECK(tally.holes().find("fp8_bf16 N N, C by row, pointers") == std::string::npos);
}

TEST_CASE("cases shrink to the smallest", "[properties]") {
  for (std::size_t i = 0; i < drawn().size(); i += 8) {
    Case c = drawn()[i];
    int steps = 0;
    for (std::vector<Case> less = smaller(c); !less.empty(); less = smaller(c), ++steps) c = less.front();
    CHECK(steps < 1000);
    CHECK((c.shape.m <= 1 && c.shape.n <= 1 && c.shape.k <= 1 && c.count <= 1));
    CHECK((c.a == Placing{} && c.b == Placing{} && c.c == Placing{} && !c.group));
  }
}

}  // namespace
}  // namespace rooftile::testing
