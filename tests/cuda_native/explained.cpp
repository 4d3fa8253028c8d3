// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The native path launches the kernels that `explain` names. Wrappers record launches without executing them
// (--wrap=cudaLaunchKernelExC), and accept addresses without memory (--wrap=cudaPointerGetAttributes).
#include <cctype>
#include <string>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <cuda_runtime_api.h>

#include "device/common/split_sum.hpp"
#include "rooftile/cuda_native.hpp"
#include "tests/ladder/this_ladder.hpp"
#include "tests/support/random_products.hpp"
#include "tests/support/refused.hpp"

namespace {

struct Launch {
  const void* function;
  unsigned threads;
};
std::vector<Launch>* seen = nullptr;

}  // namespace

extern "C" cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
extern "C" cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                                  void** arguments) {
  if (seen == nullptr) return __real_cudaLaunchKernelExC(config, function, arguments);
  const dim3 block = config->blockDim;
  seen->push_back({function, block.x * block.y * block.z});
  return cudaSuccess;
}

extern "C" cudaError_t __real_cudaPointerGetAttributes(cudaPointerAttributes*, const void*);
extern "C" cudaError_t __wrap_cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                                       const void* address) {
  if (seen == nullptr) return __real_cudaPointerGetAttributes(attributes, address);
  *attributes = {};
  attributes->type = cudaMemoryTypeDevice;
  return cudaSuccess;
}

