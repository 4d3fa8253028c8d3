// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/log_sink.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rooftile::detail {

namespace {

/// A log file in append mode, or standard error.
struct LogFile {
  LogSink sink;
  int descriptor = STDERR_FILENO;
  dev_t device = 0;  ///< device of the opened file; unused for standard error
  ino_t inode = 0;
};

/// The log file, which is never freed: a thread may still write while another thread ends the log.
std::atomic<const LogFile*> kept_log_file = nullptr;

/// Ends the log. The thread that ends it prints the reason once.
void end_log(const LogSink* sink, const char* why) noexcept {
  if (!log_sink.compare_exchange_strong(sink, nullptr, std::memory_order_acq_rel)) return;
  std::fprintf(stderr, "rooftile: the log ends (ROOFTILE_LOG, %s): name a file that stays open, or stderr\n",
               why);
}

/// Blocks SIGPIPE and SIGXFSZ in the calling thread during its lifetime. Otherwise a closed reader of
/// standard error, or the file size limit of the process, would end the program.
class WithoutSignals {
 public:
  WithoutSignals() noexcept {
    sigemptyset(&held_);
    for (const int signal : signals) sigaddset(&held_, signal);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
    sigpending(&pending_before_);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;
  /// Consumes signals that arrived during its lifetime, which are pending for this thread.
  ~WithoutSignals() {
    sigset_t pending;
    sigpending(&pending);
    for (const int signal : signals) {
      if (sigismember(&pending, signal) != 1 || sigismember(&pending_before_, signal) == 1) continue;
      sigset_t one;
      sigemptyset(&one), sigaddset(&one, signal);
      int taken = 0;
      sigwait(&one, &taken);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  static constexpr int signals[] = {SIGPIPE, SIGXFSZ};
  sigset_t held_, before_, pending_before_;
};

/// `LogSink::write` for a file. One system call appends a whole line, also with concurrent writers.
void write_to_file(const char* line, std::size_t length, void* context) {
  const auto& file = *static_cast<const LogFile*>(context);
  const int error_of_program = errno;
  const WithoutSignals held;
  struct stat there {};
  // If the program closed all files, the descriptor may refer to another file.
  const bool ours =
      file.descriptor == STDERR_FILENO ||
      (fstat(file.descriptor, &there) == 0 && there.st_dev == file.device && there.st_ino == file.inode);
  if (!ours) {
    end_log(&file.sink, "the program closed the file");
  } else {
    ssize_t written = 0;
    do {
      written = ::write(file.descriptor, line, length);
    } while (written < 0 && errno == EINTR);
    if (written < 0) {
      end_log(&file.sink, std::strerror(errno));
    } else if (static_cast<std::size_t>(written) < length) {  // the next line would continue this one
      end_log(&file.sink, "no room for a whole line");
    }
  }
  errno = error_of_program;
}

/// Opens a log file. @return the reason for a failure; null on success
const char* open_log(const char* name, LogFile& file) noexcept {
  if (std::string_view(name) == "stderr") return nullptr;
  // O_NONBLOCK: opening a pipe must not wait for a reader.
  constexpr int how = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  constexpr mode_t read_and_write = 0666;
  const int opened = ::open(name, how, read_and_write);
  if (opened < 0) return std::strerror(errno);
  file.descriptor = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);  // not a standard stream
  ::close(opened);
  struct stat there {};
  if (file.descriptor < 0 || fstat(file.descriptor, &there) != 0) return std::strerror(errno);
  file.device = there.st_dev, file.inode = there.st_ino;
  if (!S_ISFIFO(there.st_mode)) return nullptr;
  ::close(file.descriptor);
  return "a pipe, whose closing would end the program";
}

/// Opens the log that the environment names. The first call reads the environment. If several threads are
/// first, one of their files is kept. @return the sink; null: no log
const LogSink* read_log_environment() noexcept {
  const char* const name = environment("ROOFTILE_LOG");
  const char* const times = environment("ROOFTILE_LOG_TIME");
  const char* problem = nullptr;
  LogFile* file = nullptr;
  const int error_of_program = errno;
  if (name != nullptr && *name != '\0') {
    file = new (std::nothrow) LogFile;
    problem = file == nullptr ? "no memory" : open_log(name, *file);
    if (problem != nullptr) delete file, file = nullptr;
  }
  if (file != nullptr) {
    const bool timed = times != nullptr && *times != '\0' && std::string_view(times) != "0";
    file->sink = {&write_to_file, file, timed};
  }
  const LogSink* found = &unread_environment;
  const LogSink* const mine = file != nullptr ? &file->sink : nullptr;
  if (log_sink.compare_exchange_strong(found, mine, std::memory_order_acq_rel)) {
    kept_log_file.store(file, std::memory_order_relaxed);
    if (problem != nullptr) {
      const WithoutSignals held;
      std::fprintf(stderr,
                   "rooftile: cannot log (ROOFTILE_LOG=%s, %s): name a file that can be written, or "
                   "stderr\n",
                   name, problem);
    }
    found = mine;
  } else if (file != nullptr) {
    if (file->descriptor != STDERR_FILENO) ::close(file->descriptor);
    delete file;
  }
  errno = error_of_program;
  return found;
}

}  // namespace

const char* environment(const char* name) noexcept {
#ifdef __GLIBC__
  return secure_getenv(name);
#else
  return std::getenv(name);
#endif
}

const LogSink* find_log() noexcept {
  const LogSink* const sink = log_sink.load(std::memory_order_acquire);
  return sink == &unread_environment ? read_log_environment() : sink;
}

}  // namespace rooftile::detail
