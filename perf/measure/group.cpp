// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "group.hpp"

#include "numerics/reference.hpp"

namespace rooftile::perf {

template <class T>
struct Group<T>::Way {
  ComputeMode math;
  Result result;
  std::function<std::function<void()>()> prepare;  ///< takes the products with their alpha and beta
  std::function<void()> call{};

  bool ok() const { return result.ok(); }
  std::string title() const { return result.path + ' ' + result.kernel; }
};

template <class T>
Group<T>::Group(Device& device, const Product& product, std::uint64_t seed)
    : product_(product), device_(device) {
  std::uint64_t seed_of_product = seed;
  for (const GemmShape& shape : draw({product.batch, product.smallest, product.shape.m, seed})) {
    operands_.emplace_back(device, shape, product.lies(), static_cast<Scalar<T>>(product.alpha),
                           static_cast<Scalar<T>>(product.beta), seed_of_product++);
    products_.push_back(operands_.back().on_device().first);
  }
}

template <class T>
std::vector<Result> Group<T>::sample(const std::vector<const Candidate<T>*>& candidates,
                                     const Sampling& sampling,
                                     const std::function<void(const std::string&)>& progress) {
  std::vector<Way> ways = ways_of(candidates, sampling);
  verify(Values::integers, sampling, ways, progress);
  verify(Values::uniform, sampling, ways, progress);
  std::vector<Result> results;
  for (const Way& way : ways) results.push_back(way.result);
  time_rows(results, sampling, progress, [&](std::size_t i) -> std::optional<Timed> {
    if (!ways[i].ok()) return {};
    return Timed{ways[i].title(), &device_, ways[i].call};
  });
  return results;
}

template <class T>
std::vector<typename Group<T>::Way> Group<T>::ways_of(const std::vector<const Candidate<T>*>& candidates,
                                                      const Sampling& sampling) const {
  std::vector<Way> ways;
  const auto add = [&](const Candidate<T>& c, const std::string& kernel, const auto& prepare) {
    Way& way = ways.emplace_back(Way{c.math, {}, prepare});
    Result& r = way.result;
    set_candidate(r, c), set_product(r, product_);
    r.kernel = kernel;
    r.cold = sampling.cold, r.burst = sampling.burst > 1 ? sampling.burst : 0;
    for (const GemmArgs<T>& product : products_) {
      if (r.reason.empty()) r.reason = c.refusal(product).text;
    }
    r.status = r.reason.empty() ? "ok" : "unsupported";
    return &r;
  };
  for (const Candidate<T>* c : candidates) {
    const auto grouped = [this, c] { return c->group(products_); };
    if (c->group) add(*c, c->chosen ? "grouped" : c->kernel + " grouped", grouped);
    if (!c->chosen && !is_baseline(c->path)) continue;
    const auto one_by_one = [this, c] {
      std::vector<std::function<void()>> calls;
      for (const GemmArgs<T>& product : products_) calls.push_back(c->call(product));
      return [calls] {
        for (const auto& call : calls) call();
      };
    };
    add(*c, c->chosen ? "one by one" : c->kernel, one_by_one)->automatic = false;
  }
  return ways;
}

template <class T>
void Group<T>::verify(Values values, const Sampling& sampling, std::vector<Way>& ways,
                      const std::function<void(const std::string&)>& progress) {
  const bool exact = values == Values::integers || std::is_integral_v<Out<T>>;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    operands_[i].fill(values);
    products_[i] = operands_[i].on_device().first;  // alpha and beta depend on the values
  }
  const std::vector<Index> checked = products_to_check(product_.shape, product_.batch, sampling.reference);
  std::deque<Reference<T>> references;
  for (const Index i : checked) {
    references.emplace_back(operands_[static_cast<std::size_t>(i)].on_host().first, ways.front().math);
  }
  for (Way& way : ways) {
    if (!way.ok()) continue;
    if (sampling.ended()) throw Interrupted();
    progress("verify " + way.title());
    for (Operands<T>& operands : operands_) operands.reset();
    way.call = way.prepare();
    device_.seconds(way.call);
    Result& r = way.result;
    r.rows_checked = 0;
    for (std::size_t i = 0; i < references.size(); ++i) {
      const MatrixRef<const Out<T>> c = operands_[static_cast<std::size_t>(checked[i])].result()[0];
      const Verification found = exact ? references[i].compare_exact(c) : references[i].compare(c);
      r.rows_checked += references[i].rows_checked();
      r.error_ratio = std::max(r.error_ratio, found.ratio);
      if (found.passed() || !r.ok()) continue;
      r.status = "failed";
      r.reason = detail::text("wrong result (product ", checked[i], ", row ", found.row, ", column ",
                              found.col, "): report it");
    }
  }
}

template <class T>
double Group<T>::flops() const {
  double flops = 0;
  for (const GemmArgs<T>& product : products_) flops += flops_of(product.shape(), type_of<T>());
  return flops;
}

template <class T>
double Group<T>::intensity() const {
  double bytes = 0;
  for (const GemmArgs<T>& product : products_) {
    const GemmShape shape = product.shape();
    bytes += flops_of(shape, type_of<T>()) / intensity_of<T>(shape, product_.beta != 0);
  }
  return flops() / bytes;
}

#define ROOFTILE_INSTANTIATE(...) template class Group<__VA_ARGS__>;
ROOFTILE_FOR_EACH_PRODUCT_TYPE(ROOFTILE_INSTANTIATE)

}  // namespace rooftile::perf
