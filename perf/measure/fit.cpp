// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "plan/plan_steps.hpp"
#include "rooftile/find_kernel.hpp"
#include "sweep.hpp"

namespace rooftile::perf {
namespace {

struct Sample {
  detail::PlannedWork work;
  std::size_t tile = 0;  ///< index of the tile's figures
  bool tma = false;
  double launches = 1;
  double microseconds = 0;
  double weight = 1;                ///< decreases with the time relative to the product's fastest sample
  std::vector<std::size_t> used{};  ///< indices of the parameters that affect its time
};

struct Group {
  std::string name;
  std::vector<Sample> samples;

  double fastest() const {
    double least = std::numeric_limits<double>::infinity();
    for (const Sample& s : samples) least = std::min(least, s.microseconds);
    return least;
  }
};

/// The logarithms of a mode's figures in one vector: the mode's own figures, then the figures of each tile.
class Parameters {
 public:
  explicit Parameters(model::ModeCosts mode, std::vector<model::TileCosts> tiles)
      : mode_(mode), tiles_(std::move(tiles)) {
    for (const auto& figure : model::mode_figures) logs_.push_back(std::log(mode_.*figure.member));
    for (const auto& tile : tiles_) {
      for (const auto& figure : model::tile_figures) logs_.push_back(std::log(tile.*figure.member));
    }
  }

  std::size_t count() const { return logs_.size(); }
  double operator[](std::size_t i) const { return logs_[i]; }
  void set(std::size_t i, double value) {
    logs_[i] = value;
    const auto figure = static_cast<float>(std::exp(value));
    if (i < std::size(model::mode_figures)) {
      mode_.*model::mode_figures[i].member = figure;
    } else {
      const std::size_t at = i - std::size(model::mode_figures), each = std::size(model::tile_figures);
      tiles_[at / each].*model::tile_figures[at % each].member = figure;
    }
  }

  const model::ModeCosts& mode() const { return mode_; }
  const std::vector<model::TileCosts>& tiles() const { return tiles_; }

 private:
  model::ModeCosts mode_;
  std::vector<model::TileCosts> tiles_;
  std::vector<double> logs_;
};

class ModeFit {
 public:
  ModeFit(const std::vector<Sweep>& sweeps, const Target& target, std::vector<model::TileCosts> tiles)
      : target_(target), tiles_(std::move(tiles)) {
    const bool fixed = !tiles_.empty();
    for (const Sweep& sweep : sweeps) {
      for (const SweptProduct& swept : sweep.products) {
        if (swept.path == target.path && swept.math == target.math) add(sweep, swept, fixed);
      }
    }
  }

  bool empty() const { return groups_.empty(); }

  FittedMode fit() {
    Parameters p(model::ModeCosts{.path = target_.path, .math = target_.math}, tiles_);
    for (Group& group : groups_) {
      for (Sample& sample : group.samples) sample.used = used_by(p, sample);
    }
    least_squares(p);
    descend(p);
    FittedMode found{p.mode(), p.tiles(), {}};
    for (const auto& figure : model::mode_figures) round(found.mode.*figure.member);
    for (auto& tile : found.tiles) {
      for (const auto& figure : model::tile_figures) round(tile.*figure.member);
    }
    found.mode.count = found.tiles.size();
    found.score = score(found.mode, found.tiles);
    sort_by_wins(found.tiles);
    return found;
  }

  ChoiceScore score(const model::ModeCosts& mode, const std::vector<model::TileCosts>& tiles) const {
    ChoiceScore found;
    double logs = 0, squares = 0, weights = 0;
    std::size_t over = 0;
    for (const Group& group : groups_) {
      const Sample *taken = nullptr, *best = nullptr;
      double least = std::numeric_limits<double>::infinity();
      for (const Sample& s : group.samples) {
        const double expected = microseconds(mode, tiles[s.tile], s),
                     error = std::log(expected / s.microseconds);
        squares += s.weight * error * error, weights += s.weight;
        if (expected < least) taken = &s, least = expected;
        if (best == nullptr || s.microseconds < best->microseconds) best = &s;
      }
      const double regret = taken->microseconds / best->microseconds;
      logs += std::log(regret);
      over += regret > 1.1 ? 1 : 0;
      if (regret <= found.worst) continue;
      found.worst = regret;
      found.worst_name = fmt::format("{}: {} {:.1f} us, {} {:.1f} us", group.name, title(tiles[taken->tile]),
                                     taken->microseconds, title(tiles[best->tile]), best->microseconds);
    }
    found.products = groups_.size();
    if (groups_.empty()) return found;
    found.regret = std::exp(logs / static_cast<double>(groups_.size()));
    found.over = static_cast<double>(over) / static_cast<double>(groups_.size());
    found.residual = std::sqrt(squares / weights);
    return found;
  }

