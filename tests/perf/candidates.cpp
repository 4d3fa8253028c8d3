// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// How the ladder's table and a vendor library become candidates of the benchmark.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "fake_device.hpp"
#include "perf/providers/ladder_candidates.hpp"
#include "perf/providers/library_candidate.hpp"

namespace rooftile::perf {
namespace {

using testing::FakeDevice;

constexpr BlockLimits today{1024, 48 * 1024, 227 * 1024};

double memory[3 * 64 * 64];

GemmArgs<double> product(Index m, Index n, Index k) {
  return {1, row_major<const double>(memory, m, k), row_major<const double>(memory + 4096, k, n), 0,
          row_major(memory + 8192, m, n)};
}

const Candidate<double>& named(const std::vector<Candidate<double>>& all, const std::string& kernel,
                               const std::string& tile) {
  for (const auto& c : all) {
    if (c.kernel == kernel && c.tile == tile) return c;
  }
  FAIL("no candidate " << kernel << ' ' << tile);
  return all.front();
}

/// The ladder on a path, and what its last launch was asked for.
struct Ladder {
  explicit Ladder(Path path)
      : all(ladder_candidates<double>(
            device, {path, today, Math::fp64, {}, 90, 132},
            [this](const BatchArgs<double>&, const GemmOptions& o) { options = o; })) {}

