// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Suites: alignment, summaries, and suite files.
#include "perf/measure/suite.hpp"

#include <fstream>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "fake_device.hpp"
#include "perf/parse.hpp"
#include "perf/record/json.hpp"
#include "perf/record/suite_file.hpp"
#include "perf/selection.hpp"
#include "plan/plan.hpp"
#include "tests/perf/as_read.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/targets.hpp"

namespace rooftile::perf {
namespace {

using Catch::Matchers::WithinRel;

Result result(const std::string& path, const std::string& math, const GemmShape& shape, bool aligned,
              double ratio) {
  Result r;
  r.path = path, r.backend = "cuda", r.dtype = math == "tf32" ? "fp32" : math, r.math = math;
  r.layout = "rcr", r.shape = shape, r.aligned = aligned, r.vendor_ratio = ratio, r.automatic = true;
  r.status = ratio > 0 ? "ok" : "unsupported";
  return r;
}

TEST_CASE("a product is aligned where each row of each operand has whole 16 bytes", "[suite]") {
  struct Case {
    Product product;
    std::size_t size;
    bool aligned;
  };
  const Product padded{.shape = {1000, 1000, 1000}, .layout = "rrr", .padding = 4};
  Product odd_padding = padded, offset_1 = padded, offset_2 = padded;
  odd_padding.padding = 1, offset_1.offset = 1, offset_2.offset = 2;
  const Case cases[] = {{{{1001, 1000, 1000}, "rrr"}, 4, true},  // no row has length m
                        {{{1001, 1000, 1000}, "crr"}, 4, false},
                        {{{1001, 1000, 1000}, "rrc"}, 4, false},
                        {{{1000, 1000, 1000}, "rrr"}, 2, true},
                        {{{1000, 1000, 999}, "rrr"}, 4, false},
                        {{{2000, 3000, 2500}, "rrr"}, 2, false},  // 5,000 bytes
                        {{{2000, 3000, 2500}, "rrr"}, 4, true},
                        {{{2000, 3000, 2502}, "rrr"}, 4, false},
                        {{{2000, 3000, 2502}, "crr"}, 4, true},
                        {{{2000, 3000, 2502}, "rrr"}, 8, true},
                        {{{4095, 4097, 4093}, "ccr"}, 8, false},
                        {padded, 4, true},
                        {odd_padding, 4, false},
                        {offset_1, 8, false},
                        {offset_2, 8, true}};
  for (const auto& [product, size, aligned] : cases) {
    CAPTURE(to_string(product), size);
    CHECK(is_aligned(product, size) == aligned);
  }
}

TEST_CASE("a product with a column-major C is computed as its transpose", "[suite]") {
  const Product p{.shape = {2, 3, 4}, .layout = "rcc", .batch = 5, .alpha = -1, .padding = 7};
  const Product computed = as_computed(p);
  CHECK((computed.shape == GemmShape{3, 2, 4} && computed.layout == "rcr"));
  CHECK((computed.batch == 5 && computed.alpha == -1 && computed.padding == 7));
}

TEST_CASE("a summary is the geometric mean and the worst of each path and math mode", "[suite]") {
  const GemmShape a{8, 8, 8}, b{16, 16, 16}, c{7, 7, 7};
  std::vector<Result> results{result("native", "fp32", a, true, 2),  result("native", "fp32", b, true, 0.5),
                              result("native", "fp32", c, false, 3), result("native", "tf32", a, true, 0.7),
                              result("vendor", "fp32", a, true, 1),  result("native", "fp32", a, true, 0)};
  results[4].automatic = false;
  results[1].peer_ratio = 4, results[2].peer_ratio = 9;
  const auto summaries = summaries_of(results);
  REQUIRE(summaries.size() == 2);
  const Summary& fp32 = summaries[0];
  CHECK((fp32.path == "native" && fp32.backend == "cuda" && fp32.math == "fp32"));
  CHECK_THAT(fp32.aligned.geometric_mean, WithinRel(1.0, 1e-12));
  CHECK(fp32.aligned.worst == 0.5);
  CHECK(fp32.aligned.worst_product == "16x16x16 rcr");
  CHECK((fp32.aligned.products == 2 && fp32.aligned.missing == 1));
  CHECK_THAT(fp32.unaligned.geometric_mean, WithinRel(3.0, 1e-12));
  CHECK(
      (summaries[1].dtype == "fp32" && summaries[1].math == "tf32" && summaries[1].unaligned.products == 0));
  CHECK(as_read(to_json(fp32))["aligned"]["worst_product"] == "16x16x16 rcr");
  CHECK_FALSE(as_read(to_json(summaries[1]))["unaligned"].contains("worst"));
  CHECK((fp32.all.products == 3 && fp32.all.slow == 1 && fp32.all.worst == 0.5));
  CHECK(as_read(to_json(fp32))["all"]["slow"] == 1);
  results[1].disturbed = "why";
  CHECK(summaries_of(results)[0].all.products == 2);
  CHECK_THAT(fp32.peer.geometric_mean, WithinRel(6.0, 1e-12));
  CHECK((fp32.peer.worst == 4 && fp32.peer.products == 2 && fp32.peer.missing == 2));
  CHECK(as_read(to_json(fp32))["peer"]["worst_product"] == "16x16x16 rcr");
  CHECK_FALSE(as_read(to_json(summaries[1])).contains("peer"));
}

using testing::FakeDevice;
using testing::refused;

/// A suite with these entries.
std::string with(const std::string& entries) {
  return R"({"suite": 1, "about": "x", "products": [)" + entries + "]}";
}

std::string refusal(const std::string& text) {
  return refused([&] { suite_of(text, "F"); });
}

TEST_CASE("every product of every shipped suite is planned", "[suite_file]") {
  REQUIRE(shipped_suites().size() >= 8);
  for (const ShippedSuite& shipped : shipped_suites()) {
    const Suite suite = read_suite(std::string(shipped.name));
    CHECK_FALSE(suite.about.empty());
    for (const Product& product : suite.products) {
      CAPTURE(shipped.name, to_string(product));
      const auto [shape, layout] = std::pair{as_computed(product).shape, as_computed(product).layout};
      for (const Mode& mode : modes) {
        if (mode.is_mixed()) continue;  // not on GPUs
        if (is_measured_if_named(mode.math) && product.modes.empty()) continue;
        if (!product.modes.empty() && std::count(product.modes.begin(), product.modes.end(), mode.name) == 0)
          continue;
        const GemmDesc desc =
            describe(shape, type_of(mode.math), product.batch, layout[0] == 'r', layout[1] == 'r');
        const GemmPlan planned = plan(desc, {}, testing::h200(Path::native, mode.math));
        CHECK(planned.kernel != Kernel::automatic);
        CHECK(planned.workspace < (std::size_t{1} << 34));
      }
    }
  }
}

TEST_CASE("an entry is each of its shapes in each of its layouts", "[suite_file]") {
  const Suite suite = suite_of(
      with(R"({"shapes": ["8", "2x3x4"], "layouts": ["rcr", "ccc"], "modes": ["tf32"], "devices": "gpu",
               "batch": 9, "pointers": true, "alpha": -1, "beta": 0.5, "padding": 3, "offset": 1},
              {"shapes": ["8"], "alpha": 0})"),
      "F", {.layout = "crr", .batch = 5, .beta = 2});
  REQUIRE(suite.products.size() == 5);
  CHECK(suite.about == "x");
  Product p{.shape = {8, 8, 8}, .layout = "rcr", .batch = 9, .pointers = true, .alpha = -1, .beta = 0.5};
  p.padding = 3, p.offset = 1, p.modes = {"tf32"}, p.devices = "gpu";
  CHECK(suite.products[0] == p);
  p.layout = "ccc";
  CHECK(suite.products[1] == p);
  p.shape = {2, 3, 4};
  CHECK(suite.products[3] == p);
  CHECK(to_string(p) == "2x3x4 ccc batch 9 by pointers alpha -1 beta 0.5 padding 3 offset 1");
  // Values that the entry lacks come from the options.
  CHECK(suite.products[4] == Product{.shape = {8, 8, 8}, .layout = "crr", .batch = 5, .alpha = 0, .beta = 2});
}

TEST_CASE("a random suite is one that can be read, the same for a seed, of all layouts and no product twice",
          "[suite_file]") {
  const RandomShapes shapes{.count = 200, .min = 2, .max = 40, .seed = 5};
  const std::string text = random_suite(shapes);
  CHECK(text == random_suite(shapes));
  CHECK(text != random_suite({.count = 200, .min = 2, .max = 40, .seed = 6}));
  const Suite suite = suite_of(text, "F");
  CHECK(suite.products.size() > 190);
  std::set<std::string> layouts;
  Index smallest = 40, largest = 2;
  int small = 0;
  for (const Product& p : suite.products) {
    layouts.insert(p.layout);
    for (const Index extent : {p.shape.m, p.shape.n, p.shape.k}) {
      smallest = std::min(smallest, extent), largest = std::max(largest, extent);
      small += extent < 9 ? 1 : 0;  // half of the powers of two
    }
  }
  CHECK(layouts.size() == 8);
  CHECK((smallest == 2 && largest == 40));
  CHECK((small > 250 && small < 350));
  // 2 extents and 8 layouts give 32 products, because transposed products count as one.
  CHECK(suite_of(random_suite({.count = 5000, .min = 1, .max = 2, .seed = 1}), "F").products.size() == 32);
}

TEST_CASE("the random products of a seed are larger on GPUs, and half of them have aligned rows",
          "[suite_file]") {
  const Suite suite = read_suite("random:5");
  CHECK(read_suite("random:5").products == suite.products);
  CHECK(read_suite("random:6").products != suite.products);
  for (const auto& [devices, largest] : {std::pair("gpu", 6000), {"cpu", 1500}}) {
    int products = 0, aligned = 0;
    for (const Product& p : suite.products) {
      if (p.devices != devices) continue;
      ++products, aligned += is_aligned(p, 2) ? 1 : 0;
      CHECK((std::min({p.shape.m, p.shape.n, p.shape.k}) >= 96));
      CHECK((std::max({p.shape.m, p.shape.n, p.shape.k}) <= largest));
    }
    CHECK((products == 60 && aligned >= 20 && aligned <= 40));
  }
  CHECK(refused([] { read_suite("random:-1"); }) ==
        "not a seed (--suite random:-1): write a whole number, such as random:1");
}

TEST_CASE("a file that is not a suite is refused, with the entry and the value", "[suite_file]") {
  const std::string advice = "): write a suite as docs/suite.schema.json says";
  for (const char* text : {"", "{", "nonsense", "[1,", "{\"suite\": 1e999}"}) {
    CAPTURE(text);
    CHECK(refusal(text).starts_with("not a suite (F, "));
    CHECK(refusal(text).ends_with(advice));
  }
  CHECK(refusal("[]") == "not an object (F,  []" + advice);
  CHECK(refusal("{}") == "missing member (F, /suite" + advice);
  CHECK(refusal(R"({"suite": 2})") == "format of another version (F, suite 2): this program reads 1");
  CHECK(refusal(R"({"suite": 1, "about": 3})") == "not a text (F, /about 3" + advice);
  CHECK(refusal(R"({"suite": 1, "about": "x"})") == "missing member (F, /products" + advice);
  CHECK(refusal(R"({"suite": 1, "about": "x", "products": 7})") == "not a list (F, /products 7" + advice);
  CHECK(refusal(with("")) == "no product (F, /products []" + advice);
  CHECK(refusal(with("5")) == "not an object (F, /products/0 5" + advice);
  CHECK(refusal(with("{}")) == "missing member (F, /products/0/shapes" + advice);
  const std::string good = R"({"shapes": ["4"]}, )";
  for (const auto& [entry, problem] :
       {std::pair{R"({"shapes": []})", "no product (F, /products/1/shapes []"},
        {R"({"shapes": ["8", "8y8"]})", "not a shape, MxNxK or one size (F, /products/1/shapes/1 \"8y8\""},
        {R"({"shapes": ["-8"]})", "not a shape, MxNxK or one size (F, /products/1/shapes/0 \"-8\""},
        {R"({"shapes": [8]})", "not a text (F, /products/1/shapes/0 8"},
        {R"({"shapes": ["8"], "layouts": ["rrr", "xyz"]})",
         "not a layout, r or c for each of A, B, C (F, /products/1/layouts/1 \"xyz\""},
        {R"({"shapes": ["8"], "layouts": []})", "no product (F, /products/1/layouts []"},
        {R"({"shapes": ["8"], "modes": ["fp4"]})", "not a compute mode (F, /products/1/modes/0 \"fp4\""},
        {R"({"shapes": ["8"], "devices": "tpu"})", "neither cpu nor gpu (F, /products/1/devices \"tpu\""},
        {R"({"shapes": ["8"], "batch": 0})", "not a positive number (F, /products/1/batch 0"},
        {R"({"shapes": ["8"], "batch": 2.5})", "not a whole number (F, /products/1/batch 2.5"},
        {R"({"shapes": ["8"], "batch": 1000001})", "more than 1000000 (F, /products/1/batch 1000001"},
        {R"({"shapes": ["8"], "smallest": 9})",
         "not one extent of at least the group's smallest, 9 (F, /products/1/shapes/0 \"8\""},
        {R"({"shapes": ["8x8x8"], "smallest": 4})",
         "not one extent of at least the group's smallest, 4 (F, /products/1/shapes/0 \"8x8x8\""},
        {R"({"shapes": ["8"], "smallest": 4, "pointers": true})",
         "not for a group (F, /products/1/pointers true"},
        {R"({"shapes": ["8"], "smallest": 4, "scales": "one"})",
         "not for a group (F, /products/1/scales \"one\""},
        {R"({"shapes": ["8"], "padding": -1})", "not a whole number (F, /products/1/padding -1"},
        {R"({"shapes": ["8"], "offset": 1000001})", "more than 1000000 (F, /products/1/offset 1000001"},
        {R"({"shapes": ["8"], "scales": "rows"})",
         "neither none, one, lines nor blocks (F, /products/1/scales \"rows\""},
        {R"({"shapes": ["8"], "alpha": "1"})", "not a number (F, /products/1/alpha \"1\""},
        {R"({"shapes": ["8"], "pointers": 1})", "not true or false (F, /products/1/pointers 1"}}) {
    CHECK(refusal(with(good + entry)) == problem + advice);
  }
  CHECK(refusal(with(good + R"({"shapes": ["8"], "layuot": "rcr"})")) ==
        "unknown member (F, /products/1/layuot \"rcr\"): take one of shapes, layouts, modes, devices, batch, "
        "pointers, smallest, alpha, beta, padding, offset, scales");
  CHECK(refusal(R"({"suite": 1, "about": "x", "products": [{"shapes": ["4"]}], "name": "y"})") ==
        "unknown member (F, /name \"y\"): take one of suite, about, products");
}

TEST_CASE("a suite may have lines that end with CR LF", "[suite_file]") {
  const Suite suite =
      suite_of("{\"suite\": 1,\r\n\"about\": \"x\",\r\n\"products\": [{\"shapes\": [\"8\"]}]}\r\n", "F");
  CHECK(suite.products == std::vector{Product{.shape = {8, 8, 8}}});
}

TEST_CASE("a suite that has a product twice in one run is refused", "[suite_file]") {
  for (const auto& [entries, twice] :
       {std::pair{R"({"shapes": ["8", "8x8x8"]})", true},
        {R"({"shapes": ["8"], "modes": ["fp32", "fp64"]}, {"shapes": ["8"], "modes": ["fp64"]})", true},
        {R"({"shapes": ["8"], "devices": "cpu"}, {"shapes": ["8"]})", true},
        {R"({"shapes": ["8"], "devices": "cpu"}, {"shapes": ["8"], "devices": "gpu"})", false},
        {R"({"shapes": ["8"], "modes": ["fp32"]}, {"shapes": ["8"], "modes": ["fp64"]})", false},
        {R"({"shapes": ["8"]}, {"shapes": ["8"], "padding": 1})", false}})
    CHECK(refusal(with(entries)) == (twice ? "product twice (F, 8x8x8 rrr): leave one out" : ""));
}

TEST_CASE("a suite is known by its name or its file", "[suite_file]") {
  const testing::ScratchFolder folder;
  const std::string file = folder / "mine.json";
  std::ofstream(file) << with(R"({"shapes": ["7"]})");
  CHECK(read_suite(file).products == std::vector{Product{.shape = {7, 7, 7}}});
  std::ofstream(file) << with("7");
  CHECK(refused([&] {
          read_suite(file);
        }).starts_with("not an object (--suite " + file + ", /products/0 7): "));
}

}  // namespace
}  // namespace rooftile::perf