 private:
  /// Rounds to four digits, the precision of tuning files.
  static void round(float& figure) { figure = std::stof(fmt::format("{:.4g}", figure)); }

  /// Sorts tiles by how often they are fastest. A choice that tries them in this order can skip most others.
  void sort_by_wins(std::vector<model::TileCosts>& tiles) const {
    std::vector<std::pair<std::size_t, model::TileCosts>> wins;
    for (const model::TileCosts& tile : tiles) wins.emplace_back(0, tile);
    for (const Group& group : groups_) {
      const auto fastest =
          std::min_element(group.samples.begin(), group.samples.end(),
                           [](const Sample& x, const Sample& y) { return x.microseconds < y.microseconds; });
      ++wins[fastest->tile].first;
    }
    std::stable_sort(wins.begin(), wins.end(),
                     [](const auto& x, const auto& y) { return x.first > y.first; });
    for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i] = wins[i].second;
  }

  static std::string title(const model::TileCosts& tile) {
    return fmt::format("{} {}", rung_of(tile.kernel).name, to_string(tile.tile));
  }

  /// @param fixed  skip tiles that have no figures yet
  void add(const Sweep& sweep, const SweptProduct& swept, bool fixed) {
    using namespace rooftile::detail;
    Group group{to_string(swept.product), {}};
    const GemmDesc desc = describe(swept.product, swept.math);
    const ModeModel none({}, target_.path, target_.math);
    for (const SweepTime& time : swept.times) {
      const SweepWay& way = sweep.ways[time.way];
      const std::size_t tile = index_of(way, fixed);
      if (tile == tiles_.size()) continue;
      GemmPlan plan =
          kernel_plan_of({way.kernel, way.tile, {}, swept.math, way.repack}, desc, {}, target_, none);
      const Rung& rung = rung_of(way.kernel);
      if (rung.tma && desc.shape.k > 0) set_tma_steps(plan, time.swapped, time.split_k, target_.sms);
      if (rung.tma && stores_across_rows(plan)) continue;  // the planner no longer makes this plan
      if (rung.split_k == SplitK::cluster) {
        if (time.split_k == 1 || !has_splits(plan, time.split_k)) continue;  // no longer planned
        set_cluster(plan, time.split_k);
      }
      const Index all = desc.count * desc.outer, each = std::clamp<Index>(plan.batch_chunk, 1, all);
      Sample sample{planned_work(plan, each), tile, rung.tma};
      sample.launches = static_cast<double>((all + each - 1) / each);
      sample.microseconds = time.microseconds;
      group.samples.push_back(sample);
    }
    if (group.samples.empty()) return;
    const double fastest = group.fastest();
    for (Sample& s : group.samples) {
      const double slower = 4 * (s.microseconds / fastest - 1);
      s.weight = 1 / (1 + slower * slower);
    }
    groups_.push_back(std::move(group));
  }

  std::size_t index_of(const SweepWay& way, bool fixed) {
    const auto found = std::find_if(tiles_.begin(), tiles_.end(), [&](const model::TileCosts& x) {
      return x.kernel == way.kernel && x.tile == way.tile;
    });
    if (found != tiles_.end() || fixed) return static_cast<std::size_t>(found - tiles_.begin());
    const auto work = static_cast<float>(way.tile.bm * way.tile.bn * way.tile.bk);
    const float busy = work / (rung_of(way.kernel).tma ? 2000 : 300);

    tiles_.push_back({way.kernel, way.tile, 6000, 2000, std::max(busy, 300.0F), busy});
    return tiles_.size() - 1;
  }

  double microseconds(const model::ModeCosts& mode, const model::TileCosts& tile, const Sample& s) const {
    return s.launches * detail::cycles_of(mode, tile, s.work, target_.sms, s.tma) / target_.costs.clock_mhz;
  }
  double log_of(const Parameters& p, const Sample& s) const {
    return std::log(microseconds(p.mode(), p.tiles()[s.tile], s));
  }

