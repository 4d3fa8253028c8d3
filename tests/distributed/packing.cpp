// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: random products by the panels that GPUs exchange, in memory of the host: what packs,
// sends and unpacks is the library's, but for the loops of the kernel that copies and of the engine that
// sends.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "backends/mpi/agreement.hpp"
#include "backends/mpi/checks.hpp"
#include "backends/mpi/messages.hpp"
#include "backends/nccl/device_panels.hpp"
#include "backends/nccl/start_copy.hpp"
#include "tests/distributed/case.hpp"
#include "tests/distributed/mpi_process.hpp"

namespace {

/// A planted fault: the last index of each copy stays.
bool leaves_last = false;

}  // namespace

namespace rooftile::distributed {

/// What the kernel does, one word after the other.
void start_copy(cudaStream_t, const RunCopy& given, int size, Index word_of_x, Index word_of_y,
                const void* from, void* to) {
  const auto [copy, bytes] = in_words(given, size, word_of_x, word_of_y, from, to);
  const Index word = bytes / size;
  for (Index i = 0; i < copy.x.extent - (leaves_last ? 1 : 0); i += word) {
    const Axis::Place x = copy.x.place(i);
    for (Index j = 0; j < copy.y.extent; ++j) {
      const RunCopy::Offsets at = copy.offsets(x, copy.y.place(j));
      std::memcpy(static_cast<char*>(to) + at.to / word * bytes,
                  static_cast<const char*>(from) + at.from / word * bytes, static_cast<std::size_t>(bytes));
    }
  }
}

namespace test {

namespace {

/// Messages by MPI, in memory of the host.
class HostMessages : public DeviceMessages {
 public:
  explicit HostMessages(const Context& context) : messages_(context, 4) {}
  void reserve(std::size_t bytes) override { most_ = bytes; }
  void send(const void* data, std::size_t bytes, int rank) override {
    messages_.send(static_cast<const std::byte*>(data), static_cast<Index>(bytes), rank);
    sent += static_cast<double>(bytes);
  }
  void receive(void* data, std::size_t bytes, int rank) override {
    messages_.receive(static_cast<std::byte*>(data), static_cast<Index>(bytes), rank);
    received_ += bytes;
  }
  void start(cudaStream_t) override {}
  void finish(cudaStream_t) override {
    messages_.wait();
    kept &= received_ <= most_;
    received_ = 0;
  }
  void abort() noexcept override {}

  double sent = 0;   ///< bytes
  bool kept = true;  ///< whether no more arrived at a time than was told

