// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: random products and redistributions of distributed matrices, compared with the
// definition.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "rooftile/distributed/redistribute.hpp"
#include "tests/distributed/case.hpp"
#include "tests/distributed/mpi_process.hpp"

namespace {

/// Bytes that this process has sent, and bytes of its first aligned allocation, which is the workspace.
double bytes_sent = 0;
std::size_t bytes_asked_for = 0;
/// Injected fault: whether this process's part of C is left out of the sum over layers.
bool leaves_layer_out = false;

}  // namespace

/// Counts bytes. MPI's profiling interface lets a program replace the function.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator, MPI_Request* request) {
  int size = 0;
  MPI_Type_size(type, &size);
  bytes_sent += static_cast<double>(count) * size;
  constexpr int tag_of_sums = 3;
  if (leaves_layer_out && tag == tag_of_sums) {
    std::memset(const_cast<void*>(data), 0, static_cast<std::size_t>(count) * static_cast<std::size_t>(size));
  }
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

/// A context allocates its workspace with this operator, which fills the memory with NaN.
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  if (bytes_asked_for == 0) bytes_asked_for = size;
  const auto multiple = static_cast<std::size_t>(alignment);
  const std::size_t whole = (size + multiple - 1) / multiple * multiple;
  void* const memory = std::aligned_alloc(multiple, whole);
  return memory == nullptr ? memory : std::memset(memory, 0xff, whole);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}

