// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <mpi.h>

#include "rooftile/distributed/layout.hpp"
#include "rooftile/distributed/plan.hpp"

namespace rooftile::distributed {

class Watchdog;

/// Options of a context. All processes give equal options.
struct ContextOptions {
  Grid grid{0, 0};                 ///< of processes; 0 rows or columns: as square as the communicator allows
  Options products{};              ///< options of each product
  Index message = Index{1} << 30;  ///< maximum bytes of an MPI message, so that MPI's counts suffice
  /// Seconds until a silent process counts as missing; 0: no limit. A process that has waited half of this
  /// time asks the others, which have the other half to answer.
  double timeout = 600;
};

/// The processes that compute together, and the workspace that this process keeps.
///
/// All processes of the communicator make the calls that take a context, in one order, from one thread at a
/// time. MPI_THREAD_FUNNELED suffices.
///
/// A process may be dead, hang, or not call. If it does not answer within the timeout, all waiting processes
/// throw one Error that names it, and so does every later call. The context is then lost; memory that MPI may
/// still write to is never freed.
class Context {
 public:
  /// Makes a context. Collective: all processes of the communicator call it. Duplicates the communicator.
  /// @throws Error  on all processes, if the grid has more processes than the communicator, options differ
  ///                between processes, or a process does not call within the timeout
  explicit Context(MPI_Comm communicator, const ContextOptions& options = {});
  /// Frees the context. Collective; call it before MPI_Finalize.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  MPI_Comm communicator() const { return communicator_; }     ///< the duplicate
  const ContextOptions& options() const { return options_; }  ///< with the grid and workspace in use
  Grid grid() const { return options_.grid; }                 ///< of the processes
  int rank() const { return rank_; }                          ///< of this process
  int size() const { return size_; }                          ///< of the communicator
  bool in_grid() const { return rank_ < grid().size(); }      ///< this process holds elements
  int row() const { return rank_ / grid().cols; }             ///< of this process @pre `in_grid`
  int col() const { return rank_ % grid().cols; }             ///< of this process @pre `in_grid`

  /// Returns at least `bytes` bytes of workspace with undefined contents, aligned for vectors; null if there
  /// is no memory. Frees earlier workspace that is too small. Not collective.
  std::byte* reserve(std::size_t bytes) noexcept;
  /// Frees the workspace. Not collective.
  void release_workspace() noexcept;

  /// Returns the watchdog of the other processes. For internal use.
  Watchdog& watch() const { return *watch_; }
  /// Sets the workspace limit of products; all processes call it. For internal use.
  void allow_workspace(std::size_t bytes) { options_.products.workspace = bytes; }

 private:
  void close() noexcept;

  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };

  ContextOptions options_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::unique_ptr<std::byte, Free> workspace_;
  std::size_t reserved_ = 0;
  std::unique_ptr<Watchdog> watch_;
};

}  // namespace rooftile::distributed
