// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The division of the steps along K of C's tiles by stream-K.
#include "plan/stream.hpp"

#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "plan/choose.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/ladder.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using detail::Stream, detail::StreamPart;
using testing::h200;

std::vector<StreamPart> parts_of(const Stream& stream, unsigned block) {
  std::vector<StreamPart> parts;
  for (Index step = stream.begin(block); step < stream.begin(block + 1); step += parts.back().size()) {
    parts.push_back(detail::part_of(stream, block, step));
  }
  return parts;
}

/// Whole tiles, and work units of less than a tile, exactly one, several, or none.
constexpr Stream streams[] = {{0, 1, 132, 4096},  {7, 3, 5, 10}, {4, 2, 3, 1},
                              {0, 100, 132, 256}, {1, 7, 8, 3},  {5, 0, 0, 9},
                              {0, 6, 3, 4},       {2, 5, 5, 7},  {396, 68, 396, 65}};

TEST_CASE("every step of every tile is one block's", "[stream]") {
  for (const Stream& s : streams) {
    INFO(s.whole << ' ' << s.shared << ' ' << s.units << ' ' << s.steps);
    std::vector<Index> next(s.whole + s.shared);  // per tile, the first step not yet assigned
    for (unsigned block = 0; block < s.blocks(); ++block) {
      for (const StreamPart& part : parts_of(s, block)) {
        CHECK(part.first < part.last);
        REQUIRE(part.tile < next.size());
        CHECK(part.first == next[part.tile]);
        next[part.tile] = part.last;
      }
    }
    CHECK(next == std::vector<Index>(next.size(), s.steps));
  }
}

TEST_CASE("work units are even, and the first blocks have a tile each", "[stream]") {
  for (const Stream& s : streams) {
    for (unsigned block = 0; block < s.blocks(); ++block) {
      const Index length = s.begin(block + 1) - s.begin(block);
      if (block < s.whole) {
        CHECK(length == s.steps);
        CHECK(parts_of(s, block).at(0).is_whole(s.steps));
      } else {
        const Index even = s.shared * s.steps / s.units;
        CHECK(length >= even);
        CHECK(length <= even + 1);
      }
    }
  }
}

TEST_CASE("a tile's sums lie behind each other, in the order of K", "[stream]") {
  for (const Stream& s : streams) {
    if (s.shared == 0) continue;
    INFO(s.whole << ' ' << s.shared << ' ' << s.units << ' ' << s.steps);
    std::vector<bool> taken(s.sums());
    for (unsigned unit = 0; unit < s.units; ++unit) {
      for (const StreamPart& part : parts_of(s, s.whole + unit)) {
        REQUIRE(part.sum < s.sums());
        CHECK_FALSE(taken[part.sum]);
        taken[part.sum] = true;
        // The second kernel finds the work unit here.
        const unsigned shared = part.tile - s.whole;
        const Index tile0 = shared * s.steps;
        CHECK((s.unit_at(tile0 + part.first) == unit && s.unit_at(tile0 + part.last - 1) == unit));
        CHECK(part.sum == unit + shared);
      }
    }
  }
}

TEST_CASE("a part's operands are its columns of A and rows of B; the first step is the short one",
          "[stream]") {
  const double a[7 * 50] = {}, b[50 * 3] = {};
  double c[7 * 3] = {};
  for (const Index k : {0, 1, 15, 16, 17, 48, 50}) {
    const GemmArgs<double> args{1, row_major(a, 7, k, 50), row_major(b, k, 3), 0, row_major(c, 7, 3)};
    const Stream stream = detail::stream_of({16, 16, 16, 4, 4}, args.shape(), 132, Type::fp64);
    Index end = 0;
    for (Index step = 0; step < stream.steps; ++step) {
      const auto [A, B] = detail::steps_of(args, {0, step, step + 1, 0}, stream.steps, 16);
      INFO(k << ' ' << step);
      CHECK(A.data == a + end);
      CHECK(B.data == b + 3 * end);
      CHECK(A.rows == 7);
      CHECK(B.cols == 3);
      CHECK(A.cols == B.rows);
      CHECK((step == 0 || A.cols == 16));
      end += A.cols;
    }
    CHECK(end == k);
  }
}

constexpr TileShape usual{128, 128, 16, 8, 8};
constexpr Type fp32 = Type::fp32, fp64 = Type::fp64;

