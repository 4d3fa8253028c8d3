// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Batches whose matrices lie anywhere: what they are to checks, plans and choices. None of the memory is
// read.
#include "tests/support/pointers.hpp"

#include <array>
#include <complex>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/detail/batch.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "rooftile/plan.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using detail::prepared;
using testing::h200;
using testing::refused;

alignas(256) float memory[4096];

/// Products of (4,8)·(8,16), each operand by pointers.
struct Pointers {
  std::array<const float*, 3> a{memory + 64, memory, memory + 128},
      b{memory + 1024, memory + 1280, memory + 1152};
  std::array<float*, 3> c{memory + 2048, memory + 2304, memory + 2176};

  BatchRef<const float> A(Index alignment = 16) const {
    return pointer_batch(a.data(), row_major<const float>(nullptr, 4, 8), 3, alignment);
  }
  BatchRef<const float> B(Index alignment = 16) const {
    return pointer_batch(b.data(), row_major<const float>(nullptr, 8, 16), 3, alignment);
  }
  BatchRef<float> C() const { return pointer_batch(c.data(), row_major<float>(nullptr, 4, 16), 3, 16); }

  BatchArgs<float> args() const { return detail::batch_args<float>(2, A(), B(), 1, C()); }
};

/// Aligned products of one shape, by pointers.
GemmDesc by_pointers(GemmShape shape, Type type, Index count) {
  GemmDesc desc = describe(shape, type, count);
  desc.by_pointers = true;
  return desc;
}

TEST_CASE("matrix i lies where pointer i leads, however it is read", "[pointers]") {
  const Pointers all;
  const BatchRef<float> C = all.C();
  CHECK(&C[1](2, 3) == all.c[1] + 35);
  CHECK(&C.transposed()[2](3, 2) == all.c[2] + 35);
  const BatchRef<const float> read_only = C;
  CHECK((read_only.pointers == C.pointers && read_only.alignment == 16 && read_only.count == 3));
  CHECK(batch_ref(C).pointers == C.pointers);
  std::array<complex<double>*, 1> numbers{};
  CHECK(pointer_batch(numbers.data(), row_major<complex<double>>(nullptr, 2, 2), 1)
            .adjoint()
            .first.is_conjugated == 1);
  std::array<std::complex<double>*, 1> foreign{reinterpret_cast<std::complex<double>*>(memory)};
  const auto own =
      batch_ref(pointer_batch(foreign.data(), row_major<std::complex<double>>(nullptr, 2, 2), 1));
  CHECK(static_cast<const void*>(own.pointers) == static_cast<const void*>(foreign.data()));
  CHECK(pointer_batch(all.c.data(), C.first, 3).alignment == alignof(float));
}

TEST_CASE("a product, a part and the transpose of a batch by pointers", "[pointers]") {
  const Pointers all;
  const BatchArgs<float> args = all.args();
  const GemmArgs<float> second = args.product(1);
  CHECK((second.A.data == all.a[1] && second.B.data == all.b[1] && second.C.data == all.c[1]));
  const BatchArgs<float> part = args.part(1, 2), other = args.transposed();
  CHECK((part.batch.count == 2 && part.product(1).C.data == all.c[2]));
  CHECK((other.product(2).A.data == all.b[2] && other.product(2).B.data == all.a[2]));
  CHECK(other.product(2).C.data == all.c[2]);
  const auto [A, B, C] = detail::operands_of(args);
  CHECK((A.pointers == args.pointers.a && B.pointers == args.pointers.b && C.pointers == args.pointers.c));
  CHECK((A.alignment == 16 && C.count == 3));
}

TEST_CASE("operands by pointers go with ones at equal distances", "[pointers]") {
  const Pointers all;
  const BatchRef<const float> B{row_major<const float>(memory + 1024, 8, 16), 128, 3};
  const BatchArgs<float> args = prepared(detail::batch_args<float>(2, all.A(), B, 1, all.C()));
  CHECK((args.product(2).A.data == all.a[2] && args.product(2).B.data == memory + 1280));
  CHECK(
      (args.part(2, 1).product(0).B.data == memory + 1280 && args.part(2, 1).product(0).A.data == all.a[2]));
}

TEST_CASE("what is not read of a batch by pointers has none", "[pointers]") {
  const Pointers all;
  BatchArgs<float> args = all.args();
  args.first.alpha = 0;
  const BatchArgs<float> ready = prepared(args);
  CHECK((ready.pointers.a == nullptr && ready.pointers.b == nullptr && ready.pointers.c == args.pointers.c));
  CHECK(ready.shape().k == 0);
}

