// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "distributed/mpi/watchdog.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <unistd.h>

#include "rooftile/error.hpp"

namespace rooftile::distributed {

namespace {

/// The tags of messages on the channel.
enum Message { ask, here, verdict };

/// A time limit in seconds; about 30 years if there is none.
std::chrono::steady_clock::duration limit_of(double seconds) {
  constexpr double years = 1e9;
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds > 0 && seconds < years ? seconds : years));
}

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return detail::text("MPI failed (", text, "): see its messages about the network and the processes");
}

/// Whether a process of this host is running. A zombie, which has ended and waits for its parent, is not.
bool runs(int process) {
  if (kill(process, 0) != 0) return errno == EPERM;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const std::size_t behind_name = stat.rfind(')');
  return behind_name == std::string::npos || stat.compare(behind_name, 3, ") Z") != 0;
}

}  // namespace

MPI_Comm duplicate(MPI_Comm communicator, double timeout) {
  auto made = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
  MPI_Request request = MPI_REQUEST_NULL;
  const auto check = [](int code) {
    if (code != MPI_SUCCESS) throw Error(text_of(code));
  };
  check(MPI_Comm_idup(communicator, made.get(), &request));
  const auto end = std::chrono::steady_clock::now() + limit_of(timeout);
  for (int done = 0; done == 0;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done == 0 && std::chrono::steady_clock::now() > end) {
      static_cast<void>(made.release());  // MPI may still write to the handle
      throw Error(detail::text("a process did not join the new context (within ", timeout,
                               " s): make the context on all processes, or allow more time"));
    }
  }
  MPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN);
  return *made;
}

Watchdog::Watchdog(MPI_Comm communicator, double timeout)
    : communicator_(communicator), half_(limit_of(timeout) / 2), no_memory_(text_of_no_memory_) {
  MPI_Comm_rank(communicator, &rank_);
  MPI_Comm_size(communicator, &size_);
  text_of_no_memory_ =
      detail::text("rank ", rank_, " of ", size_, ": no memory is left: free some, or take more processes");
  no_memory_ = Error(text_of_no_memory_);
  heard_.resize(static_cast<std::size_t>(size_)), places_.resize(heard_.size());
  channel_ = duplicate(communicator, timeout);
}

Watchdog::~Watchdog() {
  MPI_Comm_free(&channel_);
}

void Watchdog::exchange_places() {
  Place mine = {};
  gethostname(mine.host, sizeof mine.host - 1);
  mine.process = getpid();
  places_ = gathered(mine);
}

void Watchdog::check(int code) {
  if (code != MPI_SUCCESS) give_up(text_of(code));
}

void Watchdog::give_up(const std::string& text) {
  if (!lost()) {
    verdict_ = detail::text("rank ", rank_, " of ", size_, ": ", text);
    tell(verdict);
  }
  throw Error(verdict_);
}

void Watchdog::throw_no_memory() {
  if (!lost()) {
    verdict_.swap(text_of_no_memory_);
    tell(verdict);
  }
  throw Error(no_memory_);  // copying this error allocates no memory
}

void Watchdog::wait(std::vector<MPI_Request>& requests, const std::vector<int>& ranks) {
  for (MPI_Request& request : requests) {
    wait_for([&] { return is_done(request); },
             [&](int rank) {
               for (std::size_t i = 0; i < requests.size(); ++i) {
                 int done = 0;
                 MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE);
                 if (done == 0 && ranks[i] == rank) return true;
               }
               return false;
             });
  }
}

void Watchdog::wait_for_all(MPI_Request request, std::shared_ptr<void> buffer) {
  kept_.push_back(std::move(buffer));
  wait_for([&] { return is_done(request); }, [](int) { return true; });
  kept_.pop_back();
}

void Watchdog::wait_until(const std::function<bool()>& done) {
  wait_for(done, [](int) { return true; });
}

bool Watchdog::is_done(MPI_Request& request) {
  int done = 0;
  check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
  return done != 0;
}

template <class Done, class Awaits>
void Watchdog::wait_for(const Done& done, const Awaits& awaits) {
  constexpr auto between_looks = std::chrono::milliseconds(1);
  constexpr int tests_between_clocks = 64;
  // `look`: when to answer other processes. `turn`: when to begin or end asking.
  Clock::time_point look = Clock::now() + between_looks, turn = look + half_;
  bool asks = false;
  for (int tests = 0;; tests = (tests + 1) % tests_between_clocks) {
    if (done()) return;
    if (tests != 0) continue;
    const auto now = Clock::now();
    if (now < look) continue;
    look = now + between_looks;
    progress();
    if (now < turn) continue;
    if (asks) {
      accuse(awaits);
    } else {
      std::fill(heard_.begin(), heard_.end(), false);
      tell(ask);
    }
    asks = !asks;
    turn = now + half_;
  }
}

void Watchdog::progress() {
  if (lost()) throw Error(verdict_);
  for (;;) {
    int is_there = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, channel_, &is_there, &status));
    if (is_there == 0) return;
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    check(MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, channel_,
                   MPI_STATUS_IGNORE));
    heard_[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
    if (status.MPI_TAG == verdict) {
      verdict_ = std::move(text);
      throw Error(verdict_);
    }
    if (status.MPI_TAG == ask) {
      MPI_Request request = MPI_REQUEST_NULL;
      check(MPI_Isend(nullptr, 0, MPI_CHAR, status.MPI_SOURCE, here, channel_, &request));
      check(MPI_Request_free(&request));
    }
  }
}

void Watchdog::tell(int what) {
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    const int length = what == verdict ? static_cast<int>(verdict_.size()) : 0;
    // A failure here also appears in the next checked MPI call.
    if (MPI_Isend(verdict_.data(), length, MPI_CHAR, other, what, channel_, &request) == MPI_SUCCESS) {
      MPI_Request_free(&request);
    }
  }
}

template <class Awaits>
void Watchdog::accuse(const Awaits& awaits) {
  int first = -1, count = 0;
  for (int other = 0; other < size_; ++other) {
    if (other == rank_ || heard_[static_cast<std::size_t>(other)] || !awaits(other)) continue;
    if (count++ == 0) first = other;
  }
  if (count == 0) return;
  const double seconds = std::chrono::duration<double>(half_).count();
  const std::string more = count > 1 ? detail::text(", and ", count - 1, " more") : "";
  verdict_ =
      detail::text("rank ", first, " of ", size_, " is missing (no answer within ", seconds, " s; ",
                   describe(first), more, "): see what became of it, and make a new context without it");
  tell(verdict);
  throw Error(verdict_);
}

std::string Watchdog::describe(int rank) const {
  const Place &place = places_[static_cast<std::size_t>(rank)],
              &mine = places_[static_cast<std::size_t>(rank_)];
  if (place.process == 0) return "it has just begun";
  const std::string name = detail::text("process ", place.process, " on ", place.host);
  if (std::strcmp(place.host, mine.host) != 0) return name;
  return name + (runs(place.process) ? " runs" : " has ended");
}

}  // namespace rooftile::distributed
