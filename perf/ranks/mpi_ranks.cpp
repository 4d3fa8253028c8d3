// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The part of the program that depends on MPI.
#include <algorithm>
#include <cstdio>

#include <mpi.h>

#include "distributed/mpi/agreement.hpp"
#include "peer.hpp"
#include "rooftile/distributed/gemm.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

using distributed::Context;
using distributed::ContextOptions;
using distributed::Grid;
using distributed::Plan;

struct Mpi {
  Mpi() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  ~Mpi() { MPI_Finalize(); }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
};

/// The modelled time in seconds. @param flops  FLOP of one multiply-add
double modelled(const Plan& plan, double flops, const model::Process& process) {
  const auto& [m, n, k] = plan.shape;
  const model::SharedProduct product{.m = m,
                                     .n = n,
                                     .k = k,
                                     .element_bytes = static_cast<model::Count>(size_of(plan.type)),
                                     .flops = flops,
                                     .depth = std::max<Index>(plan.depth, 1),
                                     .senders = plan.grid.rows + plan.grid.cols - 1};
  return model::shared_cost(product, process, plan.layer_grid.rows, plan.layer_grid.cols, plan.grid.size(),
                            plan.layers)
      .seconds;
}

class MpiRanks : public Ranks {
 public:
  int rank() const override { return context_->rank(); }
  int size() const override { return context_->size(); }
  int here() const override { return here_; }

  Company use(Grid grid, const std::vector<std::string>& files) override {
    context_ = std::make_unique<Context>(MPI_COMM_WORLD, options(grid));
    Company company{context_->grid(), {}, {}, {}};
    peers_ = find_pblas(files, company.absent);
    const auto found = static_cast<double>(peers_.size());
    agree(found < max(found) ? "peer libraries differ between processes: name one with --peer" : "", 0);
    for (const auto& peer : peers_) {
      peer->use(context_->grid());
      company.peers += (company.peers.empty() ? "" : "; ") + peer->files();
      const std::string warning = peer->warning();
      if (!warning.empty()) company.warnings.push_back(warning);
    }
    return company;
  }

  void agree(const std::string& problem, std::uint64_t same) override {
    distributed::agree(context_->watch(), {problem, same});
  }
  double max(double x) override {
    double all = 0;
    MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_MAX, context_->communicator());
    return all;
  }
  void exchange(std::size_t bytes) override {
    sent_.resize(bytes), received_.resize(bytes);
    const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
    MPI_Sendrecv(sent_.data(), static_cast<int>(bytes), MPI_BYTE, next, 0, received_.data(),
                 static_cast<int>(bytes), MPI_BYTE, previous, 0, context_->communicator(), MPI_STATUS_IGNORE);
  }

  std::vector<Way> ways(const AnySharedArgs& args, const std::vector<int>& layers,
                        const model::Process& process) override {
    std::vector<Way> found;
    for (const int count : layers) {
      found.push_back(std::visit([&](const auto& x) { return way_of(x, count, process); }, args));
    }
    for (const auto& peer : peers_) {
      found.push_back({"peer", peer->name()});
      try {
        found.back().run = peer->call(args);
      } catch (const Error& error) {  // thrown on all processes alike
        found.back().refusal = error.what();
      }
    }
    return found;
  }

  void abort(const std::string& problem) override {
    std::fprintf(stderr, "rooftile: rank %d of %d: %s\n", rank(), size(), problem.c_str());
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

 private:
  /// @param layers  0: chosen by the model
  static ContextOptions options(Grid grid, int layers = 0, const model::Process& process = {1, 1, 1}) {
    return {.grid = grid, .products = {.layers = layers, .process = process}, .timeout = 0};
  }

  static int count_here() {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int count = 1;
    MPI_Comm_size(machine, &count);
    MPI_Comm_free(&machine);
    return count;
  }

  template <class T>
  Way way_of(const SharedArgs<T>& args, int layers, const model::Process& process) const {
    Way way{.path = "portable", .kernel = "", .automatic = layers == 0};
    const ContextOptions how = options(context_->grid(), layers, process);
    try {
      const Plan plan = distributed::explain<T>(how.grid, args.A, args.B, args.C, how.products);
      way.layers = plan.layers;
      way.bytes_moved = plan.bytes_moved, way.workspace = static_cast<double>(plan.workspace);
      way.modelled = modelled(plan, 2.0 * real_multiply_adds(type_of<T>()), process);
      const auto context = std::make_shared<Context>(MPI_COMM_WORLD, how);
      way.run = [context, args] {
        distributed::gemm<T>(*context, args.alpha, args.A, args.B, args.beta, args.C);
      };
    } catch (const Error& error) {  // thrown on all processes alike
      way.layers = layers;
      way.refusal = error.what();
    }
    way.kernel = std::to_string(way.layers) + (way.layers == 1 ? " layer" : " layers");
    return way;
  }

  const Mpi mpi_;
  const int here_ = count_here();
  std::unique_ptr<Context> context_ = std::make_unique<Context>(MPI_COMM_WORLD, options({}));
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<std::byte> sent_, received_;
};

}  // namespace
}  // namespace rooftile::perf

extern "C" [[gnu::visibility("default")]] rooftile::perf::Ranks* rooftile_open_ranks() {
  return new rooftile::perf::MpiRanks;
}
