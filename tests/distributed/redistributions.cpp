// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: random matrices brought into random layouts, on grids of some or all processes. Ends
// with 1, and the seed, where an element is wrong on some process.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "rooftile/distributed/redistribute.hpp"
#include "tests/distributed/case.hpp"
#include "tests/distributed/mpi_process.hpp"

namespace rooftile::distributed::test {

namespace {

/// How many elements of this process are wrong.
template <class T>
int wrong_elements(Context& context, Draw& draw, std::string_view fault) {
  const auto extent = [&] { return draw(0, 9) == 0 ? draw(0, 1) : draw(1, 60); };
  const Index m = extent(), n = extent();
  Shared<T> A(context, draw, 0, m, n), B(context, draw, 1, m, n);
  const std::vector<T> read = A.memory(), before = B.memory();
  redistribute<T>(context, A.matrix(), B.matrix());
  if (fault == "rank" && context.rank() == 0) B.memory() = before;
  if (fault == "outside" && context.rank() == 0) B.memory().back() = T(1);
  return wrong_of_move(context, A, B, read, before);
}

/// A matrix of a random type on a random grid of at most all processes. @return wrong elements of all
int run(unsigned seed, int processes, std::string_view fault) {
  return wrong_of_random(seed, processes, 2100, [&]<class T>(Context& context, Draw& draw, T) {
    return wrong_elements<T>(context, draw, fault);
  });
}

}  // namespace

}  // namespace rooftile::distributed::test

/// redistributions COUNT [SEED [FAULT]]: with one of the faults `rank` and `outside` it must find something
/// wrong.
int main(int argc, char** argv) {
  const rooftile::distributed::test::MpiProcess mpi(argc, argv);
  int processes = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = std::atoi(argv[1]);
  const unsigned first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  const std::string_view fault = argc > 3 ? argv[3] : "";
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    wrong += rooftile::distributed::test::run(first + static_cast<unsigned>(i), processes, fault);
  if (rank == 0)
    std::printf("%d matrices on up to %d processes, %s\n", count, processes, wrong > 0 ? "wrong" : "right");
  return (wrong > 0) == fault.empty() ? 1 : 0;
}
