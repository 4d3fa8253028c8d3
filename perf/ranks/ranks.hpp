// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "../record/record.hpp"
#include "rooftile/distributed/distributed_matrix.hpp"
#include "rooftile/model/distributed.hpp"
#include "rooftile/types.hpp"

/// The processes that mpirun started, as the program sees them. It does not know MPI: what does is a file of
/// its own, which is opened where `--ranks` asks for it.
namespace rooftile::perf {

/// A product of shared matrices, with this process's part of each, column-major and without gaps.
template <class T>
struct SharedArgs {
  T alpha;
  distributed::DistributedMatrix<T> A, B;
  T beta;
  distributed::DistributedMatrix<T> C;
};
using AnySharedArgs = std::variant<SharedArgs<float>, SharedArgs<double>, SharedArgs<complex<float>>,
                                   SharedArgs<complex<double>>>;

struct Way {
  std::string path, kernel;
  std::string refusal{};  ///< why it cannot run
  int layers = 0;         ///< that share K; 0: another library's
  bool automatic = false;
  double bytes_moved = 0;  ///< from process to process
  double workspace = 0;    ///< bytes, of the process that takes the most
  double modelled = 0;     ///< seconds; 0: not known
  std::function<void()> run{};
};

/// How the processes lie, and which other libraries there are.
struct Company {
  distributed::Grid grid;
  std::string peers;                  ///< their files, and the BLAS that they call
  std::vector<Absent> absent;         ///< those that are not there
  std::vector<std::string> warnings;  ///< of what makes a comparison unfair here, and what to do
};

/// All calls are made by all processes, in one order, but for those that say otherwise.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  ///< not collective
  virtual int size() const = 0;  ///< not collective
  virtual int here() const = 0;  ///< processes of this machine; not collective

  /// Says how the processes lie, before the first product, and opens other libraries.
  /// @param grid  of 0 rows and columns: as square as may be
  virtual Company use(distributed::Grid grid, const std::vector<std::string>& peers) = 0;

  /// Waits for all. @param same  what must be the same everywhere
  /// @throws Error on all, with the first problem and whose it is
  virtual void agree(const std::string& problem, std::uint64_t same = 0) = 0;
  virtual double max(double x) = 0;
  /// Each sends so many bytes to the next one and receives as many.
  virtual void exchange(std::size_t bytes) = 0;

  /// @param layers   for each way of ours, how many share K; 0: as the model says
  /// @param process  what the model reckons with
  virtual std::vector<Way> ways(const AnySharedArgs& args, const std::vector<int>& layers,
                                const model::Process& process) = 0;

  /// For what only one process knows, while others wait for it: ends all. Not collective.
  virtual void abort(const std::string& problem) = 0;
};

/// What the file has, by this name: a new `Ranks`, for which MPI is begun, and with which it ends.
inline constexpr const char* open_ranks_name = "rooftile_open_ranks";
using OpenRanks = Ranks*();

std::unique_ptr<Ranks> open_ranks();

}  // namespace rooftile::perf
