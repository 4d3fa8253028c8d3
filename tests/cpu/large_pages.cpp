// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/large_pages.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "cpu/caches.hpp"

namespace rooftile::portable {
namespace {

#ifdef MADV_HUGEPAGE

/// Reserved address space that nothing else uses.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    memory_ =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~Pages() { munmap(memory_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  /// The first address that is aligned to a large page.
  std::uintptr_t begin() const {
    return (reinterpret_cast<std::uintptr_t>(memory_) + large_page - 1) / large_page * large_page;
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// The address range for which the process requested large pages: begin and end.
std::optional<std::pair<std::uintptr_t, std::uintptr_t>> asked_for(std::uintptr_t low, std::uintptr_t high) {
  std::ifstream maps("/proc/self/smaps");
  std::uintptr_t begin = 0, end = 0;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t first = 0, last = 0;
    char dash = 0;
    if (words >> std::hex >> first >> dash >> last && dash == '-') begin = first, end = last;
    const bool inside = begin >= low && end <= high;
    if (inside && line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos)
      return {{begin, end}};
  }
  return std::nullopt;
}

TEST_CASE("large pages are asked for only where the caller has a whole one", "[large_pages]") {
  CHECK(large_page == 2 * 1024 * 1024);
  const Pages pages(8 * large_page);
  const std::uintptr_t first = pages.begin(), high = first + 7 * large_page;
  const auto ask = [](std::uintptr_t from, std::size_t bytes) {
    want_large_pages(reinterpret_cast<void*>(from), bytes);
  };
  ask(first + 4096, 2 * large_page - 8192);  // contains no whole large page
  ask(first, large_page - 4096);
  CHECK_FALSE(asked_for(first, high));
  ask(first + large_page + 4096, 3 * large_page);
  const auto found = asked_for(first, high);
  const Pages others(4 * large_page);
  madvise(reinterpret_cast<void*>(others.begin()), large_page, MADV_HUGEPAGE);
  if (!asked_for(others.begin(), others.begin() + large_page))
    SKIP("this system has no large pages, or does not tell");
  REQUIRE(found);
  CHECK(*found == std::pair{first + 2 * large_page, first + 4 * large_page});
}

#endif

TEST_CASE("a cache has the size that the system tells, or the usual one", "[caches]") {
  CHECK(cache_bytes(99, 12345) == 12345);
  for (const int level : {1, 2, 3}) {
    Index told = 999;
    for (int index = 5; index >= 0; --index) {
      const auto word = [&](const std::string& file) {
        std::ifstream stream("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + '/' + file);
        return std::string(std::istreambuf_iterator<char>(stream), {});
      };
      if (word("level") == std::to_string(level) + '\n' && word("type") != "Instruction\n")
        told = 1024 * std::stoll(word("size"));
    }
    CHECK(cache_bytes(level, 999) == told);
  }
}

}  // namespace
}  // namespace rooftile::portable