  FakeDevice device;
  GemmOptions options;
  std::vector<Candidate<double>> all;
};

TEST_CASE("every tile of every row is a candidate, once", "[candidates]") {
  Ladder ladder_of(Path::native);
  std::set<std::string> names;
  for (const auto& c : ladder_of.all) {
    CHECK(c.device == &ladder_of.device);
    CHECK(c.path == "native");
    CHECK(names.insert(c.kernel + ' ' + c.tile).second);
  }
  const std::map<std::string, std::vector<std::string>> expected = {
      {"single_block", {""}},
      {"naive", {"16x16", "32x32", "32x8", "8x32", "4x64"}},
      {"tiled", {"8x8x8", "16x16x16", "32x32x32"}},
      {"tiled_checked", {"8x8x8", "16x16x16", "32x32x32"}},
      {"tiled_dynamic", {"32x32x32"}},
      {"packed", {""}},
      {"register_blocked", {"128x128x8", "64x64x8"}},
      {"pipelined", {"128x128x16", "64x128x16", "64x64x16", "32x64x16"}},
      {"tensor_core", {"128x128x16", "64x128x8", "64x64x8", "32x64x8"}},
      {"tensor_core+repack", {"128x128x16", "64x128x8", "64x64x8", "32x64x8"}},
      {"stream_k_tensor_core", {"128x128x16", "64x128x8", "64x64x8", "32x64x8"}},
      {"small_batched", {"4x4x4", "8x8x8", "16x16x8"}},
      {"automatic", {""}},
  };
  std::set<std::string> expected_names;
  for (const auto& [kernel, tiles] : expected) {
    for (const std::string& tile : tiles) expected_names.insert(kernel + ' ' + tile);
  }
  CHECK(names == expected_names);
}

TEST_CASE("a math mode that no rung computes in on the device has no candidates", "[candidates]") {
  FakeDevice device;
  static constexpr Math matrix_maths[] = {Math::tf32, Math::fp64};
  const auto launch = [](const BatchArgs<float>&, const GemmOptions&) {};
  for (const bool fragments : {false, true}) {
    for (const auto& [math, any] :
         {std::pair{Math::fp32, true}, {Math::tf32, fragments}, {Math::tf32x3, false}}) {
      INFO(to_string(math) << ' ' << fragments);
      Target target{Path::portable, today, math, {}, 0, 132};
      if (fragments) target.fragments = matrix_maths;
      const auto all = ladder_candidates<float>(device, target, launch);
      CHECK(all.empty() != any);
      for (const auto& c : all) CHECK(c.math == math);
    }
  }
}

TEST_CASE("the library's own choice is a candidate, named as on a product", "[candidates]") {
  Ladder native(Path::native);
  const auto& automatic = named(native.all, "automatic", "");
  CHECK(automatic.chosen(product(32, 32, 32)).kernel == "tensor_core");
  CHECK(automatic.chosen(product(33, 32, 32)).kernel == "tensor_core");
  CHECK(automatic.chosen(product(33, 32, 32)).tile == "32x64x8");
  CHECK(automatic.refusal(product(33, 32, 32)) == "");
  automatic.launch(product(33, 32, 32));
  CHECK((native.options.kernel == Kernel::automatic && !native.options.tile));
  CHECK(native.options.math == Math::fp64);
}

TEST_CASE("a tuning table is for the library's own choice alone, and its name says so", "[candidates]") {
  FakeDevice device;
  Target h200{Path::native, today, Math::fp64, {}, 90, 132};
  h200.device = "a GPU";
  const TuningTable table{"a GPU",
                          {{Path::native, Math::fp64, {32, 32, 32}, {}, Kernel::naive, cta(8, 32), 1, 2}}};
  GemmOptions options;
  const auto all = ladder_candidates<double>(
      device, h200, [&](const BatchArgs<double>&, const GemmOptions& o) { options = o; }, &table);
  const auto& automatic = named(all, "automatic", "");
  const KernelName name = automatic.chosen(product(32, 32, 32));
  CHECK((name.kernel == "naive" && name.tile == "8x32" && name.tuned));
  CHECK_FALSE(automatic.chosen(product(16, 16, 16)).tuned);
  automatic.launch(product(32, 32, 32));
  CHECK(options.tuning == &table);
  named(all, "tiled", "8x8x8").launch(product(32, 32, 32));
  CHECK(options.tuning == nullptr);

  h200.device = "another";
  const auto others = ladder_candidates<double>(
      device, h200, [](const BatchArgs<double>&, const GemmOptions&) {}, &table);
  CHECK(
      named(others, "automatic", "").refusal(product(32, 32, 32)) ==
      "tuning table of another device (a GPU, here is another): run `rooftile tune` here, or pass no table");
  CHECK(named(others, "tiled", "8x8x8").refusal(product(32, 32, 32)) == "");
}

TEST_CASE("a candidate launches its own kernel with its own tile", "[candidates]") {
  Ladder ladder_of(Path::native);
  for (const auto& c : ladder_of.all) {
    c.launch(product(32, 32, 32));
    if (c.chosen) continue;
    CHECK(to_string(NamedKernel{ladder_of.options.kernel, ladder_of.options.repack}) == c.kernel);
    CHECK((c.tile.empty() ? !ladder_of.options.tile : to_string(ladder_of.options.tile) == c.tile));
  }
}

TEST_CASE("a candidate refuses what its kernel would", "[candidates]") {
  Ladder native(Path::native), portable(Path::portable);
  CHECK(named(native.all, "tiled", "16x16x16").refusal(product(32, 48, 16)) == "");
  CHECK(named(native.all, "tiled", "16x16x16").refusal(product(33, 48, 16)) ==
        "tile does not divide the product (m 33, n 48, k 16 by 16x16x16): take another tile or the kernel "
        "tiled_checked");
  CHECK(named(native.all, "single_block", "").refusal(product(32, 32, 5)) == "");
  CHECK(named(native.all, "single_block", "").refusal(product(33, 32, 5)) != "");
  CHECK(named(portable.all, "single_block", "").refusal(product(2, 2, 2)) ==
        "kernel not on the portable path (single_block): take one of naive, tiled, tiled_checked, "
        "tiled_dynamic, register_blocked, pipelined, stream_k, small_batched");
}

TEST_CASE("a candidate refuses by the product that its kernel gets", "[candidates]") {
  // A column-major C is computed as its transpose, so the tile's rows meet C's columns.
  Ladder native(Path::native);
  auto args = product(48, 20, 16);
  args.C = column_major(args.C.data, 48, 20);
  CHECK(named(native.all, "tiled", "16x16x16").refusal(args) ==
        "tile does not divide the product (m 20, n 48, k 16 by 16x16x16): take another tile or the kernel "
        "tiled_checked");
}

TEST_CASE("a candidate knows what it asks of memory", "[candidates]") {
  Ladder native(Path::native);
  CHECK(named(native.all, "naive", "4x64").request_intensity == 0.125);
  CHECK(named(native.all, "tiled", "32x32x32").request_intensity == 4);
  CHECK(named(native.all, "pipelined", "128x128x16").request_intensity == 16);  // of the block, not a thread
  CHECK(named(native.all, "single_block", "").request_intensity == 0.125);
}

TEST_CASE("a vendor's candidate hands the form on, or says why not", "[candidates]") {
  FakeDevice device;
  vendor::BlasForm<double> seen;
  const auto c =
      vendor_candidate<double>(device, Math::fp64, "library", [&](const auto& form) { seen = form; });
  CHECK((c.path == "vendor" && c.kernel == "library" && c.tile.empty() && c.device == &device));
  CHECK(c.refusal(product(3, 4, 5)) == "");
  c.launch(product(3, 4, 5));
  CHECK((seen.m == 4 && seen.n == 3 && seen.k == 5));  // row-major C, so its transpose
  CHECK(seen.c == memory + 8192);
  auto strided = product(3, 4, 5);
  strided.A.col_stride = 2, strided.A.row_stride = 10;
  CHECK(c.refusal(strided) == "BLAS takes no matrix with two strides: use leading dimensions");
}

TEST_CASE("dense is what has no gaps, one row or column in either order", "[candidates]") {
  CHECK(dense(row_major(memory, 3, 4)) == Dense::by_rows);
  CHECK(dense(column_major(memory, 3, 4)) == Dense::by_columns);
  CHECK(dense(MatrixRef<double>{memory, 3, 4, 5, 1}) == Dense::no);
  CHECK(dense(MatrixRef<double>{memory, 3, 4, 1, 5}) == Dense::no);
  CHECK(dense(MatrixRef<double>{memory, 3, 4, 8, 2}) == Dense::no);
  CHECK(dense(MatrixRef<double>{memory, 1, 4, 9, 1}) == Dense::by_rows);
  CHECK(dense(MatrixRef<double>{memory, 3, 1, 1, 9}) == Dense::by_rows);
  CHECK(dense(MatrixRef<double>{memory, 3, 1, 2, 1}) == Dense::no);
}

TEST_CASE("a peer's candidate takes dense operands in the type's own mode", "[candidates]") {
  FakeDevice device;
  int calls = 0;
  const auto c = peer_candidate<double>(device, "library", [&](const BatchArgs<double>&) { ++calls; });
  CHECK((c.path == "peer" && c.kernel == "library" && c.math == Math::fp64 && is_baseline(c.path)));
  CHECK_FALSE(is_baseline("portable"));
  c.launch(product(3, 4, 5));
  CHECK(calls == 1);
  CHECK(c.refusal(product(3, 4, 5)) == "");
  auto padded = product(3, 4, 5);
  padded.B.row_stride = 8;
  CHECK(c.refusal(padded) ==
        "library is compiled for matrices without gaps (LayoutRight and LayoutLeft): take such ones");
}

}  // namespace
}  // namespace rooftile::perf