TEST_CASE("tiles beyond whole rounds are shared among all teams, where the work units are long enough",
          "[stream]") {
  const auto stream = [](const GemmShape& shape) { return detail::stream_of(usual, shape, 132, fp64); };
  const detail::Stream few = stream({128, 128, 65536});
  CHECK((few.whole == 0 && few.shared == 1 && few.units == 132));
  const detail::Stream many = stream({4096, 4096, 4096});  // 1,024 tiles, 132 at a time
  CHECK((many.whole == 7 * 132 && many.shared == 100 && many.units == 132));
  CHECK(stream({128, 128, 16}).shared == 0);          // a single step
  CHECK(stream({128, 128, 0}).shared == 0);           // no step
  CHECK(stream({128, 128, 16 * 20}).units == 2);      // of 10 steps each
  CHECK(stream({128 * 132, 128, 4096}).shared == 0);  // whole rounds
  const detail::Stream batch = detail::stream_of(usual, {128 * 53, 128, 1601}, 132, fp32, 5);
  CHECK((batch.whole == 264 && batch.shared == 1 && batch.units == 12 && batch.steps == 101));
  for (const Index k : {0, 1, 15, 16, 17, 128, 1000, 4093, 65535, 65536}) {
    for (const Index m : {1, 64, 65, 500, 4096, 100000}) {
      const detail::Stream s = stream({m, 256, k});
      INFO(m << ' ' << k);
      CHECK(s.whole + s.shared == detail::tile_count(usual, {m, 256, k}));
      CHECK((s.shared == 0 || s.units > s.shared));
      CHECK(s.shared * s.steps >= s.units * detail::min_steps_of_unit);
    }
  }
}

TEST_CASE("products that leave SMs idle are shared along K", "[stream]") {
  Target target = h200(Path::native, ComputeMode::fp32);
  target.capability = 90;
  CHECK(choose({64, 64, 65536}, {}, target).kernel == Kernel::stream_k);
  CHECK(choose({2048, 2048, 2048}, {}, target).kernel == Kernel::pipelined);
  Target portable = h200(Path::portable, ComputeMode::fp64);
  CHECK(choose({4096, 4096, 4096}, {}, portable).kernel == Kernel::tensor_core);
  CHECK(choose({64, 64, 65536}, {}, portable).kernel == Kernel::stream_k_tensor_core);
  target.math = ComputeMode::fp32, target.capability = 70;
  CHECK(choose({64, 64, 65536}, {}, target).kernel == Kernel::pipelined);
  target.capability = 90, target.sms = 0;  // unknown number of SMs
  CHECK(choose({64, 64, 65536}, {}, target).kernel == Kernel::pipelined);
}

TEST_CASE("stream-K shares tiles of matrix instructions where no warpgroup kernel splits K", "[stream]") {
  const GemmShape deep{64, 64, 65536};
  for (const ComputeMode math :
       {ComputeMode::tf32, ComputeMode::bf16, ComputeMode::fp16, ComputeMode::fp64}) {
    INFO(to_string(math));
    Target portable = h200(Path::portable, math), native = h200(Path::native, math);
    portable.warp_mma = ladder_modes::warp_mma;
    CHECK(choose(deep, {}, portable).kernel == Kernel::stream_k_tensor_core);
    CHECK(choose({1024, 1024, 1024}, {}, portable).kernel == Kernel::tensor_core);
    native.capability = 80;
    CHECK(choose(deep, {}, native).kernel == Kernel::stream_k_tensor_core);
    native.capability = 90;
    CHECK((choose(deep, {}, native).kernel == Kernel::warpgroup) == (math != ComputeMode::fp64));
  }
}

TEST_CASE("on the portable path stream-K uses matrix instructions where there are some", "[stream]") {
  const GemmShape deep{64, 64, 65536};
  for (const ComputeMode math : {ComputeMode::fp32, ComputeMode::fp64}) {
    Target target = h200(Path::portable, math);
    target.warp_mma = {};
    CHECK(choose(deep, {}, target).kernel == Kernel::stream_k);
    target.warp_mma = ladder_modes::mfma;
    CHECK(choose(deep, {}, target).kernel == Kernel::stream_k_tensor_core);
  }
}

}  // namespace
}  // namespace rooftile
