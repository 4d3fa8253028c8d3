// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/refusal.hpp"
#include "products.hpp"
#include "record/record.hpp"
#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tuning.hpp"

/// What this build can run on this machine: devices, and on each the kernels of every path.
namespace rooftile::perf {

class OutOfMemory : public Error {
 public:
  /// @param lack  how much was asked for, of which device, and how much there is
  explicit OutOfMemory(const std::string& lack_)
      : Error("out of memory (" + lack_ + "): take a smaller product"), lack(lack_) {}

  const std::string lack;
};

/// One execution resource: memory, a queue, a clock.
class Device {
 public:
  Device(std::string backend_, std::string name_) : backend(std::move(backend_)), name(std::move(name_)) {}
  virtual ~Device() = default;

  /// @throws OutOfMemory where the memory does not suffice
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Memory of the host for operands that go to and come from the device; large blocks in huge pages, since
  /// the first touch of 4 KiB pages takes longer than a product does. @throws std::bad_alloc
  virtual void* allocate_host(std::size_t bytes);
  virtual void release_host(void* memory, std::size_t bytes) noexcept;
  /// Within the device's memory.
  virtual void copy(void* to, const void* from, std::size_t bytes) { upload(to, from, bytes); }

  /// Seconds from the begin to the end of what `work` puts into the queue, by the device's own clock.
  virtual double seconds(const std::function<void()>& work) = 0;

  /// Seconds of `work` right behind `before`. A GPU that can hold its queue has both in it before either
  /// begins, so that delays of the host do not count.
  virtual double seconds_behind(const std::function<void()>& before, const std::function<void()>& work) {
    before();
    return seconds(work);
  }

  /// What the driver says of itself and of the clocks right now; empty where there is nothing to say.
  virtual std::string state() { return {}; }

  /// The clock right now, where asking takes microseconds; 0: the system does not tell.
  virtual double clock_after_sample_mhz() { return 0; }

  /// Watts that the device took in the last `seconds`, or just then; 0: the system does not tell.
  virtual double power_after_sample_w() { return 0; }

  /// Puts other data into all caches, by reading or writing more than they hold.
  /// @throws OutOfMemory where the memory for that does not suffice
  virtual void flush_caches() = 0;

  std::string backend;          ///< openmp, serial, cuda, hip
  int number = 0;               ///< of a GPU among those of its kind, as the runtime counts
  std::string tuning_name;      ///< what the library calls it (`Target::device`); empty: no path runs on it
  std::vector<Target> targets;  ///< as the library sees it, for each path and math mode that runs on it
  const std::string name;
  Hardware hardware;
  int threads = 0;    ///< of the host that a product gets; 0: a GPU
  int processes = 1;  ///< of the machine that use the host at once
  std::function<Ceilings(Device&)> measure_ceilings;
};

inline bool is_gpu(const Device& device) {
  return device.backend == "cuda" || device.backend == "hip";
}

/// The device's ceilings, measured now.
/// @throws Error where the memory for that does not suffice: no product is to blame
inline Ceilings measured_ceilings(Device& device) {
  try {
    return device.measure_ceilings(device);
  } catch (const OutOfMemory& error) {
    throw Error(detail::text("out of memory to measure the ceilings of ", device.name, " (", error.lack,
                             "): free some"));
  }
}

/// Bytes that the machine can still give. Linux promises more than that and ends the process later.
double available_memory();

/// For what is going to be allocated on the host: Linux promises more than it has and ends the process later.
/// @throws OutOfMemory where so many bytes are not available
void require_host_memory(double bytes);

template <class T>
class Buffer {
 public:
  Buffer(Device& device, std::size_t count)
      : device_(&device), count_(count), data_(static_cast<T*>(device.allocate(count * sizeof(T)))) {}
  Buffer(Buffer&& other) noexcept
      : device_(other.device_), count_(other.count_), data_(std::exchange(other.data_, nullptr)) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (data_ != nullptr) device_->release(data_);
  }