namespace rooftile::testing {
namespace {

/// Returns the kernels that a call would launch, with their threads. Nothing is launched.
template <class F>
std::vector<std::string> launches(const F& call) {
  std::vector<Launch> found;
  {
    struct Seen {
      explicit Seen(std::vector<Launch>& by) { seen = &by; }
      ~Seen() { seen = nullptr; }
    } const watching(found);
    call();
  }
  std::vector<std::string> names;
  for (const Launch& launch : found) {
    const char* name = nullptr;
    if (cudaFuncGetName(&name, launch.function) != cudaSuccess) name = "unknown";
    // _ZN8rooftile11cuda_native8residues11find_scalesI…: takes the last name before the template arguments.
    std::string rest(name), last;
    rest = rest.substr(rest.find("cuda_native") + 11);
    while (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) != 0) {
      std::size_t digits = 0;
      const std::size_t length = std::stoul(rest, &digits);
      last = rest.substr(digits, length);
      rest = rest.substr(digits + length);
    }
    // The number of threads of find_scales depends on the strides of the operand.
    names.push_back(last == "find_scales" ? last : last + ' ' + std::to_string(launch.threads));
  }
  return names;
}

/// Returns the launches of a plan of fp64 from int8 products.
std::vector<std::string> launches_by_int8(const GemmPlan& plan) {
  const auto [m, n, k] = plan.desc.shape;
  const std::string in_fp64 =
      ' ' + std::to_string(threads_of_block(rung_of(Kernel::tensor_core), plan.fallback));
  if (k == 0) return {"tensor_core" + in_fp64};
  std::vector<std::string> names{"find_scales", "find_scales"};
  for (Index row = 0; row < m; row += plan.rows) {
    names.emplace_back("make_residues 256");  // of A
    for (Index column = 0; column < n; column += plan.columns) {
      if (row == 0 || plan.columns < n) names.emplace_back("make_residues 256");  // of B
      names.emplace_back("multiply_residues 384");
      names.emplace_back("reconstruct_result 256");
    }
  }
  names.push_back("tensor_core_unless" + in_fp64);
  return names;
}

/// Returns the launches of a plan for each part of a batch.
std::vector<std::string> launches_of(const GemmPlan& plan) {
  if (plan.kernel == Kernel::warpgroup_int8) return launches_by_int8(plan);
  const Rung& rung = rung_of(plan.kernel);
  std::vector<std::string> names;
  const bool scaled = rung.tma && plan.desc.shape.k == 0;
  if (plan.a.repack || plan.b.repack) names.emplace_back("repack 256");
  const std::string name(rung.tma ? "warpgroup" : rung.name);
  // One warpgroup loads, and one more per 64 rows of the tile multiplies.
  const int threads = rung.tma ? 128 * (1 + plan.tile.bm / 64) : threads_of_block(rung, plan.tile);
  if (!scaled) names.push_back(name + ' ' + std::to_string(threads));
  const int summing = detail::SplitSum<float, float>::threads * (is_complex(plan.desc.type) ? 2 : 1);
  const bool split_sum =
      plan.split_k > 1 && rung.split_k != SplitK::cluster;  // the blocks of a cluster add their own sums
  if (split_sum || scaled) names.push_back("split_sum " + std::to_string(summing));
  if (plan.stream.shared > 0) names.emplace_back("stream_sum 256");
  return names;
}

TEMPLATE_LIST_TEST_CASE("explain names the launches of gemm, and a kept plan runs again", "[explain]",
                        Types) {
  device();
  using T = TestType;
  const auto memory = [](std::uintptr_t number) { return reinterpret_cast<T*>(number << 44); };
  RandomProducts<T> random(20261122, memory(1), memory(2), memory(3), Index{1} << 32);
  int computed = 0, refusals = 0;
  for (int i = 0; computed < 2500; ++i) {
    const BatchArgs<T> args = random.draw();
    const GemmOptions options = random.options();
    INFO("number " << i << ", " << args.batch.count << " of " << to_string(args.shape()));
    GemmPlan plan;
    std::vector<std::string> gemm, again;
    const std::string refusal = refused([&] { plan = cuda_native::explain<T>(nullptr, args, options); });
    const auto& [alpha, A, B, beta, C] = args.first;
    const auto& [count, stride_a, stride_b, stride_c, inner, outer_a, outer_b, outer_c] = args.batch;
    REQUIRE(refused([&] {
              gemm = launches([&] {
                cuda_native::gemm_strided_batched(nullptr, alpha, A, stride_a, B, stride_b, beta, C, stride_c,
                                                  count, options);
              });
            }) == refusal);
    if (!refusal.empty()) {
      ++refusals;
      continue;
    }
    ++computed;
    std::vector<std::string> expected;
    const std::vector<std::string> part = launches_of(plan);
    const Index parts = (plan.desc.count + plan.batch_chunk - 1) / plan.batch_chunk;
    for (Index p = 0; p < parts; ++p) expected.insert(expected.end(), part.begin(), part.end());
    REQUIRE(gemm == expected);
    again = launches([&] { cuda_native::run(plan, nullptr, args); });
    REQUIRE(again == expected);
  }
  CHECK(refusals > 50);
}

TEST_CASE("both dimensions of a batch have one launch where the kernel knows both, else the larger has",
          "[explain]") {
  device();
  const auto launched = [](Index size, Kernel kernel) {
    const auto batch = [size](std::uintptr_t number) {
      auto* const memory = reinterpret_cast<double*>(number << 44);
      return nested_batch<double>(row_major(memory, size, size), 5, 4 * size * size, 3, size * size);
    };
    return launches([&] {
             cuda_native::gemm_batched(nullptr, 1.0, batch(1), batch(2), 0.0, batch(3), {.kernel = kernel});
           })
        .size();
  };
  CHECK(launched(300, Kernel::register_blocked) == 1);
  CHECK(launched(300, Kernel::pipelined) == 1);
  CHECK(launched(300, Kernel::tiled_checked) == 3);
  CHECK(launched(8, Kernel::small_batched) == 3);
}

/// Returns the launches of a group: those of single products, then one for each shared launch.
std::vector<std::string> launches_of(const std::vector<GemmPlan>& plans) {
  std::vector<std::string> names;
  for (const GemmPlan& plan : plans) {
    if (plan.together || plan.desc.shape.m * plan.desc.shape.n == 0) continue;
    const std::vector<std::string> own = launches_of(plan);
    names.insert(names.end(), own.begin(), own.end());
  }
  for (const Rung& rung : ladder) {
    for (const GroupTiles& tiles : rung.groups) {
      const auto shares = [&](const GemmPlan& plan) {
        return plan.together && plan.kernel == rung.kernel && plan.desc.type == tiles.type &&
               (plan.tile == tiles.large || plan.tile == tiles.small);
      };
      if (std::any_of(plans.begin(), plans.end(), shares))
        names.push_back("grouped " + std::to_string(tiles.large.threads()));
    }
  }
  return names;
}

TEMPLATE_LIST_TEST_CASE("explain names the launches of a group", "[explain][grouped]", Types) {
  device();
  using T = TestType;
  const auto memory = [](std::uintptr_t number) { return reinterpret_cast<T*>(number << 44); };
  RandomProducts<T> random(20261124, memory(1), memory(2), memory(3), Index{1} << 32);
  int computed = 0, shared = 0;
  for (int i = 0; computed < 200; ++i) {
    const GemmOptions options = random.options();
    std::vector<GemmArgs<T>> group;
    while (group.size() < 40) {
      const BatchArgs<T> args = random.draw();
      if (args.batch.count == 1) group.push_back(args.first);
    }
    INFO("number " << i);
    std::vector<GemmPlan> plans;
    std::vector<std::string> names;
    const std::string refusal =
        refused([&] { plans = cuda_native::explain_grouped<T>(nullptr, group, options); });
    const auto launch = [&] { cuda_native::gemm_grouped<T>(nullptr, group, options); };
    REQUIRE(refused([&] { names = launches(launch); }) == refusal);
    if (!refusal.empty()) continue;
    ++computed;
    REQUIRE(names == launches_of(plans));
    shared +=
        std::any_of(plans.begin(), plans.end(), [](const GemmPlan& plan) { return plan.together; }) ? 1 : 0;
  }
  CHECK((is_16_bit(type_of<T>()) ? shared == 0 : shared > 100));
}

}  // namespace
}  // namespace rooftile::testing