namespace rooftile::distributed::test {

namespace {

/// Whether the bytes sent by all processes and the workspace of this process match `explain`. Collective.
bool is_as_told(const Context& context, const Plan& plan) {
  double sent = bytes_sent;
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const bool takes = context.in_grid() && plan.panels > 0;
  return sent == plan.bytes_moved && (!takes || bytes_asked_for == plan.workspace);
}

/// The number of wrong elements on this process after a product of random operands.
template <class T>
int wrong_of_product(Context& context, Draw& draw, std::string_view fault) {
  const auto extent = [&] { return draw(0, 9) == 0 ? draw(0, 1) : draw(1, 60); };
  const Index m = extent(), n = extent(), k = extent();
  const int block = draw(0, 2) == 0 ? draw(1, 9) : 0;
  Shared<T> A(context, draw, 0, m, k, block), B(context, draw, 1, k, n, block),
      C(context, draw, 2, m, n, block);
  const T alpha(static_cast<Real<T>>(draw(-1, 2))), beta(static_cast<Real<T>>(draw(-1, 2)));
  if (beta == T(0)) {
    C.for_each(context, [](T& x, Index, Index, bool inside) { x = inside ? not_a_number<T>() : x; });
  }
  std::vector<T> before = C.memory();
  if (alpha == T(0)) A.memory().assign(A.memory().size(), not_a_number<T>());
  const Index steps = fault == "step" && k > 0 ? k - 1 : k;
  const auto of_a = A.matrix().block(0, 0, m, steps), of_b = B.matrix().block(0, 0, steps, n),
             of_c = C.matrix();
  const Plan plan = explain({context.grid(), of_a.rows, of_a.cols, of_b.rows, of_b.cols, of_c.rows, of_c.cols,
                             type_of<T>(), alpha != T(0)},
                            context.options().products);
  bytes_sent = 0, bytes_asked_for = 0;
  leaves_layer_out = fault == "layer" && context.rank() == 1;
  gemm<T>(context, alpha, of_a, of_b, beta, of_c);
  if (fault == "explain" && context.rank() == 0) bytes_sent += 1;
  const bool told = is_as_told(context, plan);
  if (fault == "rank" && context.rank() == 0) C.memory() = before;
  if (fault == "outside" && context.rank() == 0) C.memory().back() = T(1);

  return (told ? 0 : 1) + wrong_elements<T>(context, A, B, C, alpha, beta, k, before);
}

/// A number that makes products and sums round. It differs for each (i,j) of each matrix.
template <class T>
T fraction(int which, Index i, Index j) {
  const auto part = [&](Index salt) {
    const Index hash = (i * 7919 + j * 104729 + which * 15485863 + salt) % 1000003;
    return static_cast<Real<T>>(hash) / Real<T>(1000003) - Real<T>(0.5);
  };
  if constexpr (detail::is_complex<T>) {
    return {part(0), part(499979)};
  } else {
    return part(0);
  }
}

/// The number of elements on this process whose bits differ between two runs of a product that rounds. The
/// second run uses another context and splits messages elsewhere. With the fault `depth`, it also uses panels
/// of another depth, which changes the order of the sums.
template <class T>
int wrong_of_bits(Context& context, Draw& draw, std::string_view fault) {
  const Index m = draw(1, 60), n = draw(1, 60), k = draw(20, 200);
  const int block = draw(0, 2) == 0 ? draw(1, 9) : 0;
  Shared<T> A(context, draw, 0, m, k, block), B(context, draw, 1, k, n, block),
      C(context, draw, 2, m, n, block);
  int which = 0;
  for (Shared<T>* X : {&A, &B, &C}) {
    X->for_each(context, [&](T& x, Index i, Index j, bool) { x = fraction<T>(which, i, j); });
    ++which;
  }
  const T alpha = fraction<T>(3, 0, 0), beta = fraction<T>(3, 0, 1);
  const std::vector<T> before = C.memory();
  gemm<T>(context, alpha, A.matrix(), B.matrix(), beta, C.matrix());
  const std::vector<T> first = C.memory();
  C.memory() = before;
  ContextOptions options = context.options();
  options.message = draw(1, 1024);
  if (fault == "depth") options.products.depth = options.products.depth == 7 ? 5 : 7;
  Context other(MPI_COMM_WORLD, options);
  gemm<T>(other, alpha, A.matrix(), B.matrix(), beta, C.matrix());
  int wrong = 0;
  for (std::size_t i = 0; i < first.size(); ++i) wrong += same_bits(first[i], C.memory()[i]) ? 0 : 1;
  return wrong;
}

/// The number of wrong elements on this process after a redistribution into a random layout.
template <class T>
int wrong_of_redistribution(Context& context, Draw& draw, std::string_view fault) {
  const auto extent = [&] { return draw(0, 9) == 0 ? draw(0, 1) : draw(1, 60); };
  const Index m = extent(), n = extent();
  Shared<T> A(context, draw, 0, m, n), B(context, draw, 1, m, n);
  const std::vector<T> read = A.memory(), before = B.memory();
  redistribute<T>(context, A.matrix(), B.matrix());
  if (fault == "rank" && context.rank() == 0) B.memory() = before;
  if (fault == "outside" && context.rank() == 0) B.memory().back() = T(1);
  return wrong_of_move(context, A, B, read, before);
}

/// A case with a random type on a random grid of at most all processes.
/// @param what  `products`, `bits` or `redistributions`
/// @return wrong elements of all processes
int run(std::string_view what, unsigned seed, int processes, std::string_view fault) {
  const bool redistributes = what == "redistributions";
  return wrong_of_random(seed, processes, redistributes ? 2100 : 30000,
                         [&]<class T>(Context& context, Draw& draw, T) {
                           return redistributes    ? wrong_of_redistribution<T>(context, draw, fault)
                                  : what == "bits" ? wrong_of_bits<T>(context, draw, fault)
                                                   : wrong_of_product<T>(context, draw, fault);
                         });
}

/// Leaks memory if the sanitizer checks for leaks.
/// @return whether it leaked
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

/// products WHAT COUNT [SEED [FAULT]]: WHAT is `products`, `bits` or `redistributions`. With a fault the
/// program must find an error: `rank` or `outside`, for products also `step`, `layer` or `explain`, for bits
/// `depth`. With `leak`, the sanitizer must report one.
int main(int argc, char** argv) {
  using namespace rooftile::distributed::test;
  const MpiProcess mpi(argc, argv);
  int processes = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = std::atoi(argv[2]);
  const unsigned first = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
  const std::string_view fault = argc > 4 ? argv[4] : "";
  if (fault == "leak" && !leave_behind(rank == 0)) return 0;
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += run(argv[1], first + static_cast<unsigned>(i), processes, fault);
  if (rank == 0)
    std::printf("%d %s on up to %d processes, %s\n", count, argv[1], processes,
                wrong > 0 ? "wrong" : "right");
  const bool must_be_right = fault.empty() || fault == "leak";
  return (wrong > 0) == must_be_right ? 1 : 0;
}
