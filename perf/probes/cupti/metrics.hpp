// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "../../record/record.hpp"

namespace rooftile::perf {

/// A metric or a part of it: `factor` times NVIDIA's metric `name`. Rows with equal tags are added. Chips
/// lack some metrics; missing names are skipped.
struct CuptiRow {
  const char* tag;
  const char* unit;
  const char* name;
  double factor = 1;
  bool if_any = false;  ///< omit a zero, as for types that a kernel does not use
};

inline constexpr CuptiRow cupti_rows[] = {
    {"flops_fp32", "", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1, true},
    {"flops_fp32", "", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 1, true},
    {"flops_fp32", "", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2, true},
    {"flops_fp64", "", "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 1, true},
    {"flops_fp64", "", "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 1, true},
    {"flops_fp64", "", "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 2, true},
    {"flops_fp16", "", "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 1, true},
    {"flops_fp16", "", "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 1, true},
    {"flops_fp16", "", "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 2, true},
    {"tensor_fp64", "", "sm__ops_path_tensor_src_fp64.sum", 1, true},
    {"tensor_tf32", "", "sm__ops_path_tensor_src_tf32_dst_fp32.sum", 1, true},
    {"tensor_bf16", "", "sm__ops_path_tensor_src_bf16_dst_fp32.sum", 1, true},
    {"tensor_fp16", "", "sm__ops_path_tensor_src_fp16.sum", 1, true},
    {"tensor_fp16", "", "sm__ops_path_tensor_src_fp16_dst_fp16.sum", 1, true},
    {"tensor_fp16", "", "sm__ops_path_tensor_src_fp16_dst_fp32.sum", 1, true},
    {"tensor_int8", "", "sm__ops_path_tensor_src_int8.sum", 1, true},
    {"dram_bytes", "B", "dram__bytes.sum"},
    {"l2_bytes", "B", "lts__t_bytes.sum"},
    {"l1_bytes", "B", "l1tex__t_bytes.sum"},
    {"shared_bytes", "B", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 128},
    {"shared_bank_conflicts", "", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"local_bytes", "B", "l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum"},
    {"local_bytes", "B", "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum"},
    {"occupancy", "%", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"threads_per_instruction", "", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"threads_predicated_on", "", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
    {"issue_slots_used", "%", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"pipe_fma", "%", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", 1, true},
    {"pipe_fp64", "%", "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", 1, true},
    {"pipe_alu", "%", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", 1, true},
    {"pipe_lsu", "%", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", 1, true},
    {"pipe_tensor", "%", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 1, true},
};

/// Stall reasons of resident warps, in the profilers' names.
inline constexpr const char* cupti_stalls[] = {
    "barrier",        "branch_resolving", "dispatch_stall",     "drain",    "gmma",         "imc_miss",
    "lg_throttle",    "long_scoreboard",  "math_pipe_throttle", "membar",   "mio_throttle", "misc",
    "no_instruction", "not_selected",     "short_scoreboard",   "sleeping", "tex_throttle", "wait"};
inline constexpr std::size_t stalls_kept = 3;  ///< number of the longest stalls to report

inline std::string stall_name(const std::string& reason) {
  return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
}

inline std::vector<std::string> cupti_names() {
  std::vector<std::string> names;
  for (const CuptiRow& row : cupti_rows) names.emplace_back(row.name);
  for (const char* reason : cupti_stalls) names.push_back(stall_name(reason));
  return names;
}

/// Converts values by the profilers' names into metrics.
inline std::vector<Metric> metrics_of(const std::map<std::string, double>& values) {
  std::vector<Metric> metrics;
  for (const CuptiRow& row : cupti_rows) {
    const auto value = values.find(row.name);
    if (value == values.end() || (row.if_any && value->second == 0)) continue;
    if (metrics.empty() || metrics.back().tag != row.tag) metrics.push_back({row.tag, 0, row.unit});
    metrics.back().value += row.factor * value->second;
  }
  std::vector<Metric> stalls;
  for (const std::string reason : cupti_stalls) {
    const auto value = values.find(stall_name(reason));
    if (value != values.end() && value->second > 0)
      stalls.push_back({"stall_" + reason, value->second, "warps"});
  }
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const Metric& a, const Metric& b) { return a.value > b.value; });
  stalls.resize(std::min(stalls.size(), stalls_kept));
  metrics.insert(metrics.end(), stalls.begin(), stalls.end());
  return metrics;
}

}  // namespace rooftile::perf
