// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// What no command takes: texts that are no numbers, numbers beyond what the model counts, options without the
// one that they modify, empty texts.
#include <catch2/matchers/catch_matchers_string.hpp>

#include "run_program.hpp"

namespace {

using Catch::Matchers::ContainsSubstring;

struct Refused {
  std::string command;
  std::string message;
};

void refuses(const std::vector<Refused>& all) {
  for (const auto& [command, message] : all) {
    CAPTURE(command);
    const Ran ran = run_program(command);
    CHECK(ran.status == 2);
    CHECK_THAT(ran.text, ContainsSubstring(message));
    CHECK(ran.text.size() < 400);  // no range of hundreds of digits
  }
}

TEST_CASE("what is no number is refused and named", "[model]") {
  const std::string product = "--m 64 --n 64 --k 64 ", sm = "occupancy --device A100 --threads 64 ";
  refuses({
      {"divergence --m 64x --n 64 --k 64", "--m: not a whole number (64x): give 1 to 2147483647"},
      {"divergence --m 0x10 --n 64 --k 64", "--m: not a whole number (0x10)"},
      {"divergence --m 8.5 --n 64 --k 64", "--m: not a whole number (8.5)"},
      {"divergence --m 0 --n 64 --k 64", "--m: out of range (0): give 1 to 2147483647"},
      {"divergence --m -1 --n 64 --k 64", "--m: out of range (-1)"},
      {"roofline --device A100 " + product + "--tile 16x16x16garbage", "not a tile (--tile 16x16x16garbage"},
      {"roofline --device A100 " + product + "--tile 99999999999", "not a tile (--tile 99999999999"},
      {"roofline --device A100 " + product + "--tile 16 --thread-tile 2x2x2",
       "not a thread's tile (--thread-tile 2x2x2)"},
      {"roofline --device A100 --intensity x", "--intensity: not a number (x): give a positive number"},
      {"roofline --device A100 --intensity inf", "--intensity: out of range (inf)"},
      {sm + "--smem KB", "--smem: not a number of bytes (KB): give 0 to 2147483647, such as 4096 or 4KB"},
      {sm + "--smem 99999999GB", "--smem: out of range (99999999GB)"},
      {sm + "--grid 4x", "not a count (--grid 4x): write 256 or 16x16"},
      {"explain " + product + "--ranks 4 --link 0", "--link: out of range (0): give 1e-06 to 1e+06"},
      {"bench --reference nan", "--reference: not a number (nan): give 1 to 1e+18"},
      {"bench --seed -1", "--seed: out of range (-1): give 0 to 18446744073709551615"},
      {"bench --seed 1e3", "--seed: not a whole number (1e3)"},
      {"bench --samples 010x", "--samples: not a whole number (010x)"},
      {"tune --table x --seed -1", "--seed: out of range (-1)"},
      {"calibrate --table x --samples 3", "--samples: out of range (3): give 4 to 100000"},
      {"tune --table x --margin nan", "--margin: not a number (nan): give 0 to 10"},
  });
  const Ran ten = run_program("divergence --m 010 --n 10 --k 10 --json");
  CHECK(ten.text == run_program("divergence --m 10 --n 10 --k 10 --json").text);
}

TEST_CASE("numbers beyond what the model counts are refused and named", "[model]") {
  refuses({
      {"latency --cycles 1e30", "too many to count (6.25e+28 from 1e+30 cycles of latency"},
      {"latency --cycles 1e300", "--cycles: out of range (1e300)"},
      {"latency --ns 10 --bandwidth-gbs 10 --access-bytes 1e-300", "--access-bytes: out of range (1e-300)"},
      {"latency --ns 10 --bandwidth-gbs 10 --access-bytes 1e-99", "1e-99 bytes of a thread"},
      {"memory --bus-bits 64 --clock-ghz 1 --wanted-gbs 1e308", "--wanted-gbs: out of range (1e308)"},
      {"memory --bus-bits 64 --clock-ghz 1 --wanted-gbs 1e99", "1e+99 GB/s wanted"},
      {"memory --lookup-ns 1e90 --transfer-ns 1", "1e+90 ns of lookup"},
      {"divergence --m 20000000 --n 20000000 --k 20000000 --tile 1", "(20000000x20000000x20000000)"},
      {"occupancy --max-threads 2147483647 --threads 1",
       "--max-threads: out of range (2147483647): give 1 to 1048576"},
      {"occupancy --max-threads 64 --max-smem 1GB --threads 1 --sweep smem --step 1",
       "sweep too long (1073741824 rows"},
      {"explain --m 64 --n 64 --k 64 --regs 2147483647",
       "too many registers (--regs 2147483647, a thread of H200 has 256)"},
      {"explain --m 64 --n 64 --k 64 --device CPU --path portable",
       "no peak rate is known (--device CPU --math fp32)"},
  });
  // 20,000,000³ in tiles of 16 has 2·10¹⁹ warp-phases.
  CHECK(run_program("divergence --m 20000000 --n 20000000 --k 20000000").status == 2);
}

TEST_CASE("an option without the one that it modifies is refused", "[model]") {
  const std::string sm = "occupancy --device A100 --threads 64 ";
  refuses({
      {sm + "--sms 4", "--sms requires --grid"},
      {sm + "--step 2KB", "--step requires --sweep"},
      {sm + "--step 2KB --sweep regs", "no shared memory is swept over (--step 2048)"},
      {sm + "--mode textbook --barriers 2", "textbook mode has neither (--barriers 2, --carveout 100)"},
      {sm + "--mode textbook --carveout 50", "textbook mode has neither (--barriers 1, --carveout 50)"},
      {"memory --value-bytes 8", "--value-bytes requires --shared-values"},
      {"memory --transfers 4", "--transfers requires --bus-bits"},
      {"memory --lanes 16", "--lanes requires --stride"},
      {"memory --banks 16", "--banks requires --stride"},
      {"latency --ns 4 --bandwidth-gbs 1 --issue 2", "--issue requires --cycles"},
      {"latency --ns 4 --bandwidth-gbs 1 --per-access 2", "--per-access requires --cycles"},
      {"latency --cycles 4 --device A100", "--device requires --ns"},
      {"latency --cycles 4 --bandwidth-gbs 4", "--bandwidth-gbs requires --ns"},
      {"latency --cycles 4 --access-bytes 4", "--access-bytes requires --ns"},
      {"latency --cycles 4 --accesses 4", "--accesses requires --ns"},
      {"divergence --m 4 --n 4 --k 4 --block 64", "no block is looked at (--block)"},
      {"divergence --vector 4 --tile 8", "--tile requires --m"},
      {"divergence --n 4", "--n requires --m"},
      {"explain --m 8 --n 8 --k 8 --device A100 --kernel naive --tuning x",
       "nothing here asks a tuning table (--tuning x)"},
  });
}

TEST_CASE("an empty text is refused wherever a value is wanted", "[model]") {
  refuses({
      {"roofline --device A100 --plot ''", "--plot: empty"},
      {"explain --m 8 --n 8 --k 8 --measured ''", "--measured: empty"},
      {"explain --m 8 --n 8 --k 8 --tuning ''", "--tuning: empty"},
      {"explain --m 8 --n 8 --k 8 --kernel ''", "--kernel: empty"},
      {"bench --json ''", "--json: empty"},
      {"bench --kernel ''", "--kernel: empty"},
      {"bench --samples ''", "--samples: empty"},
      {"tune --table ''", "--table: empty"},
      {"calibrate --table ''", "--table: empty"},
      {"devices ''", "NAME: empty"},
      {"portability ''", "FILE: empty"},
      {"occupancy --device '' --threads 64", "--device: empty"},
  });
}

TEST_CASE("only kernels that run there are recommended", "[model]") {
  const Ran ran = run_program("bench --dtype fp64 --math tf32");  // no machine has that
  CHECK(ran.status == 2);
  const std::string host = "portable on openmp (";
  const std::size_t begin = ran.text.find(host);
  if (begin == ran.text.npos) SKIP("no portable path on OpenMP");
  const std::string kernels = ran.text.substr(begin, ran.text.find(')', begin) - begin);
  CHECK_THAT(kernels, ContainsSubstring("packed") && ContainsSubstring("tiled_checked"));
  CHECK_THAT(kernels, !ContainsSubstring("pipelined") && !ContainsSubstring("single_block"));
}

}  // namespace
