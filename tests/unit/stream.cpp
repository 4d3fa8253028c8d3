// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// How stream-K deals out the steps along K of C's tiles.
#include "rooftile/detail/stream.hpp"

#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/detail/register_blocks.hpp"

namespace rooftile {
namespace {

using detail::Stream, detail::StreamPart;

std::vector<StreamPart> parts_of(const Stream& stream, unsigned block) {
  std::vector<StreamPart> parts;
  for (Index step = stream.begin(block); step < stream.begin(block + 1); step += parts.back().size()) {
    parts.push_back(stream.part(block, step));
  }
  return parts;
}

/// Whole tiles, and shares of less than a tile, of exactly one, of several, and none.
constexpr Stream streams[] = {{0, 1, 132, 4096},  {7, 3, 5, 10}, {4, 2, 3, 1},
                              {0, 100, 132, 256}, {1, 7, 8, 3},  {5, 0, 0, 9},
                              {0, 6, 3, 4},       {2, 5, 5, 7},  {396, 68, 396, 65}};

TEST_CASE("every step of every tile is one block's", "[stream]") {
  for (const Stream& s : streams) {
    INFO(s.whole << ' ' << s.shared << ' ' << s.shares << ' ' << s.steps);
    std::vector<Index> next(s.whole + s.shared);  // of each tile, the first step nobody has had
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

TEST_CASE("shares are even, and the first blocks have a tile each", "[stream]") {
  for (const Stream& s : streams) {
    for (unsigned block = 0; block < s.blocks(); ++block) {
      const Index length = s.begin(block + 1) - s.begin(block);
      if (block < s.whole) {
        CHECK(length == s.steps);
        CHECK(parts_of(s, block).at(0).is_whole(s.steps));
      } else {
        const Index even = s.shared * s.steps / s.shares;
        CHECK(length >= even);
        CHECK(length <= even + 1);
      }
    }
  }
}

TEST_CASE("a tile's sums lie behind each other, in the order of K", "[stream]") {
  for (const Stream& s : streams) {
    if (s.shared == 0) continue;
    INFO(s.whole << ' ' << s.shared << ' ' << s.shares << ' ' << s.steps);
    std::vector<bool> taken(s.sums());
    for (unsigned share = 0; share < s.shares; ++share) {
      for (const StreamPart& part : parts_of(s, s.whole + share)) {
        REQUIRE(part.sum < s.sums());
        CHECK_FALSE(taken[part.sum]);
        taken[part.sum] = true;
        // Where the second kernel looks for it.
        const unsigned shared = part.tile - s.whole;
        const Index tile0 = shared * s.steps;
        CHECK(s.share_at(tile0 + part.first) == share);
        CHECK(s.share_at(tile0 + part.last - 1) == share);
        CHECK(part.sum == share + shared);
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
    const Stream stream = detail::stream_of({16, 16, 16, 4, 4}, args.shape(), 132, sizeof(double));
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

}  // namespace
}  // namespace rooftile
