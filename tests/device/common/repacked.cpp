// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "device/common/repacked.hpp"

#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "plan/plan_steps.hpp"

namespace rooftile {
namespace {

using detail::RepackedProducts;

/// A workspace on the host.
class Memory : public detail::WorkspaceParts {
 public:
  explicit Memory(std::size_t bytes) : memory_(bytes + 16) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    hold(memory_.data() + (16 - address % 16) % 16);
  }

 private:
  std::vector<char> memory_;
};

/// Runs all teams in sequence. The threads of a team run concurrently.
void run(const detail::Repack<float>& copies) {
  std::vector<float> tile(copies.tile_elements);
  const auto teams = static_cast<unsigned>(copies.teams());
  std::barrier meeting(copies.threads);
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < copies.threads; ++rank) {
    threads.emplace_back([&, rank] {
      for (unsigned team = 0; team < teams; ++team) {
        copies.compute(team, rank, tile.data(), [&] { meeting.arrive_and_wait(); });
        meeting.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Operands of all layouts, in which each element has a unique value.
struct Operands {
  static constexpr Index count = 2;

  GemmShape shape;
  std::vector<float> a, b, c;

  explicit Operands(const GemmShape& s)
      : shape(s), a(size(s.m * s.k + 3)), b(size(s.k * s.n + 3)), c(size(s.m * s.n)) {
    float value = 1;
    for (auto* x : {&a, &b}) {
      for (float& element : *x) element = value++;
    }
  }

  /// @param shared  whether both products use one B
  BatchArgs<float> args(bool a_row_major, bool b_row_major, bool shared) {
    const auto [m, n, k] = shape;
    const auto matrix = [&](std::vector<float>& x, Index rows, Index cols,
                            bool row_major_) -> MatrixRef<float> {
      return row_major_ ? row_major(x.data(), rows, cols) : column_major(x.data(), rows, cols);
    };
    // The products' matrices overlap: the second one begins three elements after the first.
    return {{1, matrix(a, m, k, a_row_major), matrix(b, k, n, b_row_major), 0, row_major(c.data(), m, n)},
            {count, 3, shared ? 0 : Index{3}, 0}};
  }

 private:
  static std::size_t size(Index elements) { return static_cast<std::size_t>(elements); }
};

/// The error in the repacked X (K,X). `from` is the operand before repacking. Empty if there is none.
std::string fault(const MatrixRef<const float>& X, const MatrixRef<const float>& from) {
  if (!detail::has_whole_vectors(X)) return "no whole vectors";
  if (X.rows != from.rows || X.cols < from.cols) return "another matrix";
  for (Index k = 0; k < X.rows; ++k) {
    for (Index x = 0; x < X.cols; ++x) {
      if (X(k, x) != (x < from.cols ? from(k, x) : 0)) return detail::text("wrong at ", k, ", ", x);
    }
  }
  return {};
}

/// A plan as if the caller had named the kernel, with or without matrix instructions, and requested
/// repacking.
template <class T>
GemmPlan plan_of(const BatchArgs<T>& args, bool fragments) {
  GemmPlan plan{{fragments ? Kernel::tensor_core : Kernel::pipelined, {}, "", own_mode<T>(), true},
                describe(args),
                Path::native,
                ""};
  detail::plan_panels(plan, 132, WorkspaceMemory{}.bytes);
  return plan;
}

TEST_CASE("a repacked operand is the same matrix in whole vectors along x", "[repack]") {
  for (const GemmShape& shape : {GemmShape{67, 129, 33}, {5, 64, 70}, {1, 3, 1}}) {
    Operands operands(shape);
    for (const bool a_row_major : {false, true}) {
      for (const bool b_row_major : {false, true}) {
        for (const bool shared : {false, true}) {
          INFO(to_string(shape) << ' ' << a_row_major << b_row_major << shared);
          const BatchArgs<float> args = operands.args(a_row_major, b_row_major, shared);
          const RepackedProducts<float> products(args, plan_of(args, false));
          Memory workspace(products.workspace_bytes());
          const detail::Repack<float> copies = products.copies(workspace);
          run(copies);
          const BatchArgs<float> repacked = products.of(copies);
          CHECK(repacked.batch.count == args.batch.count);
          CHECK(repacked.batch.stride_c == args.batch.stride_c);
          CHECK((repacked.batch.stride_b == 0) == shared);
          for (Index i = 0; i < Operands::count; ++i) {
            const GemmArgs<float> is = repacked.product(i), was = args.product(i);
            CHECK(fault(is.A.transposed(), was.A.transposed()) == "");
            CHECK(fault(is.B, was.B) == "");
            CHECK(is.C.data == was.C.data);
          }
        }
      }
    }
  }
}

TEST_CASE("an operand that has its vectors stays where it is and takes no workspace", "[repack]") {
  alignas(16) static float memory[64 * 64];
  const auto args = [](const MatrixRef<const float>& A, const MatrixRef<const float>& B) -> BatchArgs<float> {
    return {{1, A, B, 0, row_major(memory, A.rows, B.cols)}, {}};
  };
  const float* const x = memory;
  const auto even = args(column_major(x, 8, 12), row_major(x, 12, 4));
  const auto k_major = args(row_major(x, 8, 12), column_major(x, 12, 4));
  const auto odd = args(row_major(x, 8, 11), row_major(x, 11, 4));
  for (const bool fragments : {false, true}) {
    const RepackedProducts<float> same(even, plan_of(even, fragments));
    CHECK(same.workspace_bytes() == 0);
    Memory none(0);
    const detail::Repack<float> copies = same.copies(none);
    CHECK(copies.teams() == 0);
    CHECK((same.of(copies).first.A.data == x && same.of(copies).first.B.data == x));
    CHECK((RepackedProducts<float>(k_major, plan_of(k_major, fragments)).workspace_bytes() == 0) ==
          fragments);
    const RepackedProducts<float> one(odd, plan_of(odd, fragments));
    Memory workspace(one.workspace_bytes());
    const detail::Repack<float> copy = one.copies(workspace);
    CHECK((copy.teams() == 1 && copy.b.products == 0));
    CHECK((one.of(copy).first.A.data != x && one.of(copy).first.B.data == x));
  }
}

TEST_CASE("a batch is repacked in parts of 1 GiB", "[repack]") {
  alignas(16) static float memory[16];
  const auto at_a_time = [](Index m, Index n, Index k) {
    const BatchArgs<float> args{{1, row_major<const float>(memory, m, k),
                                 row_major<const float>(memory, k, n), 0, row_major(memory, m, n)},
                                {100000, m * k, k * n, m * n}};
    return plan_of(args, false).batch_chunk;
  };
  CHECK(at_a_time(2, 4, 3) == 65535);
  CHECK(at_a_time(1024, 1024, 1024) == 256);  // A only
  CHECK(at_a_time(40000, 4, 40000) == 1);
}

}  // namespace
}  // namespace rooftile
