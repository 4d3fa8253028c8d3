// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Tests every kernel of one path and backend against the reference, on products of every size.
#include <array>
#include <set>
#include <string>

#include <catch2/catch_template_test_macros.hpp>

#include "product.hpp"
#include "this_ladder.hpp"

namespace rooftile::testing {
namespace {

TEMPLATE_LIST_TEST_CASE("sizes round the tile are exact on small integers", "[edges]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    const auto [m, n, k] = edges(kernel);
    int taken = 0;
    for (const GemmShape shape : {GemmShape{1, 1, 1},
                                  {m, n, k},
                                  {m - 1, n, k + 1},
                                  {m + 1, n - 1, k},
                                  {2 * m, n, 2 * k},
                                  {m, n + 1, k - 1},
                                  {1, n + 1, 7},
                                  {67, 1, 13},
                                  {37, 61, 1}}) {
      taken += try_kernel(kernel, Problem<TestType>{shape, {}, {}, {}, 1, 0, true});
    }
    CHECK(taken >= 2);
  }
}

TEMPLATE_LIST_TEST_CASE("every combination of sizes round the tile is exact", "[combinations]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    const auto round = [](Index edge) { return std::array{Index{1}, edge - 1, edge, edge + 1}; };
    const GemmShape edge = edges(kernel);
    const auto try_size = [&](Index m, Index n, Index k) {
      try_kernel(kernel, Problem<TestType>{{m, n, k}, {}, {}, {}, 1, 0, true});
    };
    combine(try_size, round(edge.m), round(edge.n), round(edge.k));
  }
}

/// Every remainder of k by the panel length. The first panel begins before k = 0, so that the last one ends
/// at K.
TEMPLATE_LIST_TEST_CASE("every rest of k by the tile is exact", "[rests]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    const Index panel = edges(kernel).k;
    if (kernel.tile.empty() || panel > 32) continue;
    for (Index k = 0; k <= panel; ++k) {
      try_kernel(kernel, Problem<TestType>{{9, 11, k}, {}, {}, {}, 1, 0, true});
      try_kernel(kernel, Problem<TestType>{{9, 11, 4 * panel + k}, {}, {}, {}, 1, 0, true});
    }
  }
}

/// CPUs compute small products in vectors as narrow as C. The last vector overlaps the one before.
TEMPLATE_LIST_TEST_CASE("small products of every width are exact on CPUs", "[small]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    if (!is_of_caches(kernel)) continue;
    for (Index n = 1; n <= 70; ++n) {
      for (const Index m : {1, 3, 4, 9, 31}) {
        const auto beta = static_cast<Scalar<TestType>>((m + n) % 2 == 0 ? 0 : -1);
        try_kernel(kernel, Problem<TestType>{{m, n, 5}, {}, {}, {}, 2, beta, true});
        try_kernel(kernel, Problem<TestType>{{n, m, 5}, Storage::column, {}, {}, 2, beta, true});
        try_kernel(kernel, Problem<TestType>{{m, n, 6}, {}, {}, Storage::strided, 2, beta, true});
        for (const Index k : {1, 5})  // rows without a gap
          try_kernel(kernel, Problem<TestType>{{m, n, k}, {}, {}, {}, 2, beta, true, 0});
      }
    }
  }
}

