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

/// What a context is made with. All processes give the same.
struct ContextOptions {
  Grid grid{0, 0};     ///< of processes; of 0 rows or columns: as square as the communicator allows
  Options products{};  ///< what each product is to keep to
  Index message = Index{1} << 30;  ///< bytes of an MPI message, at most, so that MPI's counts suffice
  /// Seconds: who has waited for half of them asks the others, and one that does not answer within the other
  /// half is missing; 0: waits for ever.
  double timeout = 600;
};

/// The processes that compute together, and the workspace that this one keeps for its next products. Calls
/// that take a context are made by all processes of its communicator, in the same order, by one thread at a
/// time; MPI need not know more than MPI_THREAD_FUNNELED.
///
/// A process that others wait for may be dead, hang, or not call at all. Where it does not answer within the
/// timeout, all that wait throw one Error, which names it, and so does each later call. Such a context is
/// lost: what MPI may still write to is never freed.
class Context {
 public:
  /// Collective. Duplicates the communicator, so that no message of others is taken for one of its own.
  /// @throws Error, on all processes, where the grid has more processes than the communicator, or options are
  ///         not the same everywhere; where a process does not come within the timeout
  explicit Context(MPI_Comm communicator, const ContextOptions& options = {});
  /// Collective, before MPI_Finalize.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  MPI_Comm communicator() const { return communicator_; }     ///< its own
  const ContextOptions& options() const { return options_; }  ///< with the grid and workspace that are used
  Grid grid() const { return options_.grid; }                 ///< of processes
  int rank() const { return rank_; }                          ///< of this process
  int size() const { return size_; }                          ///< of the communicator
  bool in_grid() const { return rank_ < grid().size(); }      ///< whether this process holds something
  int row() const { return rank_ / grid().cols; }             ///< of this process @pre `in_grid`
  int col() const { return rank_ % grid().cols; }             ///< of this process @pre `in_grid`

  /// At least so many bytes of workspace, aligned for vectors, of unknown contents; null: there is no memory.
  /// What was reserved before goes. Not collective.
  std::byte* reserve(std::size_t bytes) noexcept;
  /// Gives the workspace back. Not collective.
  void release_workspace() noexcept;

  /// Who waits for the other processes. For the library's own use.
  Watchdog& watch() const { return *watch_; }
  /// Lets products take as many bytes, on all processes. For the library's own use.
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
