# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Sets rooftile_plot_js and rooftile_plot_licence to the files of Chart.js: from ROOFTILE_PLOT_JS, from scripts/deps, or
# from
# Debian's package. Both are empty if it is not found; reports then have no charts.

set(rooftile_plot_js ${ROOFTILE_PLOT_JS})
set(rooftile_plot_licence "")
if(NOT rooftile_plot_js)
  foreach(prefix IN LISTS CMAKE_PREFIX_PATH ITEMS /usr)
    if(NOT rooftile_plot_js AND EXISTS ${prefix}/share/javascript/chart.js/chart.min.js)
      set(rooftile_plot_js ${prefix}/share/javascript/chart.js/chart.min.js)
    endif()
  endforeach()
endif()
if(rooftile_plot_js)
  if(NOT EXISTS ${rooftile_plot_js} OR IS_DIRECTORY ${rooftile_plot_js})
    message(FATAL_ERROR "no such file (ROOFTILE_PLOT_JS=${rooftile_plot_js}): name Chart.js' chart.min.js or chart.umd.js")
  endif()
  cmake_path(GET rooftile_plot_js PARENT_PATH folder)
  foreach(licence IN ITEMS LICENSE.md LICENSE ../LICENSE.md ../../doc/libjs-chart.js/copyright)
    if(NOT rooftile_plot_licence AND EXISTS ${folder}/${licence})
      set(rooftile_plot_licence ${folder}/${licence})
    endif()
  endforeach()
  if(NOT rooftile_plot_licence)
    message(FATAL_ERROR "no licence to go with it (ROOFTILE_PLOT_JS=${rooftile_plot_js}): put its LICENSE.md beside it")
  endif()
endif()