/// Each operand may have gaps between its rows, independently of the others.
TEMPLATE_LIST_TEST_CASE("rows with gaps of one operand, and without of another, are exact", "[small]",
                        Types) {
  constexpr Index pads[] = {0, 4};
  constexpr int betas[] = {0, 2};
  constexpr Storage storages[] = {Storage::row, Storage::column};
  for (const auto& kernel : kernels<TestType>()) {
    for (const GemmShape shape : {GemmShape{40, 72, 33}, {5, 7, 3}, {3, 9, 1}, {2, 30, 5}, {12, 13, 20}}) {
      if (shape.m < 40 && !is_of_caches(kernel)) break;  // small shapes test vectors as narrow as C
      const auto try_pads = [&](int beta, Storage b, Index pad_a, Index pad_b, Index pad_c) {
        const auto scalar = static_cast<Scalar<TestType>>(beta);
        try_kernel(kernel, Problem<TestType>{shape, {}, b, {}, 2, scalar, true, pad_a, 0, 0, pad_b, pad_c});
      };
      combine(try_pads, betas, storages, pads, pads, pads);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("K = 0 scales C, with and without gaps", "[scalars]", Types) {
  constexpr GemmShape shapes[] = {{1, 1, 0}, {3, 5, 0}, {4, 9, 0}, {7, 16, 0}, {33, 70, 0}};
  constexpr Index pads[] = {0, 3};
  constexpr int betas[] = {0, 1, -2};
  constexpr Storage storages[] = {Storage::row, Storage::column};
  for (const auto& kernel : kernels<TestType>()) {
    const auto scale = [&](GemmShape shape, Index pad, int beta, Storage c) {
      try_kernel(kernel,
                 Problem<TestType>{shape, {}, {}, c, 2, static_cast<Scalar<TestType>>(beta), true, pad});
    };
    combine(scale, shapes, pads, betas, storages);
  }
}

/// Products with few rows or columns are computed as dot products if this gives vectors along K.
TEMPLATE_LIST_TEST_CASE("dot products of every length are exact on CPUs", "[small]", Types) {
  const Storage all[] = {Storage::row, Storage::column, Storage::strided, Storage::reversed};
  for (const auto& kernel : kernels<TestType>()) {
    if (!is_of_caches(kernel)) continue;
    for (const Index few : {1, 2, 3, 4, 5, 7, 8, 11, 15}) {
      for (Index k = 1; k <= 70; ++k) {
        try_kernel(kernel, Problem<TestType>{{9, few, k}, {}, {}, {}, 2, 3, true});
        try_kernel(kernel, Problem<TestType>{{few, 7, k}, {}, Storage::column, {}, 2, 3, true});
      }
    }
    const auto try_storages = [&](GemmShape shape, Storage a, Storage b) {
      try_kernel(kernel, Problem<TestType>{shape, a, b, {}, 2, -1, true});
    };
    for (const Index few : {1, 4, 11}) {
      const GemmShape shapes[] = {{6, few, 50}, {few, 6, 50}, {2, few, 9001}, {700, few, 1500}};
      combine(try_storages, shapes, all, all);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("alpha and beta scale as in BLAS", "[scalars]", Types) {
  constexpr int alphas[] = {0, 1, -2}, betas[] = {0, 1, 3};
  for (const auto& kernel : kernels<TestType>()) {
    const auto [m, n, k] = edges(kernel);
    const GemmShape shapes[] = {{m, n, k}, {m, n, 0}, {m + 1, n + 2, k + 3}, {5, 7, 0}};
    const auto scale = [&](GemmShape shape, int alpha, int beta) {
      const auto x = static_cast<Scalar<TestType>>(alpha), y = static_cast<Scalar<TestType>>(beta);
      try_kernel(kernel, Problem<TestType>{shape, {}, {}, {}, x, y, true});
    };
    combine(scale, shapes, alphas, betas);
  }
}

TEMPLATE_LIST_TEST_CASE("empty products do nothing", "[empty]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    for (const GemmShape shape : {GemmShape{0, 0, 0}, {0, 5, 3}, {5, 0, 3}, {0, 0, 7}}) {
      try_kernel(kernel, Problem<TestType>{shape});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("random products stay within the error bound", "[random]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    for (const GemmShape shape : {GemmShape{96, 160, 224},
                                  {101, 103, 107},
                                  {1000, 3, 500},
                                  {3, 1000, 500},
                                  {2, 3, 20000},
                                  {512, 512, 8}}) {
      try_kernel(kernel, Problem<TestType>{shape, {}, {}, {}, 1.25F, 0.5F});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("graded products stay within the error bound", "[random]", Types) {
  // Modes that split elements into parts must not lose the small ones beside the large ones.
  const int grade = type_of<TestType>() == Type::fp16 ? 4 : 20;
  for (const auto& kernel : kernels<TestType>()) {
    for (const GemmShape shape : {GemmShape{96, 80, 64}, {101, 103, 1007}, {16, 24, 16384}}) {
      try_kernel(kernel, Problem<TestType>{shape, {}, {}, {}, 1, 0, false, 3, grade});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("large products stay within the error bound", "[large]", Types) {
  constexpr Index half = detail::is_complex<TestType> ? 2 : 1;  // a complex multiply-add is four real ones
  constexpr Index few = 300 / half, many = 1000 / half;
  const auto all = kernels<TestType>();
  for (const auto& kernel : all) {
    if (kernel.automatic()) continue;  // it runs one of the others
    try_kernel(kernel,
               is_slow(kernel) ? Problem<TestType>{{few, few, few}} : Problem<TestType>{{many, many, many}});
  }
  std::set<std::string> seen;  // one tile of each rung is enough
  for (const auto& kernel : all) {
    if (is_slow(kernel) || kernel.automatic() || !seen.insert(title(kernel)).second) continue;
    // On a CPU, each extent exceeds one cache block.
    const bool on_cpu = kernel.device->target(kernel.math).is_cpu();
    const GemmShape shape = on_cpu ? GemmShape{300, 3000, 1100} : GemmShape{2000, 3000, 2500};
    try_kernel(kernel, Problem<TestType>{{shape.m / half, shape.n / half, shape.k / half}});
  }
}

TEMPLATE_LIST_TEST_CASE("results repeat bit by bit", "[deterministic]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    Device& here = *kernel.device;
    const Index n = 160;
    const auto count = static_cast<std::size_t>(n * n);
    std::mt19937_64 bits(7);
    std::vector<TestType> a(count), first(count), second(count);
    for (auto& x : a) x = static_cast<TestType>(std::uniform_real_distribution<float>(-1, 1)(bits));
    Buffer<TestType> device_a(here, count), device_c(here, count);
    device_a.upload(a);
    const GemmArgs<TestType> args{1, row_major<const TestType>(device_a.data(), n, n),
                                  row_major<const TestType>(device_a.data(), n, n), 0,
                                  row_major(device_c.data(), n, n)};
    if (!kernel.refusal(args).empty()) continue;
    for (auto* result : {&first, &second}) {
      kernel.launch(args);
      device_c.download(*result);
    }
    CHECK(first == second);
  }
}

TEST_CASE("a wrong kernel is caught", "[checker]") {
  Device& here = device();
  const auto right = kernels<float>();
  const auto naive =
      std::find_if(right.begin(), right.end(), [](const auto& c) { return c.kernel == "naive"; });
  REQUIRE(naive != right.end());
  const Problem<float> problem{{33, 17, 40}, {}, {}, {}, 1, 0, true};
  const auto run = [&](const auto& spoil) {
    return fault(here, problem, [&](GemmArgs<float> args) {
      spoil(args);
      naive->launch(args);
      return true;
    });
  };
  const auto refuse_but_write = [&](const GemmArgs<float>& args) {
    naive->launch(args);
    return false;
  };
  CHECK(fault(here, problem, refuse_but_write) != "");
  CHECK(run([](auto&) {}) == "");
  CHECK(run([](auto& args) { --args.A.cols, --args.B.rows; }) != "");              // one step of K missing
  CHECK(run([](auto& args) { --args.A.rows, --args.C.rows; }) != "");              // a row of C unwritten
  CHECK(run([](auto& args) { ++args.C.data; }) != "");                             // C off by one column
  CHECK(run([](auto& args) { ++args.A.data; }) != "");                             // A off by one column
  CHECK(run([](auto& args) { args.beta = 1; }) != "");                             // C, which is NaN, is read
  CHECK(run([](auto& args) { args.C.cols += 2, args.B.cols += 2; }) != "");        // two columns too many
  CHECK(fault(here, problem, [](const GemmArgs<float>&) { return true; }) != "");  // nothing done
}

}  // namespace
}  // namespace rooftile::testing
