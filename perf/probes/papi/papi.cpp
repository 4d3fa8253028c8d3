// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Counters of CPUs, as PAPI reads them, of all threads of the process.
#include <filesystem>

#include <papi.h>

#include "../counters.hpp"

namespace rooftile::perf {
namespace {

struct PapiRow {
  const char* tag;
  int event;
};
constexpr PapiRow rows[] = {
    {"flops_fp32", PAPI_SP_OPS}, {"flops_fp64", PAPI_DP_OPS}, {"l1_misses", PAPI_L1_DCM},
    {"l2_misses", PAPI_L2_TCM},  {"l3_misses", PAPI_L3_TCM},  {"instructions", PAPI_TOT_INS},
    {"cycles", PAPI_TOT_CYC}};

[[noreturn]] void refuse(const std::string& why) {
  throw NoCounters(rooftile::detail::text(
      "PAPI counts nothing here (", why,
      "): in a virtual machine, let it have performance counters; else set kernel.perf_event_paranoid to 2 or "
      "less"));
}

void require(int status, const char* function) {
  if (status != PAPI_OK) refuse(rooftile::detail::text(function, ", ", PAPI_strerror(status)));
}

/// An event on each of the threads that the process has now, which are those that compute: a pool's are
/// there before the first product ends.
class EventOfAll {
 public:
  explicit EventOfAll(int event) {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      int set = PAPI_NULL;
      require(PAPI_create_eventset(&set), "PAPI_create_eventset");
      sets_.push_back(set);
      require(PAPI_assign_eventset_component(set, 0), "PAPI_assign_eventset_component");
      require(PAPI_attach(set, std::stoul(thread.path().filename())), "PAPI_attach");
      require(PAPI_add_event(set, event), "PAPI_add_event");
    }
  }
  ~EventOfAll() {
    for (int set : sets_) {
      PAPI_cleanup_eventset(set);
      PAPI_destroy_eventset(&set);
    }
  }
  EventOfAll(const EventOfAll&) = delete;
  EventOfAll& operator=(const EventOfAll&) = delete;

  /// While a call is made.
  double count(const std::function<void()>& call) const {
    for (const int set : sets_) require(PAPI_start(set), "PAPI_start");
    call();
    double sum = 0;
    for (const int set : sets_) {
      long long value = 0;
      require(PAPI_stop(set, &value), "PAPI_stop");
      sum += static_cast<double>(value);
    }
    return sum;
  }

 private:
  std::vector<int> sets_;
};

const CounterSource source{
    [](const Device& device) { return device.threads > 0; },
    [](const Counted& what) {
      if (PAPI_is_initialized() == PAPI_NOT_INITED && PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        refuse("PAPI_library_init, another version than it was compiled for");
      if (const PAPI_component_info_t* const cpu = PAPI_get_component_info(0);
          cpu != nullptr && cpu->disabled != 0)
        refuse(cpu->disabled_reason);
      std::vector<Metric> metrics;
      for (const PapiRow& row : rows) {
        if (PAPI_query_event(row.event) != PAPI_OK) continue;
        if (what.cold) what.device.flush_caches();
        const EventOfAll event(row.event);
        metrics.push_back({row.tag, event.count([&] { what.device.seconds(what.launch); }), ""});
      }
      if (metrics.empty()) refuse("no event of those asked for");
      return metrics;
    }};

}  // namespace
}  // namespace rooftile::perf