  T* data() const { return data_; }
  void upload(const std::vector<T>& from) { device_->upload(data_, from.data(), count_ * sizeof(T)); }
  void download(std::vector<T>& to) const { device_->download(to.data(), data_, count_ * sizeof(T)); }

 private:
  Device* device_;
  std::size_t count_;
  T* data_;
};

struct KernelName {
  std::string kernel;
  std::string tile;    ///< empty: the kernel's own affair
  bool tuned = false;  ///< chosen by a tuning table
};

template <class T>
struct Candidate {
  Device* device;
  ComputeMode math;  ///< one of T
  std::string path;  ///< portable, native, vendor, peer, team
  std::string kernel;
  std::string tile;              ///< empty: the kernel's own affair
  double request_intensity = 0;  ///< FLOP per byte asked of global memory; 0: not known
  std::function<Refusal(const BatchArgs<T>&)> refusal;  ///< why it cannot run
  /// What puts the products into the device's queue, its arguments in the form that the kernel takes.
  std::function<std::function<void()>(const BatchArgs<T>&)> call;
  std::function<KernelName(const BatchArgs<T>&)> chosen{};  ///< of the candidate `automatic`: what it takes
  bool default_tile = true;  ///< whether the tile is the one that the kernel takes for a large product
  /// The same for products of any shapes in one call, which they outlive: of the candidate `automatic`, and
  /// of vendors that have such a function.
  std::function<std::function<void()>(std::span<const GemmArgs<T>>)> group{};
  bool on_request = false;  ///< runs only where it is named; another library's is then not judged

  void launch(const BatchArgs<T>& args) const { call(args)(); }
};

template <class T>
using Candidates = std::vector<Candidate<T>>;

/// `Candidate::call` of what takes the products as they are.
template <class T, class Launch>
auto call_of(const Launch& launch) {
  return [launch](const BatchArgs<T>& args) { return [launch, args] { launch(args); }; };
}

/// Whether a path is another library's, there to compare with: the one vendor's, or a peer's.
inline bool is_baseline(const std::string& path) {
  return path == "vendor" || path == "peer";
}

/// A user's kernel with products in its teams, ready to run.
struct TeamRun {
  std::function<void()> before;  ///< restores what a run overwrites
  std::function<void()> launch;
  std::function<double()> error;  ///< at most 1 of a right result
};

/// An example of such a kernel.
struct TeamExample {
  Device* device;
  std::string name;
  Index count;          ///< of elements, matrices or blocks
  double flops, bytes;  ///< of all; each operand moves once
  std::function<TeamRun()> prepare;
};

struct Machine {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<TeamExample> team_examples;
  detail::ForEach<Candidates, Products>::type candidates_of_types;
  std::vector<Absent> absent;
  std::vector<std::string> warnings;    ///< of what makes a comparison unfair here, and what to do
  const TuningTable* tuning = nullptr;  ///< for what the library chooses itself; null: the model alone
  int gpu = 0;                          ///< the number of the one that is measured

  template <class T>
  Candidates<T>& candidates() {
    return std::get<Candidates<T>>(candidates_of_types);
  }

  template <class T>
  void add(Candidate<T> candidate) {
    candidates<T>().push_back(std::move(candidate));
  }
  /// @throws Error where the runtime counts fewer GPUs than the number asked for wants
  void require_gpu(int count) const;

  Device* device(const std::string& backend) const;
};

/// All of one type that static objects have registered.
template <class T>
std::vector<T>& registered() {
  static std::vector<T> all;
  return all;
}

/// Adds devices or candidates to a machine. A file in `providers/` holds one and registers it with a static
/// object; what a build leaves out, it does not have.
struct Provider {
  /// The CPU comes before all GPUs, whatever order the program is linked in.
  enum Order { host, gpus, portable, native, vendor, peer };

  Provider(Order order, std::function<void(Machine&)> add);

  Order order;
  std::function<void(Machine&)> add;
};

std::unique_ptr<Device> host_device();

/// This machine, asked anew. Kokkos is initialised where the build has it.
/// @param tuning  outlives the machine
Machine find_machine(const TuningTable* tuning = nullptr, int gpu = 0);

}  // namespace rooftile::perf