  static constexpr double small = 1e-3;  ///< step of a logarithm in finite differences

  /// The derivatives of the logarithm of a sample's time with respect to the parameters in `used`.
  std::vector<double> gradient_of(Parameters& p, const Sample& s, double here) const {
    std::vector<double> gradient;
    for (const std::size_t i : s.used) {
      const double before = p[i];
      p.set(i, before + small);
      gradient.push_back((log_of(p, s) - here) / small);
      p.set(i, before);
    }
    return gradient;
  }

  std::vector<std::size_t> used_by(Parameters& p, const Sample& s) const {
    std::vector<std::size_t> used;
    const double here = log_of(p, s);
    const std::size_t modes = std::size(model::mode_figures), each = std::size(model::tile_figures);
    for (std::size_t i = 0; i < p.count(); ++i) {
      if (i >= modes && (i - modes) / each != s.tile) continue;
      const double before = p[i];
      p.set(i, before + 1);
      if (log_of(p, s) != here) used.push_back(i);
      p.set(i, before);
    }
    return used;
  }

  /// Fraction of the product's mean error that is subtracted: an error common to all samples does not affect
  /// the choice.
  static constexpr double shared = 0.5;
  /// Weight of the distance from the first guess; it determines parameters with few samples.
  static constexpr double prior = 0.003;

  double error_of(const Parameters& p, const std::vector<double>& first) const {
    double sum = 0;
    for (const Group& group : groups_) {
      std::vector<double> errors;
      double mean = 0, weights = 0;
      for (const Sample& s : group.samples) {
        errors.push_back(log_of(p, s) - std::log(s.microseconds));
        mean += s.weight * errors.back(), weights += s.weight;
      }
      for (std::size_t i = 0; i < errors.size(); ++i) {
        const double error = errors[i] - shared * mean / weights;
        sum += group.samples[i].weight * error * error;
      }
    }
    for (std::size_t i = 0; i < p.count(); ++i) sum += prior * (p[i] - first[i]) * (p[i] - first[i]);
    return sum;
  }

  /// Minimises the error by the Levenberg-Marquardt method.
  void least_squares(Parameters& p) const {
    const std::size_t n = p.count();
    std::vector<double> first;
    for (std::size_t i = 0; i < n; ++i) first.push_back(p[i]);
    double damping = 1e-2, error = error_of(p, first);
    for (int round = 0; round < 60; ++round) {
      std::vector<double> normal(n * n), right(n), row(n), mean(n);
      for (const Group& group : groups_) add_normal(p, group, normal, right, row, mean);
      for (std::size_t i = 0; i < n; ++i) normal[i * n + i] += prior, right[i] -= prior * (p[i] - first[i]);
      bool better = false;
      double gained = 0;
      for (int attempt = 0; attempt < 10 && !better; ++attempt) {
        std::vector<double> damped = normal, step = right;
        for (std::size_t i = 0; i < n; ++i) damped[i * n + i] *= 1 + damping;
        Parameters next = p;
        if (solve(damped, step)) {
          for (std::size_t i = 0; i < n; ++i) next.set(i, p[i] + std::clamp(step[i], -1.0, 1.0));
          const double found = error_of(next, first);
          if (found < error) better = true, gained = error - found, error = found, p = next;
        }
        damping = better ? std::max(damping / 3, 1e-6) : damping * 4;
      }
      if (!better || gained < 1e-5 * error) return;
    }
  }

  void add_normal(Parameters& p, const Group& group, std::vector<double>& normal, std::vector<double>& right,
                  std::vector<double>& row, std::vector<double>& mean) const {
    const std::size_t n = p.count();
    std::vector<std::vector<double>> gradients;
    std::vector<double> errors;
    std::set<std::size_t> touched;
    double mean_error = 0, weights = 0;
    for (const Sample& s : group.samples) {
      const double here = log_of(p, s);
      gradients.push_back(gradient_of(p, s, here));
      errors.push_back(here - std::log(s.microseconds));
      mean_error += s.weight * errors.back(), weights += s.weight;
      for (std::size_t k = 0; k < s.used.size(); ++k) {
        touched.insert(s.used[k]);
        mean[s.used[k]] += s.weight * gradients.back()[k];
      }
    }
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const Sample& s = group.samples[i];
      if (s.weight < 0.003) continue;
      for (const std::size_t x : touched) row[x] = -shared * mean[x] / weights;
      for (std::size_t k = 0; k < s.used.size(); ++k) row[s.used[k]] += gradients[i][k];
      const double error = errors[i] - shared * mean_error / weights;
      for (const std::size_t x : touched) {
        right[x] -= s.weight * row[x] * error;
        for (const std::size_t y : touched) normal[x * n + y] += s.weight * row[x] * row[y];
      }
    }
    for (const std::size_t x : touched) mean[x] = row[x] = 0;
  }