 private:
  Messages messages_;
  std::size_t most_ = 0, received_ = 0;
};

/// C = alpha·A·B + beta·C on the host.
template <class T>
void multiply(Scalar<T> alpha, const MatrixRef<const T>& A, const MatrixRef<const T>& B, Scalar<T> beta,
              const MatrixRef<T>& C) {
  const bool conjugates = detail::reads_conjugates(C);
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) {
      Scalar<T> sum(0);
      for (Index l = 0; l < A.cols; ++l) sum += Scalar<T>(A.value(i, l)) * Scalar<T>(B.value(l, j));
      sum = alpha * sum;
      if (beta != Scalar<T>(0)) sum += beta * Scalar<T>(C.value(i, j));
      C(i, j) = detail::conjugated_if(conjugates, T(sum));
    }
  }
}

/// A random product. @return wrong elements of this process
template <class T>
int wrong_of_product(Context& context, Draw& draw, double& sent, double& told) {
  const auto extent = [&] { return draw(0, 9) == 0 ? 1 : draw(1, 60); };
  const Index m = extent(), n = extent(), k = extent();
  Shared<T> A(context, draw, 0, m, k), B(context, draw, 1, k, n), C(context, draw, 2, m, n);
  const Scalar<T> alpha(static_cast<Real<Scalar<T>>>(draw(1, 2))),
      beta(static_cast<Real<Scalar<T>>>(draw(0, 1)));
  std::vector<T> before = C.memory();
  const DistributedMatrix<const T> of_a = A.matrix(), of_b = B.matrix(), of_bt = of_b.transposed();
  const DistributedMatrix<T> of_c = C.matrix();
  const Plan plan = explain_cuda(context.grid(), of_a, of_b, of_c, context.options().products);
  told = plan.bytes_moved;
  if (plan.panels == 0) return 0;
  const Proposal all =
      agree(context.watch(), {{}, 0, lies_along_k(of_a), lies_along_k(of_bt)});
  if (!context.in_grid()) return 0;
  const Division division = division_of(plan, of_c.rows, of_c.cols, of_a.cols);
  RunLists lists;
  DevicePanels<T> panels_a(context, of_a, of_c.rows, division, plan.depth, lists),
      panels_b(context, of_bt, of_c.cols, division, plan.depth, lists);
  std::vector<T> workspace((plan.workspace + sizeof(T) - 1) / sizeof(T) + 256 / sizeof(T), not_a_number<T>());
  auto* const begin = reinterpret_cast<std::byte*>(workspace.data());
  std::byte* const end = panels_b.take(panels_a.take(begin, all.a_along_k, lists, lists.runs().data()),
                                       all.b_along_k, lists, lists.runs().data());
  HostMessages messages(context);
  messages.reserve(panels_a.message_bytes() + panels_b.message_bytes());
  const MatrixRef<T> own = local_block(of_c, context.grid(), context.row(), context.col());
  int slot = 0;
  for (Index from = 0, to = 0; from < k; from = to, slot = 1 - slot) {
    to = std::min(k, from + (from > 0 ? plan.depth : plan.first));
    panels_a.start(from, to, slot, messages, nullptr), panels_b.start(from, to, slot, messages, nullptr);
    messages.finish(nullptr);
    panels_a.finish(nullptr), panels_b.finish(nullptr);
    multiply<T>(alpha, panels_a.panel(from, to, slot), panels_b.panel(from, to, slot).transposed(),
                from > 0 ? Scalar<T>(1) : beta, own);
  }
  const bool fits = end <= begin + plan.workspace + 256;
  sent = messages.sent;
  return (fits && messages.kept ? 0 : 1) + wrong_elements<T>(context, A, B, C, alpha, beta, k, before);
}

template <class F>
void with_each_type(Draw& draw, const F& f) {
  switch (draw(0, 5)) {
    case 0:
      return f(float16());
    case 1:
      return f(bfloat16());
    default:
      return with_random_type(draw, f);
  }
}

int run(unsigned seed, int processes) {
  Draw draw(seed);
  ContextOptions options = random_options(draw, processes, 140000);
  options.products.layers = 0;
  Context context(MPI_COMM_WORLD, options);
  int wrong = 0;
  double sent = 0, told = 0;
  with_each_type(draw, [&]<class T>(T) { wrong = wrong_of_product<T>(context, draw, sent, told); });
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  wrong += sent == told ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (wrong > 0 && context.rank() == 0) std::printf("wrong: seed %u, %d elements\n", seed, wrong);
  return wrong;
}

}  // namespace

}  // namespace test

}  // namespace rooftile::distributed

/// packing COUNT [SEED [FAULT]]: with the fault `last` it must find something wrong.
int main(int argc, char** argv) {
  const rooftile::distributed::test::MpiProcess mpi(argc, argv);
  int processes = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = std::atoi(argv[1]);
  const unsigned first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  const bool must_be_right = argc <= 3;
  leaves_last = argc > 3 && std::string_view(argv[3]) == "last";
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    wrong += rooftile::distributed::test::run(first + static_cast<unsigned>(i), processes);
  if (rank == 0) std::printf("%d products, %s\n", count, wrong > 0 ? "wrong" : "right");
  return (wrong > 0) == must_be_right ? 1 : 0;
}
