// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/replay.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "fake_device.hpp"
#include "perf/measure/memory_budget.hpp"
#include "plan/log_call.hpp"
#include "tests/support/random_products.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile::perf {
namespace {

using testing::FakeDevice;
using testing::refused;
using testing::ScratchFolder;

/// A log file with some lines.
class Log {
 public:
  explicit Log(const std::string& text) { std::ofstream(name()) << text; }
  std::string name() const { return folder_ / "calls.log"; }

 private:
  ScratchFolder folder_;
};

std::string line(const LoggedCall& call) {
  return std::string(LogLine(call).text()) + '\n';
}

LoggedCall call(const GemmShape& shape) {
  LoggedCall made;
  made.name = "DGEMM";
  LoggedProduct& p = made.product;
  p.type = Type::fp64, p.math = ComputeMode::fp64, p.shape = shape;
  p.a = {1, shape.m + 4, 32}, p.b = {shape.n, 1, 8}, p.c = {1, shape.m};
  return made;
}

TEST_CASE("a log is read as its distinct calls, whoever made them", "[replay]") {
  LoggedCall small = call({3, 4, 5}), timed = small, grouped = call({6, 7, 8}), idle = call({0, 4, 5});
  timed.seconds = 0.25, timed.kernel = "packed", timed.name = "cblas_dgemm";
  grouped.group = 9, grouped.times = 4;
  const Log log(line(small) + "# rooftile: no GPU part (x): products stay on the CPU\n" + line(idle) +
                line(grouped) + line(timed) + line(small));
  const Replay replay = read_replay(log.name());
  REQUIRE(replay.calls.size() == 2);
  const ReplayedCall &first = replay.calls[0], &second = replay.calls[1];
  CHECK((first.product == small.product && first.name == "DGEMM" && first.calls == 3));
  CHECK((first.seconds == 0.25 && !first.in_group));
  CHECK((first.line == 1 && second.line == 4));
  CHECK((second.product == grouped.product && second.calls == 4 && second.in_group));
  CHECK(replay.idle == 1);
  CHECK(title_of(first) == "fp64 3x4x5 crc (DGEMM, 3 calls)");
  CHECK(title_of(second) == "fp64 6x7x8 crc (DGEMM, 4 products of groups)");
  const Result said = result_of(first);
  CHECK(said.operands == "1,7,align32 4,1,align8 1,3,align256");
  CHECK((said.layout == "crc" && said.calls == 3 && said.alpha == 1 && said.beta == 0 && !said.aligned));
}

TEST_CASE("a log may have lines that end with CR LF", "[replay]") {
  std::string text = line(call({3, 4, 5}));
  text.insert(text.size() - 1, "\r");
  const Replay replay = read_replay(Log("# no call\r\n" + text + text).name());
  REQUIRE(replay.calls.size() == 1);
  CHECK((replay.calls[0].product == call({3, 4, 5}).product && replay.calls[0].calls == 2));
}

/// A mixed-type call. A and B have one-byte elements.
LoggedCall mixed_call() {
  LoggedCall mixed = call({3, 4, 5});
  mixed.product.type = Type::int8, mixed.product.math = ComputeMode::int8_int32,
  mixed.times = mixed.group = 2;
  return mixed;
}

TEST_CASE("a call takes memory for its operands, its results and all references", "[replay]") {
  LoggedProduct one = call({10, 200, 3000}).product;
  one.b = {1, 4000};  // gaps of 1000 elements after each column but the last
  const double a = 2999 * 14 + 10, b = 199 * 4000 + 3000, c = 2000, rows = 10;  // every row is checked
  const double reference = 8 * 200 * 3000 + rows * 8 * (2 * 200 + 1);
  CHECK(replay_bytes<double>(one, full_reference, false) == 8 * (a + b + 2 * c) + reference);
  CHECK(replay_bytes<double>(one, full_reference, true) == 8 * (2 * a + 2 * b + 3 * c) + reference);
  LoggedProduct batch = one;
  batch.count = 3, batch.c.every = 2000;
  CHECK(replay_bytes<double>(batch, full_reference, false) == 8 * (a + b + 6 * c) + 3 * reference);
  LoggedCall large = call({1'000'000, 1'000'000, 1'000'000});
  CHECK(lack_of<double>(large.product, 1, false, 5e9) == "4e+04 GB wanted, 5 GB free");
  CHECK(lack_of<double>(one, 1, false, 5e9).empty());
  const ReplayedCall read{large.product, "DGEMM", 1};
  CHECK(too_large("x.log", read, "2 GB wanted, 1 GB free").starts_with("too large for this machine (x.log:"));
}

TEST_CASE("a call that is left out has a result of each candidate", "[replay]") {
  FakeDevice device;
  testing::FakeKernel<double> one{"one", nullptr}, two{"two", nullptr};
  const perf::Candidate<double> first = one.on(device), second = two.on(device);
  ReplayedCall large{call({3, 4, 5}).product, "x", 7};
  large.product.count = 6, large.product.inner = 2;
  const std::vector<Result> out = results_left_out<double>(large, {&first, &second}, "too large (x)");
  REQUIRE(out.size() == 2);
  for (const Result& r : out) {
    CHECK((r.status == "unsupported" && r.reason == "too large (x)" && r.calls == 7));
    CHECK((r.shape.k == 5 && r.batch == 6 && r.inner == 2 && r.dtype == "fp64" && r.path == "test"));
  }
  CHECK((out[0].kernel == "one" && out[1].kernel == "two"));
  CHECK(left_out({{}, 0, {"a", "b"}}) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a call whose operands cannot be is refused with file and line", "[replay]") {
  LoggedCall folded = call({3, 4, 5});
  folded.product.c = {1, 1};
  const Log log(line(call({3, 4, 5})) + line(folded));
  CHECK(refused([&] { require_layouts("x.log", read_replay(log.name())); }) ==
        "--replay x.log:2: elements of C overlap (3 x 4, strides 1 and 1): give a leading dimension of at "
        "least a row or column");
}

TEST_CASE("tables are tuned on a log's single products of one type, each once", "[replay]") {
  LoggedCall scaled = call({3, 4, 5}), batch = scaled, nothing = scaled;
  scaled.product.alpha = Factor::other, scaled.product.beta = Factor::one;
  batch.product.count = 3, nothing.product.alpha = Factor::zero;
  const Log log(line(mixed_call()) + line(call({3, 4, 5})) + line(scaled) + line(batch) + line(nothing) +
                line(call({0, 4, 5})));
  CHECK(left_out(read_replay(log.name())) == std::vector<std::string>{"1 call had nothing to compute"});
  const SingleProducts found = single_products(log.name());
  CHECK(found.products == std::vector{call({3, 4, 5}).product});
  std::vector<std::string> left = found.left_out;
  std::sort(left.begin(), left.end());
  CHECK(left == std::vector<std::string>{
                    "1 call had nothing to compute",
                    "1 call of batches or with an epilogue left out: tables hold single products",
                    "1 call that only scaled C left out",
                    "2 calls of mixed types left out: they have one kernel"});
  for (const LoggedCall& other : {mixed_call(), batch}) {
    const Log alone(line(other));
    CHECK(testing::problem([&] { single_products(alone.name()); }) ==
          "no single product (--replay " + alone.name() + ")");
  }
}

TEST_CASE("a damaged line of a log is refused with file and line", "[replay]") {
  const std::string good = line(call({3, 4, 5}));
  for (const auto& [text, problem] :
       {std::pair{good + "hello\n", std::string("missing rooftile_log= (LOG:2, 'hello')")},
        {good + good.substr(0, 12), "incomplete line (LOG:2, 'rooftile_log')"},
        {good + std::string(5000, 'x') + '\n', "incomplete line (LOG:2, '" + std::string(80, 'x') + "')"},
        {"a\tb\r\x01", R"(incomplete line (LOG:1, 'a\tb\r\x01'))"},
        {good + "m=\tx\r\n", R"(missing rooftile_log= (LOG:2, 'm=\tx'))"},
        {std::string("a\0b\n", 4), "incomplete line (LOG:1, 'a')"},
        {"", "no call with something to compute (--replay LOG)"}}) {
    const Log log(text);
    std::string found = testing::problem([&] { read_replay(log.name()); });
    if (const std::size_t at = found.find(log.name()); at != found.npos)
      found.replace(at, log.name().size(), "LOG");
    CHECK(found == problem);
  }
  CHECK(testing::problem([] { read_replay("/nowhere/x"); }) ==
        "cannot read (--replay /nowhere/x, No such file or directory)");
}

/// The operands as a log line would describe them.
template <class T>
LoggedProduct logged(Operands<T>& operands, const LoggedProduct& like) {
  LoggedProduct again = rooftile::detail::logged_product(operands.on_device(), like.epilogue);
  again.math = like.math;
  return again;
}

TEST_CASE("operands of two dimensions lie as a log says", "[replay]") {
  FakeDevice device;
  LoggedProduct product = call({3, 4, 5}).product;
  product.count = 6, product.inner = 2;
  product.a = {10, 1, 8, false, 5, false, 40}, product.b = {4, 1, 8, false, 0, false, -24};
  for (const bool pointers : {false, true}) {
    product.c = {1, 3, 8, false, pointers ? 0 : 40, pointers, pointers ? 0 : 12};
    INFO(LogLine({.product = product}).text());
    Operands<double> operands(device, product, testing::seed);
    operands.fill(Values::uniform);
    CHECK(logged(operands, product) == product);
    const BatchArgs<double> at = operands.on_host();
    CHECK((at.a(5) == at.first.A.data + 85 && at.b(5) == at.first.B.data - 48));
    CHECK(operands.result()[5].data - operands.result()[0].data == (pointers ? 5 * at.batch.stride_c : 64));
    CHECK(parse_logged(LogLine({.product = product}).text(), "calls.log", 1).product == product);
  }
  product.c = {1, 3, 8, false, 4, false, 12};
  CHECK(
      refused([&] { Operands<double>(device, product, testing::seed); }) ==
      "products overlap (C 3 x 4, strides 1 and 3, batch stride 4 elements, inner count 2, outer stride 12): "
      "give a batch stride of at least a matrix");
}

TEST_CASE("operands of mixed types lie as a log says, each by its own elements", "[replay]") {
  FakeDevice device;
  for (const bool pointers : {false, true}) {
    LoggedProduct product = mixed_call().product;
    product.a = {5, 1, 2, false, pointers ? 0 : 17, pointers};
    product.b = {-4, 1, 1, false, 0, false}, product.c = {1, 3, 8, false, pointers ? 0 : 14, pointers};
    product.alpha = Factor::other, product.count = 3;
    INFO(LogLine({.product = product}).text());
    Operands<Mixed<std::int8_t, std::int32_t>> operands(device, product, testing::seed);
    operands.fill(Values::uniform);
    CHECK(logged(operands, product) == product);
    CHECK(operands.on_host().first.alpha == 3);
    operands.reset();
    CHECK(operands.result()[2](2, 3) == std::numeric_limits<std::int32_t>::max());  // not written yet
    const Result said = result_of({product, "x", 1});
    CHECK((said.alpha == 3 && !said.aligned));
  }
  LoggedProduct aligned = mixed_call().product;
  aligned.a = {16, 1, 16}, aligned.b = {16, 1, 16}, aligned.c = {4, 1, 16};
  CHECK(result_of({aligned, "x", 1}).aligned);
  aligned.a.row_stride = 4;  // a row of A has 4 bytes
  CHECK_FALSE(result_of({aligned, "x", 1}).aligned);
}

template <class T>
void replay_random_products(std::uint64_t seed) {
  std::vector<T> memory(200000);
  T* const x = memory.data();
  testing::RandomProducts<T> products(seed, x, x + 50000, x + 100000, 20000);
  std::mt19937_64 random(seed);
  FakeDevice device;
  for (int i = 0; i < 40; ++i) {
    const BatchArgs<T> args = products.draw();
    LoggedProduct product = rooftile::detail::logged_product(args, false);
    for (LoggedOperand* operand : {&product.a, &product.b, &product.c}) {
      operand->conjugated = is_complex(product.type) && random() % 2 == 0;
      if (product.count > 1 && random() % 3 == 0) operand->pointers = true, operand->every = 0;
    }
    INFO(LogLine({.product = product}).text());
    Operands<T> operands(device, product, seed);
    operands.fill(Values::uniform);
    CHECK(logged(operands, product) == product);
    const BatchArgs<T> host = operands.on_host(), there = operands.on_device();
    for (const Index last : {Index{0}, product.count - 1}) {
      const GemmArgs<T> h = host.product(last), d = there.product(last);
      const auto same = [](const auto& X, const auto& Y) {
        if (X.rows == 0 || X.cols == 0) return true;
        return X.value(0, 0) == Y.value(0, 0) &&
               X.value(X.rows - 1, X.cols - 1) == Y.value(X.rows - 1, X.cols - 1);
      };
      CHECK(same(h.A, d.A));
      CHECK(same(h.B, d.B));
    }
  }
  CHECK(device.buffers == 0);
}

TEST_CASE("operands of a replay lie as those of the call", "[replay]") {
  replay_random_products<float>(1);
  replay_random_products<double>(2);
  replay_random_products<float16>(3);
  replay_random_products<complex<double>>(4);
}

TEST_CASE("operands of a replay that cannot be are refused", "[replay]") {
  FakeDevice device;
  LoggedProduct folded = call({3, 4, 5}).product, endless = folded;
  folded.c = {1, 1}, endless.a = {std::numeric_limits<Index>::max(), 1};
  CHECK(
      refused([&] { Operands<double>(device, folded, 1); }) ==
      "elements of C overlap (3 x 4, strides 1 and 1): give a leading dimension of at least a row or column");
  CHECK(refused([&] {
          Operands<double>(device, endless, 1);
        }).starts_with("extent times stride overflows for A"));
  LoggedProduct backwards = call({3, 4, 5}).product;
  backwards.a = {-8, -1, 8};
  Operands<double> operands(device, backwards, 1);
  operands.fill(Values::integers);
  CHECK(logged(operands, backwards) == backwards);
  CHECK(operands.on_host().first.A(2, 4) == operands.on_device().first.A(2, 4));
}

}  // namespace
}  // namespace rooftile::perf