TEST_CASE("bad pointers are refused where they can be seen", "[pointers]") {
  Pointers all;
  CHECK(refused([&] { detail::batch_args<float>(1, all.A(12), all.B(), 0, all.C()); }) ==
        "no alignment of pointers (A, 12 bytes): promise a power of two, 4 or more");
  CHECK(refused([&] { detail::batch_args<float>(1, all.A(), all.B(2), 0, all.C()); }) ==
        "no alignment of pointers (B, 2 bytes): promise a power of two, 4 or more");
  BatchRef<const float> fewer = all.B();
  fewer.count = 2;
  CHECK(
      refused([&] { detail::batch_args<float>(1, all.A(), fewer, 0, all.C()); }) ==
      "numbers of products differ (A 3, B 2, C 3): give as many matrices of each, or one A or B as a matrix");
  const BatchRef<float> none = pointer_batch<float>(nullptr, row_major<float>(nullptr, 4, 16), 3);
  CHECK(refused([&] { prepared(detail::batch_args<float>(1, all.A(), all.B(), 0, none)); }) ==
        "null data of C (4 x 16): allocate the matrix first");
  CHECK(refused([&] { detail::check_pointers(all.args()); }) == "");
  all.b[2] = nullptr;
  CHECK(refused([&] { detail::check_pointers(all.args()); }) ==
        "null pointer in the batch B (number 2 of 3, counted from 0): give the address of a matrix (8 x 16)");
  BatchArgs<float> unread = all.args();
  unread.first.alpha = 0;
  CHECK(refused([&] { detail::check_pointers(prepared(unread)); }) == "");
}

TEST_CASE("a promised alignment stands for addresses", "[pointers]") {
  const Pointers all;
  const GemmDesc aligned = describe(all.args());
  CHECK((aligned.by_pointers && aligned.lines.a.whole && aligned.lines.b.whole));
  CHECK_FALSE((aligned.lines.a.tma_k || aligned.lines.b.tma_mn || aligned.lines.b.shared));
  CHECK_FALSE((aligned.result.rows || aligned.result.columns));
  const GemmDesc loose = describe(detail::batch_args<float>(2, all.A(8), all.B(), 1, all.C()));
  CHECK((!loose.lines.a.whole && loose.lines.a.pairs && loose.lines.b.whole));
  CHECK_FALSE(describe(BatchArgs<float>(all.args().product(0))).by_pointers);
  CHECK(testing::alignment_of(std::vector<float*>{memory, memory + 4}) == 16);
  CHECK(testing::alignment_of(std::vector<float*>{memory}) == 256);
}

TEST_CASE("kernels that TMA feeds, and repacking, do not follow pointers", "[pointers][choose]") {
  for (const Math math : {Math::tf32, Math::fp16, Math::bf16}) {
    const Target target = h200(Path::native, math);
    const GemmDesc desc = by_pointers({4096, 4096, 4096}, target.type(), 3);
    CHECK(plan(describe(desc.shape, desc.type, 3), {}, target).kernel == Kernel::warpgroup);
    const GemmPlan chosen = plan(desc, {}, target);
    CHECK((chosen.kernel == Kernel::tensor_core || chosen.kernel == Kernel::stream_k_tensor_core));
    try {
      plan(desc, {.kernel = Kernel::warpgroup}, target);
      CHECK(false);
    } catch (const Refused& refusal) {
      CHECK(refusal.code() == Lack::addresses);
      const std::string text = refusal.what();
      CHECK(text.starts_with(
          "kernel takes no arrays of pointers, which TMA cannot follow (warpgroup): take one of "));
      CHECK(text.find("tensor_core") != text.npos);
      CHECK(text.rfind("warpgroup") < text.find("take one of"));
    }
  }
  const Target fp32 = h200(Path::native, Math::fp32);
  const GemmDesc odd = by_pointers({4097, 4097, 4097}, Type::fp32, 3);
  CHECK(refused([&] { plan(odd, {.kernel = Kernel::pipelined, .repack = true}, fp32); }) ==
        "arrays of pointers are not repacked (pipelined): leave out repack");
  CHECK_FALSE(plan(odd, {}, fp32).repack);
}

TEST_CASE("of three products in tf32, fp32 remains where operands are pointers", "[pointers][choose]") {
  const Target target = h200(Path::native, Math::tf32x3);
  const GemmDesc desc = by_pointers({4096, 4096, 4096}, Type::fp32, 3);
  CHECK(plan(describe(desc.shape, desc.type, 3), {}, target).math == Math::tf32x3);
  const GemmPlan chosen = plan(desc, {.math = Math::tf32x3}, target);
  CHECK((chosen.math == Math::fp32 && chosen.path == Path::native));
  CHECK(chosen.why == "fp32 itself: TMA, which feeds the three products, cannot follow arrays of pointers");
}

TEST_CASE("where kernels read no pointers, tiles are shared out a product at a time", "[pointers][plan]") {
  Target target = h200(Path::portable, Math::fp32);
  const GemmDesc desc = by_pointers({512, 512, 512}, Type::fp32, 5);
  const GemmOptions stream{.kernel = Kernel::stream_k};
  CHECK(plan(desc, stream, target).at_a_time == 5);
  target.reads_pointers = false;
  CHECK(plan(desc, stream, target).at_a_time == 1);
  CHECK(plan(describe(desc.shape, desc.type, 5), stream, target).at_a_time == 5);
}

}  // namespace
}  // namespace rooftile
