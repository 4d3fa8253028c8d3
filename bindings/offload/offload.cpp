// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "bindings/offload/offload.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include "plan/log_sink.hpp"
#include "rooftile/version.hpp"

namespace rooftile::bindings {

std::atomic<GpuUse> gpu_use{GpuUse::unread};
thread_local bool last_was_gpu = false;

namespace {

constexpr gpu::OffloadCosts costs = gpu::offload_costs;

/// The value of `ROOFTILE_GPU`: `off`, `auto`, the path of the GPU library, or empty.
std::string_view wanted() {
  const char* const value = detail::environment("ROOFTILE_GPU");
  return value == nullptr ? "" : value;
}
bool names_file() {
  return !wanted().empty() && wanted() != "auto" && wanted() != "off";
}

/// Whether this process may open the GPU library.
bool may_open() {
  if (portable::is_forked() || wanted() == "off") return false;
  return names_file() || access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

/// Whether the program or one of its libraries has loaded CUDA. Only then can there be device memory.
bool has_loaded_cuda() {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver != nullptr) dlclose(driver);
  return driver != nullptr;
}

/// Writes one line to the log, only for the first call.
void say_once(const char* problem, const char* why) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::array<char, 512> line;
  const int length = std::snprintf(line.data(), line.size(),
                                   "# rooftile: %s (%s): products stay on the CPU\n", problem, why);
  if (length <= 0) return;
  const std::size_t size = std::min(line.size() - 1, static_cast<std::size_t>(length));
  if (names_file()) {  // the named file cannot be opened
    std::fwrite(line.data() + 2, 1, size - 2, stderr);
  } else if (const LogSink* const sink = detail::find_log()) {
    sink->write(line.data(), size, sink->context);
  }
}

/// Whether the environment and the machine allow offloading. Loads nothing.
GpuUse allowed() {
  if (wanted().empty() || wanted() == "off") return GpuUse::off;
  if (!may_open()) return say_once("no GPU part", "no NVIDIA driver"), GpuUse::off;
  return has_loaded_cuda() ? GpuUse::every_one : GpuUse::large;
}

/// Opens the GPU library: the named file, the file next to this library, or the one that the loader finds.
void* open_library() {
  constexpr char name[] = "librooftile_gpu.so.0";
  if (names_file()) return dlopen(std::string(wanted()).c_str(), RTLD_NOW | RTLD_LOCAL);
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&gpu_part), &here) != 0 && here.dli_fname != nullptr) {
    const std::string_view own = here.dli_fname;
    const std::size_t folder = own.rfind('/');
    if (folder != own.npos) {
      const std::string beside = std::string(own.substr(0, folder + 1)) + name;
      if (access(beside.c_str(), F_OK) == 0) return dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
  }
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

const gpu::Functions* opened(gpu::Answer& answer) {
  const auto say = [&](const char* why) { std::snprintf(answer.why, sizeof answer.why, "%s", why); };
  void* const library = open_library();
  if (library == nullptr) return say(dlerror()), nullptr;
  auto* const open = reinterpret_cast<gpu::Open*>(dlsym(library, gpu::open_name));
  if (open == nullptr) return say("not a GPU part of Rooftile"), nullptr;
  const gpu::Functions* const functions = open(answer);
  if (functions == nullptr || std::string_view(functions->version) == version) return functions;
  return say("a GPU part of another version"), nullptr;
}

/// CPUs that this process may use. The number of OpenMP threads is ignored, so that the choice, and with it
/// the bits of a product, do not depend on it.
int cpus() {
  static const int count = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));  // more CPUs than a cpu_set_t holds
  }();
  return count;
}

/// `gpu::Copiers::start`.
void start_copies(int count, void (*f)(void*, int), void* context) {
  const auto call = [=](Index i) { f(context, static_cast<int>(i)); };
  portable::OpenMpThreads().start(count, portable::Threads::Work(call));
}

std::atomic<bool> is_open{false};  // the GPU library, which may itself have loaded CUDA

/// The use of the GPU for this call. Updates the state for later calls.
GpuUse use_now() {
  GpuUse use = gpu_use.load(std::memory_order_relaxed), now = use;
  if (portable::is_forked()) {
    now = GpuUse::off;
  } else if (use == GpuUse::unread) {
    now = allowed();
  } else if (use == GpuUse::large && !is_open.load(std::memory_order_relaxed) && has_loaded_cuda()) {
    now = GpuUse::every_one;
  }
  if (now == use || gpu_use.compare_exchange_strong(use, now, std::memory_order_relaxed)) return now;
  return use;  // the value that another thread stored
}

}  // namespace

const gpu::Functions* gpu_part(gpu::Answer& answer) noexcept {
  static std::mutex mutex;
  static const gpu::Functions* functions = nullptr;
  static gpu::Answer why;
  static bool tried = false;
  try {
    const std::lock_guard lock(mutex);
    if (!tried) {
      tried = true;
      is_open.store(true, std::memory_order_relaxed);
      functions = opened(why);
    }
  } catch (const std::exception&) {
    std::snprintf(why.why, sizeof why.why, "no memory");
  }
  answer = why;
  return functions;
}

const gpu::Functions* gpu_part_or_none(gpu::Answer& answer) noexcept {
  const gpu::Functions* const part = may_open() ? gpu_part(answer) : nullptr;
  if (part != nullptr) return part;
  if (answer.why[0] == '\0')
    std::snprintf(answer.why, sizeof answer.why, "ROOFTILE_GPU=off, no driver, or a forked process");
  say_once("no GPU part", answer.why);
  return nullptr;
}

gpu::Outcome multiply_by_gpu(const GpuProduct& product, gpu::Answer& answer) noexcept {
  last_was_gpu = false;
  const GpuUse use = use_now();
  if (use == GpuUse::off) return gpu::Outcome::left;
  const double cpu_seconds = product.multiply_adds / (costs.cpu_multiply_adds * cpus());
  const bool alone = omp_in_parallel() == 0;  // in parallel regions, calls would compete for the link
  const bool worth = alone && cpu_seconds > costs.start + product.bytes / (1e9 * costs.link_gbs);
  const bool may_be_there = use == GpuUse::every_one || (is_open.load(std::memory_order_relaxed) &&
                                                         product.shape.flops() >= 2 * costs.asking);
  if (!worth && !may_be_there) return gpu::Outcome::left;

  const gpu::Functions* const part = gpu_part(answer);
  if (part == nullptr) {
    gpu_use.store(GpuUse::off, std::memory_order_relaxed);
    say_once("no GPU part", answer.why);
    return gpu::Outcome::left;
  }
  struct Rest {
    void (*compute)(const void*);
  } rest{product.rest};
  const gpu::HostCall call{
      product.math,
      product.args,
      product.swapped,
      worth ? cpu_seconds : 0,
      {portable::OpenMpThreads().computes_alone() ? 1 : portable::OpenMpThreads().count(), &start_copies},
      [](const void* args, void* context) { static_cast<Rest*>(context)->compute(args); },
      &rest};
  const gpu::Outcome outcome = part->multiply(call, answer);
  if (answer.device_memory) gpu_use.store(GpuUse::every_one, std::memory_order_relaxed);
  if (answer.broken && !answer.device_memory) {
    gpu_use.store(GpuUse::off, std::memory_order_relaxed);
    say_once("the GPU is not used any more", answer.why);
  }
  last_was_gpu = outcome == gpu::Outcome::done;
  return outcome;
}

}  // namespace rooftile::bindings
