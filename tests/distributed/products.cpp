// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: random products of shared matrices against the definition, on grids of some or all
// processes. Ends with 1, and the seed, where one is wrong on some process.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/distributed/case.hpp"
#include "tests/distributed/mpi_process.hpp"

namespace rooftile::distributed::test {

namespace {

/// An element of what C should be. C's own numbers are those of matrix 2, in its block NaN where beta is 0.
template <class T>
T expected(const Shared<T>& A, const Shared<T>& B, const Shared<T>& C, T alpha, T beta, Index k, Index i,
           Index j) {
  T sum(0);
  for (Index l = 0; l < k; ++l) sum += A.value(0, i, l) * B.value(1, l, j);
  return beta == T(0) ? alpha * sum : alpha * sum + beta * C.value(2, i, j);
}

/// How many elements of this process are wrong after a product of random operands.
template <class T>
int wrong_elements(Context& context, Draw& draw, std::string_view fault) {
  const auto extent = [&] { return draw(0, 9) == 0 ? draw(0, 1) : draw(1, 60); };
  const Index m = extent(), n = extent(), k = extent();
  Shared<T> A(context, draw, 0, m, k), B(context, draw, 1, k, n), C(context, draw, 2, m, n);
  const T alpha(static_cast<Real<T>>(draw(-1, 2))), beta(static_cast<Real<T>>(draw(-1, 2)));
  if (beta == T(0)) {
    C.for_each(context, [](T& x, Index, Index, bool inside) { x = inside ? not_a_number<T>() : x; });
  }
  std::vector<T> before = C.memory();
  if (alpha == T(0)) A.memory().assign(A.memory().size(), not_a_number<T>());
  const Index steps = fault == "step" && k > 0 ? k - 1 : k;
  gemm<T>(context, alpha, A.matrix().block(0, 0, m, steps), B.matrix().block(0, 0, steps, n), beta,
          C.matrix());
  if (fault == "rank" && context.rank() == 0) C.memory() = before;
  if (fault == "outside" && context.rank() == 0) C.memory().back() = T(1);

  // Puts back what was there, where the product is right: then all of the memory must be as before.
  int wrong = 0;
  const T* const memory = C.memory().data();
  C.for_each(context, [&](T& x, Index i, Index j, bool inside) {
    if (!inside) return;
    if (detail::conjugated_if(C.trans() == 2, x) == expected(A, B, C, alpha, beta, k, i, j)) {
      x = before[static_cast<std::size_t>(&x - memory)];
    } else {
      ++wrong;
    }
  });
  for (std::size_t i = 0; i < before.size(); ++i) wrong += same_bits(before[i], C.memory()[i]) ? 0 : 1;
  return wrong;
}

/// A product of a random type on a random grid of at most all processes. @return wrong elements of all
int run(unsigned seed, int processes, std::string_view fault) {
  Draw draw(seed);
  ContextOptions options;
  options.grid.rows = draw(1, processes);
  options.grid.cols = draw(1, processes / options.grid.rows);
  options.products.depth = draw.coin() ? draw(1, 20) : usual_depth;
  options.products.workspace =
      draw.coin() ? static_cast<std::size_t>(draw(30000, 60000)) : options.products.workspace;
  options.message = draw.coin() ? draw(1, 700) : options.message;
  Context context(MPI_COMM_WORLD, options);
  int wrong = 0;
  switch (draw(0, 3)) {
    case 0:
      wrong = wrong_elements<float>(context, draw, fault);
      break;
    case 1:
      wrong = wrong_elements<double>(context, draw, fault);
      break;
    case 2:
      wrong = wrong_elements<complex<float>>(context, draw, fault);
      break;
    default:
      wrong = wrong_elements<complex<double>>(context, draw, fault);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (wrong > 0 && context.rank() == 0) std::printf("wrong: seed %u, %d elements\n", seed, wrong);
  return wrong;
}

/// Leaves memory behind, where the sanitizer looks for it. @return whether it does
bool leave_behind(bool leaves) {
  const char* const options = std::getenv("ASAN_OPTIONS");
  if (options != nullptr && std::strstr(options, "detect_leaks=0") != nullptr) {
    std::printf("skipped: no leaks are looked for (ASAN_OPTIONS=%s)\n", options);
    return false;
  }
  static void* volatile kept = nullptr;
  if (leaves) kept = std::malloc(1000);
  kept = nullptr;
  return kept == nullptr;
}

}  // namespace

}  // namespace rooftile::distributed::test

/// products COUNT [SEED [FAULT]]: with one of the faults `step`, `rank` and `outside` it must find something
/// wrong; with `leak`, the sanitizer must.
int main(int argc, char** argv) {
  const rooftile::distributed::test::MpiProcess mpi(argc, argv);
  int processes = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = std::atoi(argv[1]);
  const unsigned first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  const std::string_view fault = argc > 3 ? argv[3] : "";
  if (fault == "leak" && !rooftile::distributed::test::leave_behind(rank == 0)) return 0;
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    wrong += rooftile::distributed::test::run(first + static_cast<unsigned>(i), processes, fault);
  if (rank == 0)
    std::printf("%d products on up to %d processes, %s\n", count, processes, wrong > 0 ? "wrong" : "right");
  const bool must_be_right = fault.empty() || fault == "leak";
  return (wrong > 0) == must_be_right ? 1 : 0;
}
