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

/// The devices of this machine that the build supports, and the kernels of every path on each device.
namespace rooftile::perf {

class OutOfMemory : public Error {
 public:
  /// @param lack  the requested bytes, the device and the available bytes, in words
  explicit OutOfMemory(const std::string& lack_)
      : Error("out of memory (" + lack_ + "): take a smaller product"), lack(lack_) {}

  const std::string lack;
};

/// A CPU or GPU with its memory, its queue and its clock.
class Device {
 public:
  Device(std::string backend_, std::string name_) : backend(std::move(backend_)), name(std::move(name_)) {}
  virtual ~Device() = default;

  /// @throws OutOfMemory if the device has too little memory
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Host memory for operands that are copied to and from the device. Large blocks use huge pages, since the
  /// first touch of 4 KiB pages takes longer than a product. @throws std::bad_alloc
  virtual void* allocate_host(std::size_t bytes);
  virtual void release_host(void* memory, std::size_t bytes) noexcept;
  /// Copies within the device's memory.
  virtual void copy(void* to, const void* from, std::size_t bytes) { upload(to, from, bytes); }

  /// Time in seconds of the `work` in the queue, from begin to end by the device's own clock.
  virtual double seconds(const std::function<void()>& work) = 0;

  /// Time in seconds of `work` directly after `before`. A GPU with a queue gate enqueues both before either
  /// begins, which excludes host delays.
  virtual double seconds_behind(const std::function<void()>& before, const std::function<void()>& work) {
    before();
    return seconds(work);
  }

  /// Driver version and current clocks as text; may be empty.
  virtual std::string state() { return {}; }

  /// The current clock, if a query takes microseconds; 0: not available.
  virtual double clock_after_sample_mhz() { return 0; }

  /// Mean power in W over the last `seconds`, or the current power; 0: not available.
  virtual double power_after_sample_w() { return 0; }

  /// Evicts the operands from all caches: reads or writes more bytes than the caches hold.
  /// @throws OutOfMemory if memory for the eviction is not available
  virtual void flush_caches() = 0;

  std::string backend;          ///< openmp, serial, cuda, hip
  int number = 0;               ///< the runtime's index of a GPU
  std::string tuning_name;      ///< the library's name (`Target::device`); empty: no path uses the device
  std::vector<Target> targets;  ///< one for each path and compute mode that runs on the device
  const std::string name;
  Hardware hardware;
  int threads = 0;    ///< host threads per product; 0: a GPU
  int processes = 1;  ///< processes of this machine that use the host together
  std::function<Ceilings(Device&)> measure_ceilings;
};

inline bool is_gpu(const Device& device) {
  return device.backend == "cuda" || device.backend == "hip";
}

/// Measures the ceilings of the device.
/// @throws Error if memory is too small; the message names the device and not a product
inline Ceilings measured_ceilings(Device& device) {
  try {
    return device.measure_ceilings(device);
  } catch (const OutOfMemory& error) {
    throw Error(detail::text("out of memory to measure the ceilings of ", device.name, " (", error.lack,
                             "): free some"));
  }
}

/// Available bytes of host memory. Linux overcommits memory and kills a process that uses more than this.
double available_memory();

/// Checks host memory before an allocation, because Linux overcommits memory and would kill the process
/// later.
/// @throws OutOfMemory if fewer than `bytes` are available
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
  std::string tile;    ///< empty: the kernel has no tile choice
  bool tuned = false;  ///< chosen from a tuning table
};

template <class T>
struct Candidate {
  Device* device;
  ComputeMode math;  ///< a mode of T
  std::string path;  ///< portable, native, vendor, peer, team
  std::string kernel;
  std::string tile;              ///< empty: the kernel has no tile choice
  double request_intensity = 0;  ///< FLOP per byte requested from global memory; 0: not known
  std::function<Refusal(const BatchArgs<T>&)> refusal;  ///< why the kernel cannot run these products
  /// Converts the arguments to the kernel's form. The returned function enqueues the products.
  std::function<std::function<void()>(const BatchArgs<T>&)> call;
  std::function<KernelName(const BatchArgs<T>&)> chosen{};  ///< kernel chosen by `automatic`
  bool default_tile = true;  ///< whether large products use this tile by default
  /// Like `call`, for products of different shapes in one call; the products must outlive the returned
  /// function. Only `automatic` and vendors with a grouped gemm have this member.
  std::function<std::function<void()>(std::span<const GemmArgs<T>>)> group{};
  bool on_request = false;  ///< runs only if named; a baseline's wrong results are not failures

  void launch(const BatchArgs<T>& args) const { call(args)(); }
};

template <class T>
using Candidates = std::vector<Candidate<T>>;

/// `Candidate::call` for kernels that take the arguments unchanged.
template <class T, class Launch>
auto call_of(const Launch& launch) {
  return [launch](const BatchArgs<T>& args) { return [launch, args] { launch(args); }; };
}

/// Whether the path is a baseline: a vendor library or a peer library.
inline bool is_baseline(const std::string& path) {
  return path == "vendor" || path == "peer";
}

/// A user's kernel with team-level products, ready to run.
struct TeamRun {
  std::function<void()> before;  ///< restores data that a run overwrites
  std::function<void()> launch;
  std::function<double()> error;  ///< error ratio; at most 1 for a correct result
};

/// An example of a kernel with team-level products.
struct TeamExample {
  Device* device;
  std::string name;
  Index count;          ///< number of elements, matrices or blocks
  double flops, bytes;  ///< totals; each operand moves once
  std::function<TeamRun()> prepare;
};

struct Machine {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<TeamExample> team_examples;
  detail::ForEach<Candidates, Products>::type candidates_of_types;
  std::vector<Absent> absent;
  std::vector<std::string> warnings;    ///< conditions that make a comparison unfair, and remedies
  const TuningTable* tuning = nullptr;  ///< for the library's kernel choice; null: cost model only
  int gpu = 0;                          ///< index of the GPU to measure

  template <class T>
  Candidates<T>& candidates() {
    return std::get<Candidates<T>>(candidates_of_types);
  }

  template <class T>
  void add(Candidate<T> candidate) {
    candidates<T>().push_back(std::move(candidate));
  }
  /// @param count  number of GPUs that the runtime reports. @throws Error if the selected GPU does not exist
  void require_gpu(int count) const;

  Device* device(const std::string& backend) const;
};

/// All objects of type T that static objects have registered.
template <class T>
std::vector<T>& registered() {
  static std::vector<T> all;
  return all;
}

/// Adds devices or candidates to a machine. Each file in `providers/` registers one static Provider; the
/// build decides which files are compiled.
struct Provider {
  /// Providers run in this order, independent of link order: the CPU precedes all GPUs.
  enum Order { host, gpus, portable, native, vendor, peer };

  Provider(Order order, std::function<void(Machine&)> add);

  Order order;
  std::function<void(Machine&)> add;
};

std::unique_ptr<Device> host_device();

/// Detects the devices and kernels of this machine. Initialises Kokkos if the build has it.
/// @param tuning  must outlive the machine
Machine find_machine(const TuningTable* tuning = nullptr, int gpu = 0);

}  // namespace rooftile::perf
