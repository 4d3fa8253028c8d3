// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Hardware counters of CPUs, read by PAPI for all threads of the process.
#include <filesystem>

#include <dlfcn.h>
#include <papi.h>

#include "../counters.hpp"

namespace rooftile::perf {
namespace {

struct PapiRow {
  const char* tag;
  int event;
};
constexpr PapiRow rows[] = {{"flops_fp32", PAPI_SP_OPS}, {"flops_fp64", PAPI_DP_OPS},
                            {"l1_misses", PAPI_L1_DCM},  {"l2_misses", PAPI_L2_TCM},
                            {"l3_misses", PAPI_L3_TCM},  {"instructions", PAPI_TOT_INS},
                            {"cycles", PAPI_TOT_CYC}};

[[noreturn]] void refuse(const std::string& why) {
  throw NoCounters(detail::text("PAPI counts nothing here (", why,
                                "): in a virtual machine, let it have performance counters; else "
                                "set kernel.perf_event_paranoid to 2 or "
                                "less"));
}

/// Opens PAPI when counters are first read, so that the program also starts without PAPI.
struct Papi {
  void* library = open();
#define ROOFTILE_PAPI_FUNCTION(name, function) \
  decltype(&PAPI_##function) name = symbol<decltype(&PAPI_##function)>("PAPI_" #function)
  ROOFTILE_PAPI_FUNCTION(library_init, library_init);
  ROOFTILE_PAPI_FUNCTION(is_initialized, is_initialized);
  ROOFTILE_PAPI_FUNCTION(get_component_info, get_component_info);
  ROOFTILE_PAPI_FUNCTION(query_event, query_event);
  ROOFTILE_PAPI_FUNCTION(create, create_eventset);
  ROOFTILE_PAPI_FUNCTION(assign_component, assign_eventset_component);
  ROOFTILE_PAPI_FUNCTION(attach, attach);
  ROOFTILE_PAPI_FUNCTION(add_event, add_event);
  ROOFTILE_PAPI_FUNCTION(start, start);
  ROOFTILE_PAPI_FUNCTION(stop, stop);
  ROOFTILE_PAPI_FUNCTION(cleanup, cleanup_eventset);
  ROOFTILE_PAPI_FUNCTION(destroy, destroy_eventset);
  ROOFTILE_PAPI_FUNCTION(strerror, strerror);
#undef ROOFTILE_PAPI_FUNCTION

  void require(int status, const char* function) const {
    if (status != PAPI_OK) refuse(detail::text(function, ", ", strerror(status)));
  }

 private:
  static void* open() {
    if (void* const found = dlopen(ROOFTILE_PAPI, RTLD_NOW)) return found;
    throw NoCounters(detail::text("PAPI was not found (", ROOFTILE_PAPI,
                                  "): install it (Debian: libpapi-dev), or add its folder to "
                                  "LD_LIBRARY_PATH"));
  }
  template <class F>
  F symbol(const char* name) const {
    if (void* const found = dlsym(library, name)) return reinterpret_cast<F>(found);
    throw NoCounters(detail::text("PAPI lacks a function (", name, "): install version 5 or newer"));
  }
};

/// An event on each thread that the process has now. The threads of a pool exist, because a product ran
/// before.
class EventOfAll {
 public:
  EventOfAll(const Papi& papi, int event) : papi_(papi) {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      int set = PAPI_NULL;
      papi_.require(papi_.create(&set), "PAPI_create_eventset");
      sets_.push_back(set);
      papi_.require(papi_.assign_component(set, 0), "PAPI_assign_eventset_component");
      papi_.require(papi_.attach(set, std::stoul(thread.path().filename())), "PAPI_attach");
      papi_.require(papi_.add_event(set, event), "PAPI_add_event");
    }
  }
  ~EventOfAll() {
    for (int set : sets_) {
      papi_.cleanup(set);
      papi_.destroy(&set);
    }
  }
  EventOfAll(const EventOfAll&) = delete;
  EventOfAll& operator=(const EventOfAll&) = delete;

  double count(const std::function<void()>& call) const {
    for (const int set : sets_) papi_.require(papi_.start(set), "PAPI_start");
    call();
    double sum = 0;
    for (const int set : sets_) {
      long long value = 0;
      papi_.require(papi_.stop(set, &value), "PAPI_stop");
      sum += static_cast<double>(value);
    }
    return sum;
  }

 private:
  const Papi& papi_;
  std::vector<int> sets_;
};

std::vector<Metric> count_one(const Papi& papi, const Counted& what, const std::function<void()>& launch) {
  std::vector<Metric> metrics;
  for (const PapiRow& row : rows) {
    if (papi.query_event(row.event) != PAPI_OK) continue;
    if (what.cold) what.device.flush_caches();
    const EventOfAll event(papi, row.event);
    metrics.push_back({row.tag, event.count([&] { what.device.seconds(launch); }), ""});
  }
  if (metrics.empty()) refuse("none of the requested events");
  return metrics;
}

const CounterSource source{
    [](const Device& device) { return device.threads > 0; },
    [](const Counted& what) {
      static const Papi papi;
      if (papi.is_initialized() == PAPI_NOT_INITED && papi.library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        refuse("PAPI_library_init, another version than it was compiled for");
      if (const PAPI_component_info_t* const cpu = papi.get_component_info(0);
          cpu != nullptr && cpu->disabled != 0)
        refuse(cpu->disabled_reason);
      MetricsOfCalls metrics;
      for (const auto& launch : what.launches) metrics.push_back(count_one(papi, what, launch));
      return metrics;
    }};

}  // namespace
}  // namespace rooftile::perf
