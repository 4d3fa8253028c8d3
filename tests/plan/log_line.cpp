// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/log_line.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/refused.hpp"

namespace rooftile {
namespace {

/// Draws calls of all kinds.
class RandomCalls {
 public:
  LoggedCall draw() {
    LoggedCall call;
    LoggedProduct& p = call.product;
    p.math = all_modes[below(mode_count)], p.type = type_of(p.math);
    p.shape = {extent(), extent(), extent()};
    p.count = below(3) == 0 ? extent() : 1;
    if (below(3) == 0)
      p.inner = static_cast<Index>(1 + below(300)), p.count = p.inner * static_cast<Index>(below(90));
    for (LoggedOperand* x : {&p.a, &p.b}) *x = operand(p.type, p.inner > 0);
    p.c = operand(mode_of(p.math).result, p.inner > 0);
    p.alpha = factor(), p.beta = factor();
    p.epilogue = below(4) == 0;
    if (below(4) == 0)
      call.group = std::max<Index>(1, extent()), call.times = 1 + static_cast<Index>(below(2));
    if (call.times > call.group) call.times = 1;
    call.name = pick({"rooftile::gemm", "cblas_dgemm", "DGEMM", "-"});
    call.path = pick({"portable", "native", "-"}), call.kernel = pick({"packed", "pipelined+repack", "-"});
    call.tile = pick({"64x128x16", "8x8", "-"}), call.how = pick({"panels", "unpacked", "-"});
    call.why = pick({"a_CPU:_blocks=its_caches'", "-"});
    if (below(2) == 0) call.seconds = static_cast<double>(below(1000000)) * 1e-9;
    return call;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::string_view pick(std::initializer_list<std::string_view> of) {
    return *(of.begin() + below(of.size()));
  }
  Factor factor() { return static_cast<Factor>(below(4)); }
  Index extent() {
    return below(8) == 0 ? std::numeric_limits<Index>::max()
                         : static_cast<Index>(below(3) > 0 ? below(5000) : 0);
  }
  Index stride() {
    if (below(8) == 0) return std::numeric_limits<Index>::min();
    return static_cast<Index>(below(5000)) - 2000;
  }
  LoggedOperand operand(Type type, bool nested) {
    LoggedOperand x{stride(), stride(), Index{1} << below(9), is_complex(type) && below(2) == 0};
    if (below(3) == 0) x.pointers = true;
    if (!x.pointers && below(2) == 0) x.every = stride();
    if (!x.pointers && nested && below(2) == 0) x.outer = stride();
    if (type != Type::fp8) return x;
    if (below(2) == 0) x.format = Float8Format::e5m2;
    const auto extent_or_stride = [&] { return static_cast<Index>(1 + below(5000)); };
    if (below(2) == 0)
      x.scales = {nullptr,
                  extent_or_stride(),
                  extent_or_stride(),
                  extent_or_stride(),
                  extent_or_stride(),
                  static_cast<Index>(below(5000))};
    return x;
  }

  std::mt19937_64 random_{20261124};
};

LoggedCall parse(std::string_view line) {
  return parse_logged(line, "calls.log", 7);
}

TEST_CASE("a call is the same after it is written to a line and read again", "[log]") {
  RandomCalls calls;
  for (int i = 0; i < 5000; ++i) {
    const LoggedCall call = calls.draw();
    const LogLine line(call);
    INFO(line.text());
    CHECK(parse(line.text()) == call);
    CHECK(LogLine(parse(line.text())).text() == line.text());
  }
}

LoggedCall usual() {
  LoggedCall call;
  call.name = "DGEMM", call.path = "portable", call.kernel = "packed", call.tile = "96x512x256";
  LoggedProduct& p = call.product;
  p.type = Type::fp64, p.math = ComputeMode::fp64, p.shape = {500, 300, 200};
  p.a = {1, 512, 64}, p.b = {300, 1, 16}, p.c = {1, 500};
  return call;
}

TEST_CASE("the words of a line are those of version 1", "[log]") {
  LoggedCall call = usual();
  CHECK(LogLine(call).text() ==
        "rooftile_log=1 call=DGEMM type=fp64 m=500 n=300 k=200 a=1,512,align64 b=300,1,align16 "
        "c=1,500,align256 alpha=1 beta=0 count=1 math=fp64 path=portable kernel=packed tile=96x512x256 how=- "
        "why=-");
  call.product.type = Type::fp16, call.product.math = ComputeMode::fp16_fp32;
  CHECK(LogLine(call).text().starts_with("rooftile_log=1 call=DGEMM type=fp16 result=fp32 m=500 "));
  call.product.type = Type::fp8, call.product.math = ComputeMode::fp8_bf16;
  call.product.a.format = Float8Format::e5m2, call.product.a.scales = {nullptr, 500, 2, 1, 512};
  CHECK(LogLine(call).text().find(" a=1,512,align64,e5m2,scales500x2:1:512:0 b=") != std::string_view::npos);
  call.why = "fits its\tcaches\n", call.tile = "";
  CHECK(LogLine(call).text().ends_with(" tile=- how=- why=fits_its_caches_"));
}

TEST_CASE("a line with the longest texts and numbers is written whole", "[log]") {
  const std::string endless(5000, 'x');
  LoggedCall call = usual();
  call.name = call.path = call.kernel = call.tile = call.how = call.why = endless;
  constexpr Index least = std::numeric_limits<Index>::min(), most = std::numeric_limits<Index>::max();
  LoggedProduct& p = call.product;
  p.type = Type::cfp64, p.math = ComputeMode::cfp64, p.shape = {most, most, most}, p.count = most;
  p.a = p.b = p.c = {least, least, 256, true, least, false, least}, p.inner = most;
  call.group = call.times = most, p.epilogue = true, call.seconds = 1.2345678901234567e-300;
  std::string written;
  const LogSink sink{[](const char* line, std::size_t length, void* to) {
                       static_cast<std::string*>(to)->assign(line, length);
                     },
                     &written};
  LogLine(call).write(sink);
  REQUIRE(written.ends_with('\n'));
  written.pop_back();
  CHECK(parse(written).product == p);
  CHECK(parse(written).seconds == call.seconds);

  p.type = Type::fp8, p.math = ComputeMode::fp8_fp32;
  for (LoggedOperand* x : {&p.a, &p.b}) {
    x->conjugated = false, x->format = Float8Format::e5m2;
    x->scales = {nullptr, most, most, most, most, most};
  }
  p.c.conjugated = false;
  LogLine(call).write(sink);
  REQUIRE(written.ends_with('\n'));
  written.pop_back();
  CHECK(parse(written).product == p);
}

TEST_CASE("a damaged line is refused with its place and the value", "[log]") {
  const std::string good(LogLine(usual()).text());
  REQUIRE(parse(good) == usual());
  struct Damage {
    std::string_view from, to, problem, value;
  };
  const Damage all[] = {
      {"rooftile_log=1", "rooftile_log=2", "log of another version", "2"},
      {"rooftile_log=1 ", "", "missing rooftile_log=", "call=DGEMM"},
      {"m=500", "m=-500", "not a number of m", "-500"},
      {"m=500", "m=99999999999999999999", "not a number of m", "99999999999999999999"},
      {"n=300", "n=0x8", "not a number of n", "0x8"},
      {"k=200 ", "", "missing k=", "a=1,512,align64"},
      {"k=200", "k=200  ", "missing a=", ""},
      {"type=fp64", "type=fp9", "unknown type", "fp9"},
      {"math=fp64", "math=fp32", "mode of another type", "fp32"},
      {"type=fp64", "type=fp32 result=fp64", "mode of another type", "fp64"},
      {"type=fp64", "type=fp64 result=fp64", "mode of another type", "fp64"},
      {"type=fp64", "type=fp64 result=fp32", "mode of another type", "fp64"},
      {"math=fp64", "math=fp32_fp64", "mode of another type", "fp32_fp64"},
      {"type=fp64", "type=fp64 result=fp9", "unknown result", "fp9"},
      {"alpha=1", "alpha=2", "unknown alpha", "2"},
      {"count=1", "count=4 inner=3", "invalid inner dimension of a batch", "3"},
      {"align64", "align64,outer7", "invalid inner dimension of a batch", "0"},
      {"align64", "align65", "not an alignment", "1,512,align65"},
      {"a=1,512,align64", "a=1,512", "not an operand", "1,512"},
      {"a=1,512,align64", "a=1,512,align64,conj", "extra text after an operand", "1,512,align64,conj"},
      {"a=1,512,align64", "a=1,512,align64,", "extra text after an operand", "1,512,align64,"},
      {"align64", "align64,pointers,every8", "extra text after an operand", "1,512,align64,pointers,every8"},
      {"align64", "align64,every8,pointers", "extra text after an operand", "1,512,align64,every8,pointers"},
      {"align64", "align64,every0", "matrix distance of 0", "1,512,align64,every0"},
      {"count=1", "count=1 times=3", "more products than the group has", "3"},
      {"count=1", "count=1 epilogue=no", "not an epilogue", "no"},
      {"why=-", "why=- seconds=nan", "not a time", "nan"},
      {"why=-", "why=- seconds=-1", "not a time", "-1"},
      {"why=-", "why=- and more", "extra text after the last word", "and more"},
      {"m=500", "m=5\r00", "invalid value of m", R"(m=5\r00)"},
      {"why=-", "why=-\x01\x7f", "invalid value of why", R"(why=-\x01\x7f)"},
      {"why=-", "why=-\r\r", "invalid value of why", R"(why=-\r)"},
      {"why=-", "why=- ", "blank at the end", " "},
  };
  for (const auto& [from, to, problem, value] : all) {
    INFO(to);
    std::string line = good;
    const std::size_t at = line.find(from);
    REQUIRE(at != line.npos);
    line.replace(at, from.size(), to);
    const std::string refusal = testing::refused([&] { parse(line); });
    CHECK(refusal.starts_with(detail::text(problem, " (calls.log:7, '", value, "'): ")));
  }
  CHECK(parse(good + '\r') == usual());
  for (std::size_t length = 0; length < good.size() - 1; ++length)
    CHECK_THROWS_AS(parse(std::string_view(good).substr(0, length)), Error);
}

}  // namespace
}  // namespace rooftile
