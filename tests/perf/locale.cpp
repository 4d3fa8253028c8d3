// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Numbers in files and messages are independent of the program's locale.
#include <locale>
#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "perf/parse.hpp"
#include "perf/record/json_value.hpp"
#include "plan/log_line.hpp"
#include "rooftile/tuning_file.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::perf {
namespace {

/// Formats 12345.5 as `12.345,5`.
class German : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Sets the global locale to `German` while an object exists.
class InGermany {
 public:
  InGermany() : before_(std::locale::global(std::locale(std::locale::classic(), new German))) {}
  InGermany(const InGermany&) = delete;
  InGermany& operator=(const InGermany&) = delete;
  ~InGermany() { std::locale::global(before_); }

 private:
  std::locale before_;
};

/// Returns f() called in the German locale.
template <class F>
auto in_germany(const F& f) {
  const InGermany there;
  return f();
}

TEST_CASE("a tuning table is written and read alike in any locale", "[locale]") {
  const TuningTable table{"NVIDIA H200",
                          {{.path = Path::native,
                            .math = ComputeMode::fp32,
                            .shape = {1024, 2048, 4096},
                            .nanoseconds = 64992,
                            .model_nanoseconds = 1234567}},
                          {{.path = Path::native, .math = ComputeMode::fp32, .repack_start = 6100.25F}}};
  const std::string text = in_germany([&] { return to_text(table); });
  CHECK(text == to_text(table));
  CHECK(text.find("mode native fp32 repack_start=6100.25 ") != text.npos);
  CHECK(text.find("native fp32 1024x2048x4096 rrr aligned automatic - 64992 1234567\n") != text.npos);
  const TuningTable read = in_germany([&] { return parse_tuning(text, "x"); });
  CHECK(to_text(read) == text);
}

TEST_CASE("a message has its numbers alike in any locale", "[locale]") {
  CHECK(in_germany([] { return (std::ostringstream() << 12345.5).str(); }) ==
        "12.345,5");  // the locale is in effect
  CHECK(in_germany([] { return detail::text(12345, " x ", 6, ", ", 0.5); }) == "12345 x 6, 0.5");
  const auto refusal = [] { return testing::refused([] { parse_extents("--grid", "x"); }); };
  CHECK(in_germany(refusal) == "not a count (--grid x): write 256 or 16x16, 1 to 2147483647 in all");
}

TEST_CASE("a line of a log is written and read alike in any locale", "[locale]") {
  LoggedCall call;
  call.product.shape = {12345, 6789, 1000000}, call.seconds = 1234.5;
  const auto line_of = [&] { return std::string(LogLine(call).text()); };
  const std::string line = in_germany(line_of);
  CHECK(line == line_of());
  CHECK(line.find(" m=12345 n=6789 k=1000000 ") != line.npos);
  CHECK(line.ends_with(" seconds=1234.5"));
  CHECK(in_germany([&] { return parse_logged(line, "x", 1); }) == call);
}

TEST_CASE("JSON has its numbers alike in any locale", "[locale]") {
  CHECK(in_germany([] {
          return Json{{"m", 64992}, {"ms", 12345.5}}.dump();
        }) == R"({"m":64992,"ms":12345.5})");
}

}  // namespace
}  // namespace rooftile::perf
