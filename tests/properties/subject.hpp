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

/// What a case may name.
struct KernelName {
  std::string kernel, tile;
  ComputeMode math;
  Fits fits = Fits::any;
  GemmShape tile_shape = {};  ///< zero: not known from its name

  friend bool operator==(const KernelName& x, const KernelName& y) {
    return x.kernel == y.kernel && x.tile == y.tile && x.math == y.math;
  }
};

/// What became of a case.
struct Verdict {
  enum { computed, refused, absent } outcome = computed;
  std::string fault = {};  ///< what is wrong; empty if nothing is
};

/// The fault of the device's own comparison against `Reference` on the host; empty if there is none.
std::string definition_fault();

/// The kernels of one path on one device, and memory that shows what they read and write.
class Subject {
 public:
  /// @param machine  outlives it
  Subject(perf::Machine& machine, perf::Device& device, std::string path);

  const std::vector<KernelName>& kernels() const { return kernels_; }
  /// Random cases are of this kernel alone from now on. @throws Error where there is no such one
  void keep(const std::string& kernel);
  const std::string& path() const { return path_; }

  /// Computes a case and looks at all memory that it could have touched. A case of another path, or of a
  /// kernel that is not here, is absent.
  /// @throws Error where the device itself no longer answers
  Verdict try_case(const Case& c);

 private:
  /// For each operand what the kernel gets, and what must be there afterwards.
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
