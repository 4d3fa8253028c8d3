// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Which of the caller's addresses are queried, and the resulting messages.
#include "plan/device_accessible.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/detail/batch_args.hpp"
#include "tests/support/refused.hpp"

namespace rooftile {
namespace {

using detail::MemoryKind, detail::Access, detail::text_of_misaligned, testing::refused;

constexpr std::size_t region = std::size_t{2} << 20;

/// Operands in separate regions of 2 MiB.
struct Fixture {
  std::unique_ptr<float[]> memory{new float[5 * region / sizeof(float)]};
  float* at(std::size_t number) const { return memory.get() + number * region / sizeof(float); }
  float* const a = at(0);
  float* const b = at(1);
  float* const c = at(2);
  float* const workspace = at(3);
  std::vector<const void*> asked = {};
  std::set<const void*> unreached = {};
  Access why = Access::host;  ///< why an address is not accessible

  auto reach() {
    return [this](const void* address) {
      asked.push_back(address);
      return unreached.contains(address) ? why : Access::reached;
    };
  }
  GemmArgs<float> product(float alpha = 1, Index k = 5) const {
    return {alpha, row_major<const float>(a, 3, k), row_major<const float>(b, k, 4), 0, row_major(c, 3, 4)};
  }
  std::string refusal(const BatchArgs<float>& args, const void* with = nullptr) {
    asked.clear();
    return refused([&] { detail::check_call_accessible(args, with, reach()); });
  }
  std::string refusal_of_group(const std::vector<GemmArgs<float>>& products, const void* with = nullptr) {
    asked.clear();
    return refused([&] { detail::check_group_reached<float>(products, with, reach()); });
  }
};

std::string text_of(const char* name, const void* address, Access why = Access::host) {
  return why == Access::host
             ? detail::text("host memory that the GPU cannot access (", name, ", ", address,
                            "): copy it to the device, or allocate pinned or managed memory")
             : detail::text("another GPU's memory, which the stream's GPU cannot access (", name, ", ",
                            address, "): copy it to the stream's GPU, or enable peer access");
}

using Asked = std::vector<const void*>;

TEST_CASE("a GPU reaches all memory but the host's own, unless it reads pages, and other devices'",
          "[reach]") {
  for (const bool reads_pageable : {false, true}) {
    CHECK(detail::access_of(MemoryKind::registered, reads_pageable) == Access::reached);
    CHECK(detail::access_of(MemoryKind::untold, reads_pageable) == Access::reached);
    CHECK(detail::access_of(MemoryKind::other_device, reads_pageable) == Access::other_device);
  }
  CHECK(detail::access_of(MemoryKind::unregistered, false) == Access::host);
  CHECK(detail::access_of(MemoryKind::unregistered, true) == Access::reached);
}

TEST_CASE("each operand that is not reached is refused by its name", "[reach]") {
  Fixture f;
  CHECK(f.refusal(f.product()).empty());
  CHECK(f.asked == Asked{f.c, f.a, f.b});
  CHECK(f.refusal(f.product(), f.workspace).empty());
  CHECK(f.asked == Asked{f.c, f.a, f.b, f.workspace});
  const std::pair<const char*, const void*> all[] = {
      {"A", f.a}, {"B", f.b}, {"C", f.c}, {"workspace", f.workspace}};
  for (const auto& [name, address] : all) {
    f.unreached = {address};
    for (const Access why : {Access::host, Access::other_device}) {
      f.why = why;
      const std::string expected = text_of(name, address, why);
      CHECK(f.refusal(f.product(), f.workspace) == expected);
      CHECK(f.refusal(BatchArgs<float>{f.product(), {7, 0, 0, 100}}, f.workspace) == expected);
      CHECK(f.refusal_of_group({f.product()}, f.workspace) ==
            (address == f.workspace ? "" : "product 0 of 1, counted from 0: ") + expected);
    }
  }
}

/// The address shifted by some bytes.
template <class P>
P moved(P address, int bytes) {
  return reinterpret_cast<P>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(bytes));
}

TEST_CASE("an operand that is not aligned to its elements is refused by the caller's name", "[reach]") {
  Fixture f;
  for (const int bytes : {1, 2, 3}) {
    for (const Index count : {1, 7}) {
      BatchArgs<float> a{f.product(), {count, 0, 0, 100}}, b = a, c = a;
      a.first.A.data = moved(f.a, bytes), b.first.B.data = moved(f.b, bytes),
      c.first.C.data = moved(f.c, bytes);
      CHECK(f.refusal(a) == text_of_misaligned("A", a.first.A.data, 4));
      CHECK(f.asked == Asked{f.c});  // A is refused before it is queried
      CHECK(f.refusal(b) == text_of_misaligned("B", b.first.B.data, 4));
      CHECK(f.refusal(c) == text_of_misaligned("C", c.first.C.data, 4));
      a.first.alpha = 0;
      CHECK(f.refusal(a).empty());  // A is not read
    }
  }
  // Also in a region that is known to be accessible.
  GemmArgs<float> near = f.product();
  near.B.data = moved(near.A.data, 2);
  CHECK(f.refusal(near) == text_of_misaligned("B", near.B.data, 4));
  std::vector<GemmArgs<float>> products(3, f.product());
  products[2].A.data = moved(f.a, 1);
  CHECK(f.refusal_of_group(products) ==
        "product 2 of 3, counted from 0: " + text_of_misaligned("A", products[2].A.data, 4));
}

TEST_CASE("the alignment of a batch's pointers is checked, that of its matrices is not", "[reach]") {
  Fixture f;
  const float* const* const as = reinterpret_cast<const float* const*>(f.at(3));
  BatchArgs<float> args{f.product(), {2, 0, 0, 100}, {as, nullptr, nullptr}};
  args.first.A.data = moved(f.a, 1);
  CHECK(f.refusal(args).empty());
  args.pointers.a = moved(as, 4);
  CHECK(f.refusal(args) == text_of_misaligned("pointers of A", args.pointers.a, 8));
}

TEST_CASE("the driver is not asked about operands that are not read", "[reach]") {
  Fixture f;
  f.unreached = {f.a, f.b};
  CHECK(f.refusal(f.product(0)).empty());
  CHECK(f.asked == Asked{f.c});
  CHECK(f.refusal(f.product(1, 0)).empty());
  CHECK(f.asked == Asked{f.c});
  f.unreached = {f.a, f.b, f.c};
  CHECK(f.refusal(BatchArgs<float>{f.product(), {0, 1, 1, 1}}).empty());
  GemmArgs<float> empty = f.product();
  empty.C.rows = empty.A.rows = 0;
  CHECK(f.refusal(empty).empty());
  CHECK(f.asked.empty());
}

TEST_CASE("the driver is asked about arrays of pointers, not about the matrices", "[reach]") {
  Fixture f;
  auto** const as = reinterpret_cast<const float**>(f.at(3));  // in separate regions
  auto** const cs = reinterpret_cast<float**>(f.at(4));
  as[0] = as[1] = f.a, cs[0] = f.c, cs[1] = f.c + 12;
  const auto args = detail::batch_args<float>(1, pointer_batch(as, row_major<const float>(nullptr, 3, 5), 2),
                                              BatchRef<const float>{row_major<const float>(f.b, 5, 4), 0, 2},
                                              0, pointer_batch(cs, row_major<float>(nullptr, 3, 4), 2));
  f.unreached = {f.a, f.c};
  CHECK(f.refusal(args).empty());
  for (const auto& [name, address] : {std::pair<const char*, const void*>("pointers of A", as),
                                      std::pair<const char*, const void*>("pointers of C", cs),
                                      std::pair<const char*, const void*>("B", f.b)}) {
    f.unreached = {address};
    CHECK(f.refusal(args) == text_of(name, address));
  }
}

TEST_CASE("the driver is asked once about operands in one region of memory", "[reach]") {
  Fixture f;
  // At the start of a region, which all three operands share.
  auto* const begin = reinterpret_cast<float*>(
      (reinterpret_cast<std::uintptr_t>(f.memory.get()) + region - 1) / region * region);
  const GemmArgs<float> near{1, row_major<const float>(begin, 3, 5), row_major<const float>(begin + 20, 5, 4),
                             0, row_major(begin + 50, 3, 4)};
  CHECK(f.refusal(near).empty());
  CHECK(f.asked == Asked{begin + 50});
  f.unreached = {begin + 50};
  CHECK(f.refusal(near) == text_of("C", begin + 50));
  GemmArgs<float> far = near;
  far.A.data = begin + region / sizeof(float) - 1;  // its first element is the last one in the region
  CHECK((f.unreached = {}, f.refusal(far)).empty());
  CHECK(f.asked.size() == 1);
  ++far.A.data;
  CHECK(f.refusal(far).empty());
  CHECK(f.asked == Asked{begin + 50, far.A.data, begin + 20});
}

TEST_CASE("the driver is asked once about each region of a group", "[reach]") {
  Fixture f;
  std::vector<GemmArgs<float>> products(40, f.product());
  products[7] = f.product(0);
  CHECK(f.refusal_of_group(products).empty());
  CHECK(f.asked == Asked{f.c, f.a, f.b});
  products[11].B.data = f.workspace;
  f.unreached = {f.workspace};
  CHECK(f.refusal_of_group(products) == "product 11 of 40, counted from 0: " + text_of("B", f.workspace));
  products.resize(11);
  CHECK(f.refusal_of_group(products, f.workspace) == text_of("workspace", f.workspace));
  f.unreached = {f.a};
  CHECK(f.refusal_of_group(products) == "product 0 of 11, counted from 0: " + text_of("A", f.a));
  CHECK(f.refusal_of_group({}).empty());
}

}  // namespace
}  // namespace rooftile
