// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The checks of products before a launch: any 64-bit numbers are refused or accepted, and nothing overflows.
#include <cstdint>

#include "bytes.hpp"
#include "plan/plan.hpp"
#include "plan/prepare.hpp"
#include "rooftile/ladder.hpp"
#include "tests/support/targets.hpp"

namespace rooftile::fuzz {
namespace {

/// Mostly small numbers, often near powers of two and the limits.
Index number(Bytes& in) {
  const int byte = in.byte();
  if (byte < 160) return byte - 16;
  const std::uint64_t power = std::uint64_t{1} << byte % 64, off = in.byte() % 4;
  return static_cast<Index>(byte < 224 ? power - off : off - power);
}

Target target_from(Bytes& in) {
  switch (in.below(3)) {
    case 0:
      return testing::cpu(in.one_of(all_modes));
    case 1:
      return testing::h200(Path::portable, in.one_of(all_modes));
    default:
      return testing::h200(Path::native, in.one_of(all_modes));
  }
}

GemmOptions options_from(Bytes& in) {
  if (in.byte() % 4 != 3) return {};
  const Rung& rung = in.one_of(ladder);
  GemmOptions options{rung.kernel};
  if (!rung.tiles.empty() && in.byte() % 2 == 0) options.tile = in.one_of(rung.tiles);
  return options;
}

template <class T>
void check(Bytes& in) {
  T elements[2] = {};
  const auto matrix = [&](Index rows, Index cols, T* data) {
    const std::uint8_t how = in.byte();
    MatrixRef<T> X{how % 16 == 1 ? nullptr : data, rows, cols, number(in), number(in)};
    if (how % 16 == 2) X.rows = number(in);
    return X;
  };
  const Index m = number(in), n = number(in), k = number(in);
  const GemmArgs<T> product{in.byte() % 8 == 0 ? T(0) : T(1), matrix(m, k, elements), matrix(k, n, elements),
                            0, matrix(m, n, elements + 1)};
  // Products that reach into each other's memory are checked one by one, which takes seconds for millions.
  const Index count = in.byte() % 2 == 0 ? 1 : number(in) % 1000;
  const BatchArgs<T> batch{product, {count, number(in), number(in), number(in)}};
  try {
    const BatchArgs<T> ready = detail::prepared(batch);
    if (!detail::nothing_to_do(ready)) plan(describe(ready), options_from(in), target_from(in));
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace rooftile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rooftile::fuzz::Bytes in(data, size);
  if (in.byte() % 2 == 0) {
    rooftile::fuzz::check<float>(in);
  } else {
    rooftile::fuzz::check<double>(in);
  }
  return 0;
}
