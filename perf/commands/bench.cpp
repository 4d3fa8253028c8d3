// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "../bench.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "../bench_ranks.hpp"
#include "../command.hpp"
#include "../options.hpp"
#include "rooftile/find_kernel.hpp"

namespace rooftile::perf {
namespace {

void check(const BenchOptions& options) {
  for (const std::string& kernel : options.kernels) {
    if (contains({"automatic", "all", "cublas_default", "team_gemm", "kokkosbatched"}, kernel)) continue;
    try {
      find_named(kernel);
    } catch (const Error& error) {
      throw Error(std::string("--kernel: ") + error.what());
    }
  }
  require_layout(options.product.layout);
  if (options.product.scales != "none" && !options.suite &&
      std::none_of(options.maths.begin(), options.maths.end(),
                   [](const std::string& name) { return type_of(math_named(name)) == Type::fp8; })) {
    throw Error(fmt::format("only 8-bit floats have scales (--scales {}): add --math fp8_bf16",
                            options.product.scales));
  }
  const bool automatic = options.kernels.empty()
                             ? options.suite || options.replay
                             : contains(options.kernels, "automatic") || contains(options.kernels, "all");
  if (options.tuning && !automatic) {
    throw Error(detail::text("nothing here uses a tuning table (--tuning ", *options.tuning,
                             "): add --kernel automatic, or take a --suite"));
  }
}

/// A suite runs the library's choice by default, next to the baselines.
void take_suite(BenchOptions& options) {
  if (options.kernels.empty()) options.kernels = {"automatic"};
  // Limits the references of each product, since a suite has many products.
  options.sampling.reference = std::min(options.sampling.reference, 2e9);
}

/// Runs batches with `team_gemm`, next to the library's own choice.
void take_team(BenchOptions& options) {
  if (!options.kernels.empty())
    throw Error(
        fmt::format("kernels are given (--kernel {}, --team): leave one out", options.kernels.front()));
  options.kernels = {"automatic", "team_gemm", "kokkosbatched"};
  if (!options.suite && options.shapes.empty()) options.suite = "team";
  options.all = true;
}

void set_caches(BenchOptions& options, const std::string& caches) {
  options.sampling.cold = caches == "cold";
  if (options.sampling.cold && options.sampling.burst > 1) {
    throw Error(fmt::format("a burst runs in hot caches (--burst {}, --caches cold): leave one out",
                            options.sampling.burst));
  }
}

const Command command{
    "bench",
    "How fast is each kernel here, beside the vendor library and the roofline?",
    {"rooftile bench --shape 1000 --math fp64", "rooftile bench --suite random:1 --json run.json"},
    [](Arguments& app) {
      auto options = std::make_shared<BenchOptions>();
      auto caches = std::make_shared<std::string>("hot");
      auto sharing = std::make_shared<SharingOptions>();
      app.group("Products");
      auto* suite = app.add_option(
          "--suite", options->suite,
          "a suite's name or file, or random:SEED: time the library's choice for each product, and summarise "
          "it against the vendor; see `rooftile suites`");
      auto* shape = app.add_option(
          "--shape", options->shapes,
          "MxNxK, or one size for all three; may be repeated; with --suite: selects its products");
      app.add_option("--dtype", options->dtypes,
                     "type of A and B: " + listed(type_names()) + " (default all that kernels support)")
          ->one_of(type_names());
      app.add_option("--math", options->maths,
                     "compute modes: " + listed(all_math_names()) +
                         " (default all except fp64_int8, cfp64_int8 and mixed types)")
          ->one_of(all_math_names());
      app.group("Kernels");
      app.add_option("--path", options->paths, "portable, native, vendor, peer, team (default all)")
          ->one_of({"portable", "native", "vendor", "peer", "team"});
      app.add_option("--backend", options->backends, listed(backend_names()) + " (default all that are here)")
          ->one_of(backend_names());
      app.add_option("--kernel", options->kernels,
                     "one of " + detail::kernel_names() +
                         " (default all of these); automatic: gemm's choice; cublas_default: cuBLAS with "
                         "16-bit accumulators; all: all of these, automatic and cublas_default");
      auto* tile = app.add_option("--tile", options->tile, "default, all, or one such as 16x16x16")
                       ->capture_default_str();
      app.group("Products");
      auto* layout = app.add_option("--layout", options->product.layout, "r or c for each of A, B, C")
                         ->capture_default_str();
      auto* batch = app.add_option("--batch", options->product.batch,
                                   "batch entries of each shape in one call, contiguous in memory")
                        ->transform(whole(1, 1000000))
                        ->capture_default_str();
      auto* pointers = app.add_flag("--pointers", options->product.pointers,
                                    "pass the operands to gemm_batched as arrays of pointers");
      auto* alpha =
          app.add_option("--alpha", options->product.alpha)->transform(finite())->capture_default_str();
      auto* beta =
          app.add_option("--beta", options->product.beta)->transform(finite())->capture_default_str();
      auto* scales =
          app.add_option("--scales", options->product.scales,
                         "of 8-bit floats: none; one for each matrix; lines: rows of A and columns of "
                         "B; blocks: 1x128 elements of A and 128x128 elements of B")
              ->one_of({std::begin(scale_names), std::end(scale_names)})
              ->capture_default_str();
      app.add_option("--replay", options->replay,
                     "log of a program's calls (ROOFTILE_LOG): time each distinct call")
          ->excludes(suite, shape, tile, layout, batch, pointers, alpha, beta, scales);
      app.group("Times");
      auto* samples = add_samples_option(app, options->sampling.samples, "timed runs of each kernel");
      app.add_option("--error", options->sampling.error,
                     "finish a kernel when its median is accurate to this fraction (0.01: 1 %), at the "
                     "latest after --samples (then by default 200) or its time limit")
          ->transform(number(1e-6, 1));
      app.add_option("--burst", options->sampling.burst, "calls in a row between the two events of a sample")
          ->transform(whole(1, 100000))
          ->capture_default_str();
      app.group("Output");
      app.add_flag("--all", options->all, "a table of every kernel for each product");
      app.group("Products");
      app.add_flag(
          "--team", options->team,
          "time team_gemm inside a user's kernel, gemm_batched, and the kernels of examples/08_team; "
          "default suite: team");
      app.group("Times");
      app.add_option("--caches", *caches,
                     "hot: an untimed call before each sample; cold: flushed caches after that call")
          ->one_of({"hot", "cold"})
          ->capture_default_str();
      app.add_option("--reference", options->sampling.reference,
                     "maximum multiply-adds in each of the two checks; larger products are checked in part")
          ->transform(number(1, 1e18));
      add_seed_option(app, options->seed, "of the random operands");
      add_gpu_option(app, options->gpu);
      app.group("Kernels");
      app.add_option("--tuning", options->tuning,
                     "a table of `rooftile tune`, for the kernel automatic and the suites");
      app.group("Times");
      app.add_flag("--counters", options->counters,
                   "read the hardware's counters of one more call of each kernel, after its timed calls");
      app.group("Output");
      app.add_option(
          "--json", options->json,
          "write the results to this file, and partial results to FILE.part until the run ends; with `-`, "
          "write them to standard output, and the tables to standard error");
      add_sharing_options(app, *sharing);
      return [options, caches, sharing, samples, &app] {
        options->arguments = app.given();
        if (options->team) take_team(*options);
        check(*options);
        set_caches(*options, *caches);
        if (options->sampling.error > 0 && samples->count() == 0) options->sampling.samples = 200;
        if (sharing->asked) return bench_ranks(*options, *sharing);
        if (options->suite) take_suite(*options);
        if (options->replay && options->kernels.empty()) options->kernels = {"automatic"};
        return Bench(*options).run();
      };
    }};

}  // namespace
}  // namespace rooftile::perf
