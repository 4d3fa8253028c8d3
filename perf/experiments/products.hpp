// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "../writers/output.hpp"
#include "experiment.hpp"

/// Compares the ladder's kernels, and kernels with and without fused multiply-adds, on one product. The
/// experiment shows the gain of shared tiles.
namespace rooftile::perf::products {

struct Row {
  std::string kernel{}, tile{};
  double intensity = 0;      ///< FLOP per byte requested from global memory; 0: not known
  double ceiling_share = 0;  ///< fraction of the measured fp32 ceiling
  double error_percent = 0;  ///< greatest error of an element, relative to the greatest element
  double error_ratio = 0;    ///< worst error over its bound
  Seconds seconds{};
  double gflops = 0;  ///< 0: not timed
  std::string fault{};
};

/// The kernels of `TextKernels::product`.
inline constexpr const char* fused_name = "one element a thread, fused";
inline constexpr const char* apart_name = "one element a thread, not fused";

/// The fastest row whose kernel name begins with `kernel`; null: none.
inline const Row* fastest(const std::vector<Row>& rows, const std::string& kernel = "") {
  return greatest(
      rows, [&](const Row& row) { return row.gflops > 0 && row.kernel.starts_with(kernel); }, &Row::gflops);
}

inline std::string named(const Row& row) {
  return row.kernel + (row.tile.empty() ? "" : " " + row.tile);
}

inline std::string reading(const std::vector<Row>& rows) {
  const Row* const best = fastest(rows);
  if (best == nullptr) return "Nothing was measured.";
  std::string text = fmt::format("The fastest kernel is {} with {:.4g} GFLOP/s", named(*best), best->gflops);
  text += best->ceiling_share > 0
              ? fmt::format(", {:.0f} % of the fp32 ceiling{}. ", 100 * best->ceiling_share,
                            best->ceiling_share > 1.1 ? ", which was disturbed when it was measured" : "")
              : ". ";
  if (const Row* const naive = fastest(rows, "naive"), * const tiled = fastest(rows, "tiled");
      naive && tiled) {
    const double gain = tiled->gflops / naive->gflops;
    text += fmt::format("Of the texts' own, tiles ({}) are {:.2f} times as fast as none ({})", named(*tiled),
                        gain, named(*naive));
    if (naive->intensity > 0 && tiled->intensity > 0)
      text += fmt::format(", with {:.0f} times the intensity: {}", tiled->intensity / naive->intensity,
                          gain < 0.5 * tiled->intensity / naive->intensity
                              ? "caches already save most of the traffic that tiles save"
                              : "memory's traffic is what they save");
    text += ". ";
  }
  if (const Row* const fused = fastest(rows, fused_name), * const apart = fastest(rows, apart_name);
      fused && apart) {
    const double gain = fused->gflops / apart->gflops;
    text +=
        fmt::format("Fused multiply-adds make {:.2f} times the speed of multiplications and additions: {}. ",
                    gain, gain > 1.1 ? "arithmetic counts" : "arithmetic is not what it waits for");
  }
  double error = 0, ratio = 0;
  for (const Row& row : rows)
    error = std::max(error, row.error_percent), ratio = std::max(ratio, row.error_ratio);
  return text +
         fmt::format(
             "The greatest error is {:.3g} % of the greatest element, and of its own bound no error is "
             "more than {:.2g}.",
             error, ratio);
}

inline std::string reading_of_tiles(const std::vector<Row>& rows) {
  const Row* const best = fastest(rows);
  const Row* const least = greatest(
      rows, [](const Row& row) { return row.gflops > 0; }, [](const Row& row) { return -row.intensity; });
  if (best == nullptr) return "Nothing was measured.";
  std::string text = fmt::format("The fastest is {} with {:.4g} GFLOP/s. ", named(*best), best->gflops);
  if (best != least)
    text += fmt::format("Beside {} it asks for {:.2g} times fewer bytes, and is {:.2f} times as fast: {}.",
                        named(*least), best->intensity / least->intensity, best->gflops / least->gflops,
                        best->gflops / least->gflops < 0.75 * best->intensity / least->intensity
                            ? "traffic to global memory is not all that it waits for"
                            : "the speed follows the traffic");
  return text;
}

inline ExperimentTable table_of(const Device& device, const std::string& path, const GemmShape& shape,
                                const std::vector<Row>& rows, std::string read) {
  ExperimentTable table{&device, path, "fp32 " + to_string(shape)};
  table.columns = {{"kernel", "kernel"},
                   {"tile", "tile"},
                   {"intensity", "FLOP/B asked"},
                   {"ceiling_percent", "of the fp32 ceiling %"},
                   {"ms", "ms"},
                   {"gflops", "GFLOP/s"},
                   {"error_percent", "greatest error %"},
                   {"error_ratio", "error over bound"}};
  for (const Row& row : rows) {
    table.rows.push_back({{"kernel", row.kernel},
                          {"tile", row.tile},
                          {"intensity", or_nothing(row.intensity)},
                          {"ceiling_percent", or_nothing(100 * row.ceiling_share)},
                          {"ms", or_nothing(1e3 * row.seconds.median)},
                          {"gflops", or_nothing(row.gflops)},
                          {"error_percent", or_nothing(row.error_percent)},
                          {"error_ratio", or_nothing(row.error_ratio)}});
    if (!row.fault.empty()) table.faults.push_back(fmt::format("{}: {}", named(row), row.fault));
  }
  table.reading = std::move(read);
  return table;
}

/// `TextKernels::product` as candidates. @pre the kernels outlive the candidates
inline std::vector<Candidate<float>> own_candidates(const TextKernels& kernels) {
  std::vector<Candidate<float>> candidates;
  if (!kernels.product) return candidates;
  for (const bool fused : {true, false}) {
    candidates.push_back({kernels.device, ComputeMode::fp32, kernels.path, fused ? fused_name : apart_name,
                          "", 0.25, [](const BatchArgs<float>&) { return Refusal{}; },
                          call_of<float>([&kernels, fused](const BatchArgs<float>& args) {
                            const auto& [alpha, A, B, beta, C] = args.first;
                            kernels.product(C.data, A.data, B.data, args.shape(), fused);
                          })});
  }
  return candidates;
}

/// The greatest error in some rows of C, relative to their greatest element, in percent.
inline double error_percent(const Candidate<float>& candidate, Operands<float>& operands) {
  operands.reset();
  candidate.device->seconds([&] { candidate.launch(operands.on_device()); });
  const MatrixRef<const float> found = operands.result()[0];
  const GemmArgs<float> args = operands.on_host().first;
  double error = 0, greatest = 0;
  std::vector<double> row(static_cast<std::size_t>(found.cols));
  for (const Index i : evenly_spread(found.rows, 16)) {
    std::fill(row.begin(), row.end(), 0.0);
    for (Index k = 0; k < args.A.cols; ++k) {
      const auto a = static_cast<double>(args.A(i, k));
      for (Index j = 0; j < found.cols; ++j)
        row[static_cast<std::size_t>(j)] += a * static_cast<double>(args.B(k, j));
    }
    for (Index j = 0; j < found.cols; ++j) {
      const double wanted = row[static_cast<std::size_t>(j)];
      error = std::max(error, std::abs(static_cast<double>(found(i, j)) - wanted));
      greatest = std::max(greatest, std::abs(wanted));
    }
  }
  return greatest > 0 ? 100 * error / greatest : 0;
}

/// @param candidates  of one path; they may refuse the product
inline std::vector<Row> measure(const Workbench& bench, Device& device, const GemmShape& shape,
                                double ceiling, const std::vector<const Candidate<float>*>& candidates) {
  Operands<float> operands(device, shape, Layout(), 1, 0, bench.seed);
  const std::vector<Result> results = sample(candidates, operands, bench.sampling, bench.progress);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& r = results[i];
    if (r.status == "unsupported") continue;
    Row row{r.kernel + (r.automatic ? " (automatic)" : ""), r.tile, r.request_intensity};
    row.error_ratio = r.error_ratio, row.seconds = r.seconds;
    if (!r.ok()) row.fault = r.reason;
    if (r.seconds.median > 0) row.gflops = 1e-9 * shape.flops() / r.seconds.median;
    if (ceiling > 0) row.ceiling_share = row.gflops / ceiling;
    if (r.ok()) row.error_percent = error_percent(*candidates[i], operands);
    rows.push_back(row);
  }
  return rows;
}