  /// Solves by Cholesky factorisation. @return whether the matrix is positive definite
  static bool solve(std::vector<double>& matrix, std::vector<double>& x) {
    const std::size_t n = x.size();
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) {
        double value = matrix[i * n + j];
        for (std::size_t k = 0; k < j; ++k) value -= matrix[i * n + k] * matrix[j * n + k];
        if (i == j && value <= 0) return false;
        matrix[i * n + j] = i == j ? std::sqrt(value) : value / matrix[j * n + j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= matrix[i * n + k] * x[k];
      x[i] /= matrix[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= matrix[k * n + i] * x[k];
      x[i] /= matrix[i * n + i];
    }
    return true;
  }

  /// Minimises the regret of a random choice by Adam's method. The choice takes each sample with probability
  /// proportional to exp(-t/temperature), where t is the logarithm of its modelled time.
  void descend(Parameters& p) const {
    constexpr double temperature = 0.05, rate = 0.01, stay = 0.002, most = 1;
    const std::size_t n = p.count();
    std::vector<double> first, momentum(n), squares(n);
    for (std::size_t i = 0; i < n; ++i) first.push_back(p[i]);
    for (int round = 1; round <= 150; ++round) {
      std::vector<double> gradient(n);
      for (const Group& group : groups_) {
        const double fastest = group.fastest();
        std::vector<double> logs, shares, regrets;
        for (const Sample& s : group.samples) logs.push_back(log_of(p, s));
        const double least = *std::min_element(logs.begin(), logs.end());
        double sum = 0, regret = 0;
        for (std::size_t i = 0; i < logs.size(); ++i) {
          shares.push_back(std::exp((least - logs[i]) / temperature)), sum += shares[i];
          regrets.push_back(std::min(std::log(group.samples[i].microseconds / fastest), most));
        }
        for (std::size_t i = 0; i < logs.size(); ++i) regret += (shares[i] /= sum) * regrets[i];
        for (std::size_t i = 0; i < logs.size(); ++i) {
          const double slope = -shares[i] * (regrets[i] - regret) / temperature;
          if (std::abs(slope) < 1e-6) continue;
          const Sample& s = group.samples[i];
          const std::vector<double> derivatives = gradient_of(p, s, logs[i]);
          for (std::size_t k = 0; k < s.used.size(); ++k) gradient[s.used[k]] += slope * derivatives[k];
        }
      }
      for (std::size_t i = 0; i < n; ++i) {
        const double slope = gradient[i] + stay * static_cast<double>(groups_.size()) * (p[i] - first[i]);
        momentum[i] += 0.1 * (slope - momentum[i]), squares[i] += 0.01 * (slope * slope - squares[i]);
        const double m = momentum[i] / (1 - std::pow(0.9, round)),
                     v = squares[i] / (1 - std::pow(0.99, round));
        p.set(i, p[i] - rate * m / (std::sqrt(v) + 1e-9));
      }
    }
  }

  const Target target_;
  std::vector<model::TileCosts> tiles_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<FittedMode> fitted(const std::vector<Sweep>& sweeps,
                               const std::function<Target(Path, ComputeMode)>& target) {
  std::vector<FittedMode> all;
  for (const Path path : {Path::native, Path::portable}) {
    for (const ComputeMode math : all_modes) {
      ModeFit fit(sweeps, target(path, math), {});
      if (!fit.empty()) all.push_back(fit.fit());
    }
  }
  return all;
}

ChoiceScore score_of(const FittedMode& fit, const std::vector<Sweep>& sweeps, const Target& target) {
  return ModeFit(sweeps, target, fit.tiles).score(fit.mode, fit.tiles);
}

}  // namespace rooftile::perf
