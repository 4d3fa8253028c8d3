// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

#include "numerics/reference.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {

template <class T>
void verify(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands, Values values,
            const Sampling& sampling, const std::function<void(const std::string&)>& progress,
            std::vector<Result>& results) {
  const bool exact = values == Values::integers || std::is_integral_v<Out<T>>;
  const std::string of = values == Values::integers ? " of integers" : "";
  operands.fill(values);
  progress("reference" + of);
  const BatchArgs<T> batch = operands.on_host();
  const GemmShape shape = batch.shape();
  const std::vector<Index> products = products_to_check(shape, batch.batch.count, sampling.reference);
  const double each = sampling.reference / static_cast<double>(products.size());
  std::vector<Reference<T>> references;
  for (const Index p : products) {
    references.emplace_back(batch.product(p), rows_to_check(shape, each), candidates.front()->math);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate<T>& c = *candidates[i];
    Result& r = results[i];
    if (r.status != "ok") continue;
    if (sampling.ended()) throw Interrupted();
    progress("verify " + title_of(c) + of);
    operands.reset();
    try {
      c.device->seconds([&] { c.launch(operands.on_device()); });
    } catch (const Error& error) {
      if (!is_baseline(c.path)) throw;
      r.status = "unsupported", r.reason = error.what();  // no query reports this in advance
      continue;
    }
    const BatchRef<const Out<T>> result = operands.result();
    r.rows_checked = 0;
    for (std::size_t p = 0; p < products.size(); ++p) {
      const MatrixRef<const Out<T>> c_p = result[products[p]];
      const Verification found = exact ? references[p].compare_exact(c_p) : references[p].compare(c_p);
      r.rows_checked += references[p].rows_checked();
      r.error_ratio = std::max(r.error_ratio, found.ratio);
      if (found.passed() || r.status != "ok" || (c.on_request && is_baseline(c.path))) continue;
      r.status = "failed";
      r.reason = detail::text(
          "wrong result", of, " (", result.count > 1 ? detail::text("product ", products[p], ", ") : "",
          "row ", found.row, ", column ", found.col, ", ",
          exact ? std::string("not exact") : detail::text(found.ratio, " times its error bound"),
          "): report this kernel");
    }
  }
}

// Explicit instantiations, which the subcommands share, since each takes seconds to compile.
#define ROOFTILE_INSTANTIATE(...)                                                                         \
  template void verify(const std::vector<const Candidate<__VA_ARGS__>*>&, Operands<__VA_ARGS__>&, Values, \
                       const Sampling&, const std::function<void(const std::string&)>&,                   \
                       std::vector<Result>&);
ROOFTILE_FOR_EACH_PRODUCT_TYPE(ROOFTILE_INSTANTIATE)

}  // namespace rooftile::perf