template <class Wanted, class Read>
std::vector<ExperimentTable> run(const Workbench& bench, bool with_own, const Wanted& wanted,
                                 const Read& read) {
  std::vector<ExperimentTable> tables;
  for (const TextKernels& kernels : bench.paths) {
    const std::vector<Candidate<float>> own =
        with_own ? own_candidates(kernels) : std::vector<Candidate<float>>{};
    std::vector<const Candidate<float>*> candidates;
    for (const Candidate<float>& c : bench.machine.candidates<float>()) {
      if (c.device == kernels.device && c.path == kernels.path && c.math == ComputeMode::fp32 && wanted(c))
        candidates.push_back(&c);
    }
    for (const Candidate<float>& c : own) candidates.push_back(&c);
    if (candidates.empty()) continue;
    Device& device = *kernels.device;
    const double ceiling = with_own ? bench.ceilings_of(device).fp32_gflops : 0;
    const GemmShape shape =
        ExperimentSizes::of(bench.sizes.shape, device, GemmShape{2000, 3000, 2500}, GemmShape{400, 600, 500});
    const std::vector<Row> rows = measure(bench, device, shape, ceiling, candidates);
    tables.push_back(table_of(device, kernels.path, shape, rows, read(rows)));
  }
  return tables;
}

/// Runs the textbook kernels (naive, tiled) with all their tiles, the others with their default tile.
inline std::vector<ExperimentTable> run(const Workbench& bench) {
  return run(
      bench, true,
      [](const Candidate<float>& c) { return c.default_tile || c.kernel == "naive" || c.kernel == "tiled"; },
      reading);
}

inline std::vector<ExperimentTable> run_tiles(const Workbench& bench) {
  return run(
      bench, false, [](const Candidate<float>& c) { return c.kernel == "tiled_checked"; }, reading_of_tiles);
}

}  // namespace rooftile::perf::products
