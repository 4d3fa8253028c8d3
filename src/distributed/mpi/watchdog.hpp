// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "rooftile/error.hpp"

namespace rooftile::distributed {

/// Duplicates a communicator whose errors are returned. Collective.
/// @param timeout  in seconds; 0 for no limit
/// @throws Error if a process does not join in time
MPI_Comm duplicate(MPI_Comm communicator, double timeout);

/// Waits with a time limit. After half of the limit, a waiting process asks all others, which answer while
/// they wait or compute. After the other half, the waiting process reports to all processes an awaited
/// process that did not answer. The context is then lost, because messages may be pending forever. If all
/// processes answer, the wait continues.
class Watchdog {
 public:
  /// Collective. The caller must then call `exchange_places`, which is also collective.
  /// @param communicator  a communicator whose errors are returned; the caller keeps ownership
  /// @param timeout  in seconds; 0 for no limit
  Watchdog(MPI_Comm communicator, double timeout);
  /// @pre not lost
  ~Watchdog();
  /// Collects host and process number of all processes. Collective.
  void exchange_places();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  MPI_Comm communicator() const { return communicator_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Whether a process is missing or MPI failed. Resources can then no longer be returned to MPI.
  bool lost() const { return !verdict_.empty(); }

  /// How long a process may be silent: about 30 years if there is no limit.
  std::chrono::steady_clock::duration limit() const { return 2 * half_; }
  /// Checks the return code of an MPI call.
  /// @throws Error with MPI's text if the call failed, here and eventually on all processes
  void check(int code);
  /// Calls f. If an allocation fails, this process cannot continue while others wait, so that all processes
  /// are told.
  /// @throws Error in that case, here and eventually on all processes
  template <class F>
  void run(const F& f) {
    try {
      f();
    } catch (const std::bad_alloc&) {
      throw_no_memory();
    }
  }
  /// Waits for all requests.
  /// @param ranks  the process that each request waits for
  void wait(std::vector<MPI_Request>& requests, const std::vector<int>& ranks);
  /// Waits for a collective call. Keeps the buffer alive if the call never completes.
  void wait_for_all(MPI_Request request, std::shared_ptr<void> buffer);
  /// The values of all processes, by rank. Collective.
  template <class T>
  std::vector<T> gathered(const T& mine) {
    const auto all = std::make_shared<std::vector<T>>(static_cast<std::size_t>(size_));
    (*all)[static_cast<std::size_t>(rank_)] = mine;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all->data(), sizeof(T), MPI_BYTE, communicator_,
                         &request));
    wait_for_all(request, all);
    return std::move(*all);
  }

  /// Waits, by polling `done`, for something that another process must do.
  void wait_until(const std::function<bool()>& done);
  /// Tells all other processes that this process cannot continue.
  /// @throws Error with that text, here and eventually on all processes; if the context is already lost, with
  /// the original text
  [[noreturn]] void give_up(const std::string& text);
  /// Answers other processes, and lets MPI make progress. Called during computations while others wait.
  /// @throws Error if a process is missing
  void progress();

 private:
  using Clock = std::chrono::steady_clock;
  struct Place {
    char host[60];
    int process;  ///< 0 if not yet known
  };

  [[noreturn]] void throw_no_memory();
  /// Waits until done(), and reports awaited processes that are missing.
  template <class Done, class Awaits>
  void wait_for(const Done& done, const Awaits& awaits);
  bool is_done(MPI_Request& request);
  /// Sends a message to all other processes without waiting.
  void tell(int what);
  /// Reports awaited processes that did not answer, if any. @throws Error
  template <class Awaits>
  void accuse(const Awaits& awaits);
  std::string describe(int rank) const;

  MPI_Comm communicator_;
  MPI_Comm channel_ = MPI_COMM_NULL;  ///< communicator of the watchdog's own messages
  int rank_ = 0, size_ = 1;
  Clock::duration half_;       ///< half of the time limit
  std::vector<Place> places_;  ///< by rank
  std::vector<bool> heard_;    ///< by rank, since the last `ask`
  std::string verdict_;
  std::string text_of_no_memory_;            ///< prepared while memory is available
  Error no_memory_;                          ///< has `text_of_no_memory_`
  std::vector<std::shared_ptr<void>> kept_;  ///< buffers of calls that never complete
};

}  // namespace rooftile::distributed
