// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "case.hpp"
#include "memory.hpp"
#include "perf/machine.hpp"

namespace rooftile::testing {

/// A kernel, tile and mode that a case may name.
struct KernelName {
  std::string kernel, tile;
  ComputeMode math;
  Fits fits = Fits::any;
  GemmShape tile_shape = {};  ///< zero: the name does not tell it

  friend bool operator==(const KernelName& x, const KernelName& y) {
    return x.kernel == y.kernel && x.tile == y.tile && x.math == y.math;
  }
};

/// The result of trying a case.
struct Verdict {
  enum { computed, refused, absent } outcome = computed;
  std::string fault = {};  ///< the error; empty if there is none
};

/// Compares the device's definition with `Reference` on the host.
/// @return the error; empty if there is none
std::string definition_fault();

/// The kernels of one path on one device, and memory that reveals their reads and writes.
class Subject {
 public:
  /// @param machine  must outlive the object
  Subject(perf::Machine& machine, perf::Device& device, std::string path);

  const std::vector<KernelName>& kernels() const { return kernels_; }
  /// Restricts random cases to this kernel.
  /// @throws Error if there is no such kernel
  void keep(const std::string& kernel);
  const std::string& path() const { return path_; }

  /// Computes a case and checks all memory that the kernel could have accessed. The case is absent if it
  /// names another path or a missing kernel.
  /// @throws Error if the device no longer responds
  Verdict try_case(const Case& c);

 private:
  /// Per operand, the memory passed to the kernel and the expected memory afterwards.
  struct Blocks {
    Block a, b, c, expected_a, expected_b, expected_c, pointers_a, pointers_b, pointers_c;
    explicit Blocks(const Limits& limits)
        : a(limits.bytes),
          b(limits.bytes),
          c(limits.bytes),
          expected_a(limits.bytes),
          expected_b(limits.bytes),
          expected_c(limits.bytes),
          pointers_a(pointer_bytes(limits)),
          pointers_b(pointer_bytes(limits)),
          pointers_c(pointer_bytes(limits)) {}
    static std::size_t pointer_bytes(const Limits& limits) {
      return static_cast<std::size_t>(limits.max_entries) * sizeof(void*);
    }
  };

  template <class T>
  Verdict try_case_of(const Case& c);

  detail::ForEach<perf::Candidates, perf::Products>::type candidates_;
  std::vector<KernelName> kernels_;
  perf::Device& device_;
  std::string path_;
  Blocks blocks_;
};

}  // namespace rooftile::testing
