// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "machine.hpp"
#include "measure/operands.hpp"
#include "measure/suite.hpp"
#include "measure/verify.hpp"
#include "parse.hpp"
#include "record/record.hpp"
#include "record/suite_file.hpp"
#include "rooftile/error.hpp"
#include "writers/output.hpp"

namespace rooftile::perf {

struct BenchOptions {
  std::vector<std::string> shapes, dtypes, maths, paths, backends, kernels;  // empty: all
  std::optional<std::string> suite;
  Product product;  ///< defaults for a suite's products; the shape is not used
  std::string tile = "default";
  std::optional<std::string> json, tuning, replay;
  int gpu = 0;
  std::uint64_t seed = 20261121;
  Sampling sampling;
  bool counters = false;               ///< also read hardware counters
  bool all = false;                    ///< print the tables of every kernel
  bool team = false;                   ///< team-level products and example kernels
  std::vector<std::string> arguments;  ///< the options above as typed
};

/// Whether the kernel can run some product on its device.
template <class T>
bool runs_here(const Candidate<T>& c) {
  const GemmShape probe{32, 32, 32};  // divisible by the tiles of kernels that need whole tiles; one block
  return c.refusal(Operands<T>(*c.device, probe, {}, Scalar<T>(1), Scalar<T>(0), 0).on_device()).empty();
}

/// Whether `tile` (`default`, `all` or a tile's name) selects the candidate.
template <class T>
bool tile_wanted(const Candidate<T>& candidate, const std::string& tile) {
  if (tile == "all" || is_baseline(candidate.path) || candidate.chosen) return true;
  return tile == "default" ? candidate.default_tile : candidate.tile == tile;
}

inline std::string in_words(const BenchOptions& options) {
  std::string text;
  for (const auto& [name, values] :
       {std::pair{"--dtype", &options.dtypes}, std::pair{"--math", &options.maths},
        std::pair{"--path", &options.paths}, std::pair{"--backend", &options.backends},
        std::pair{"--kernel", &options.kernels}}) {
    for (const std::string& value : *values)
      text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, value);
  }
  return text.empty() ? "no option" : text;
}

/// The products of the suite or of the shapes; the suite `default` if neither is given.
/// @throws Error for an invalid shape or suite, or a shape that the suite does not contain
inline Suite products_asked(const BenchOptions& options) {
  std::set<std::string> wanted, known;
  Suite asked;
  for (const std::string& text : options.shapes) {
    asked.products.push_back(options.product);
    asked.products.back().shape = parse_shape(text);
    wanted.insert(to_string(asked.products.back().shape));
  }
  if (!options.suite && !options.shapes.empty()) return asked;
  Suite suite = read_suite(options.suite.value_or("default"), options.product);
  if (wanted.empty()) return suite;
  for (const Product& product : suite.products) known.insert(to_string(product.shape));
  for (const std::string& shape : wanted) {
    if (known.count(shape) > 0) continue;
    throw Error(fmt::format("not in the suite (--shape {}): take one of {}", shape, fmt::join(known, ", ")));
  }
  std::erase_if(suite.products, [&](const Product& p) { return wanted.count(to_string(p.shape)) == 0; });
  return suite;
}

/// Refuses alpha and beta that the type cannot represent or that make results overflow. For operands in [-1,
/// 1), a sum of k products has the standard deviation √k / 3; 24 standard deviations never occur.
template <class T>
void require_scalars(const Product& product) {
  const auto refuse = [&](const char* problem, const char* name, double value,
                          const char* instead = "one nearer to 1") {
    throw Error(fmt::format("{} ({} {}, {} {}): take {}, or another type", problem, name, value,
                            to_string(type_of<T>(), result_type_of<T>()), to_string(product.shape), instead));
  };
  using Limits = std::numeric_limits<Scalar<T>>;
  for (const auto& [name, value] : {std::pair{"--alpha", product.alpha}, {"--beta", product.beta}}) {
    const double size = std::abs(value);
    const bool is_part = Limits::is_integer && value != std::trunc(value);
    if (is_part || size > static_cast<double>(Limits::max()) ||
        (size > 0 && size < static_cast<double>(Limits::denorm_min()))) {
      refuse("not representable in the type", name, value);
    }
  }
  if (Limits::is_integer) return;  // integer overflow wraps around
  const double k = static_cast<double>(product.shape.k), sum = std::min(k, 8 * std::sqrt(k));
  const double largest = static_cast<double>(std::numeric_limits<Out<T>>::max());
  if (std::abs(product.beta) > largest) refuse("results overflow the type", "--beta", product.beta);
  if (std::abs(product.alpha) * sum > largest - std::abs(product.beta)) {
    refuse("results overflow the type", "--alpha", product.alpha,
           sum > largest ? "a shorter K" : "one nearer to 1");
  }
}

/// Prints the number of wrong baseline results, and why nothing was measured. @return the exit code of bench
/// @param ours  whether at least one Rooftile kernel must have been measured
inline int verdict_of(const std::vector<Result>& results, bool ours) {
  const auto failed = [&](bool baseline) {
    return std::count_if(results.begin(), results.end(), [&](const Result& r) {
      return r.status == "failed" && is_baseline(r.path) == baseline;
    });
  };
  if (const auto wrong = failed(true); wrong > 0) {
    fmt::print("\n{} of another library: no ratio to it there\n", counted(wrong, "wrong result"));
  }
  if (failed(false) > 0) return check_failed;
  const auto measured = [&](const Result& r) { return r.ok() && !(ours && is_baseline(r.path)); };
  if (std::any_of(results.begin(), results.end(), measured)) return ok;
  const Result& first = results.front();
  fmt::print(stderr, "rooftile: nothing was measured ({} {} {}: {})\n", first.path, first.kernel,
             to_string(first.shape), first.reason);
  return check_failed;
}

}  // namespace rooftile::perf
