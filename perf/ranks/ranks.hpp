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

/// The program's interface to the MPI processes. It does not depend on MPI: the implementation is a separate
/// file, opened for `--ranks`.
namespace rooftile::perf {

/// A product of distributed matrices, with this process's local part of each, column-major without gaps.
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
  std::string refusal{};  ///< why the product cannot run
  int layers = 0;         ///< layers that split K; 0: another library decides
  bool automatic = false;
  double bytes_moved = 0;  ///< bytes sent between processes
  double workspace = 0;    ///< bytes; maximum over the processes
  double modelled = 0;     ///< modelled seconds; 0: not known
  std::function<void()> run{};
};

/// The process grid, and the peer libraries.
struct Company {
  distributed::Grid grid;
  std::string peers;                  ///< files of the libraries and of their BLAS
  std::vector<Absent> absent;         ///< libraries that are not available
  std::vector<std::string> warnings;  ///< conditions that make a comparison unfair, and remedies
};

/// Functions are collective and must be called in one order on all processes, unless stated otherwise.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  ///< not collective
  virtual int size() const = 0;  ///< not collective
  virtual int here() const = 0;  ///< processes on this machine; not collective

  /// Sets the process grid before the first product and opens the peer libraries.
  /// @param grid  0 rows and columns: as square as possible
  virtual Company use(distributed::Grid grid, const std::vector<std::string>& peers) = 0;

  /// Waits for all processes. @param same  a value that must be equal on all processes
  /// @throws Error on all processes, with the first problem and its rank
  virtual void agree(const std::string& problem, std::uint64_t same = 0) = 0;
  virtual double max(double x) = 0;
  /// Sends `bytes` to the next process and receives as many from the previous one.
  virtual void exchange(std::size_t bytes) = 0;

  /// @param layers   layers that split K for each way of Rooftile; 0: chosen by the model
  /// @param process  model parameters of a process
  virtual std::vector<Way> ways(const AnySharedArgs& args, const std::vector<int>& layers,
                                const model::Process& process) = 0;

  /// Ends all processes after an error on one process that others wait for. Not collective.
  virtual void abort(const std::string& problem) = 0;
};

/// Name of the function in the MPI file. It returns a new `Ranks`, which initialises MPI and finalises it at
/// its end.
inline constexpr const char* open_ranks_name = "rooftile_open_ranks";
using OpenRanks = Ranks*();

std::unique_ptr<Ranks> open_ranks();

}  // namespace rooftile::perf
