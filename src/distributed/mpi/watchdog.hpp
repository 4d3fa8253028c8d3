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

/// Duplicates a communicator, whose errors are returned. Collective. @param timeout  in seconds; 0: for ever
/// @throws Error where a process does not come in time
MPI_Comm duplicate(MPI_Comm communicator, double timeout);

/// Waits with a limit. A process that waits for half of it asks all others, which answer while they wait or
/// compute; after the other half it names one that it awaits and that is silent, to all. Then the context is
/// lost, since messages may be under way for ever. Where all answer it waits on.
class Watchdog {
 public:
  /// Collective, and so is `exchange_places`, which comes next. @param timeout  in seconds; 0: for ever
  /// @param communicator  whose errors are returned; stays the caller's
  Watchdog(MPI_Comm communicator, double timeout);
  /// @pre not lost
  ~Watchdog();
  /// Learns where the other processes run.
  void exchange_places();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  MPI_Comm communicator() const { return communicator_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Whether a process is missing, or MPI failed, so that nothing can be given back to MPI.
  bool lost() const { return !verdict_.empty(); }

  /// How long a process may be silent. 30 years: for ever.
  std::chrono::steady_clock::duration limit() const { return 2 * half_; }
  /// Looks at what a call of MPI has returned. @throws Error with MPI's text where it failed, here and at
  /// last on all processes
  void check(int code);
  /// Calls f. Where memory is asked for in vain, so that this process cannot go on while others wait for it,
  /// all of them get to know. @throws Error then, here and at last on all processes
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
  /// Waits for a collective call, of which a buffer is kept if it never ends.
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

  /// Waits until `done`, which is asked over and over, for what some other process has to do.
  void wait_until(const std::function<bool()>& done);
  /// Tells all others that this process cannot go on. @throws Error with that text, here and at last on all
  /// processes; where the context is lost already, with what it was lost for
  [[noreturn]] void give_up(const std::string& text);
  /// Answers, and lets MPI send on. For those who compute while others wait.
  /// @throws Error where a process is missing
  void progress();

 private:
  using Clock = std::chrono::steady_clock;
  struct Place {
    char host[60];
    int process;  ///< 0: not known yet
  };

  [[noreturn]] void throw_no_memory();
  /// Waits until done(), and names who is awaited and missing.
  template <class Done, class Awaits>
  void wait_for(const Done& done, const Awaits& awaits);
  bool is_done(MPI_Request& request);
  /// Tells all others something, without waiting.
  void tell(int what);
  /// Names the processes that are awaited and silent, if any. @throws Error
  template <class Awaits>
  void accuse(const Awaits& awaits);
  std::string describe(int rank) const;

  MPI_Comm communicator_;
  MPI_Comm channel_ = MPI_COMM_NULL;  ///< of its own messages
  int rank_ = 0, size_ = 1;
  Clock::duration half_;       ///< of the limit
  std::vector<Place> places_;  ///< of the ranks
  std::vector<bool> heard_;    ///< since it asked
  std::string verdict_;
  std::string text_of_no_memory_;            ///< made while there is some
  Error no_memory_;                          ///< of that text
  std::vector<std::shared_ptr<void>> kept_;  ///< buffers of calls that never end
};

}  // namespace rooftile::distributed
