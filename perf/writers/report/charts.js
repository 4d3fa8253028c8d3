// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The kinds of charts. Each is a function of the displayed results, their machine and their mode.
(function () {
  if (typeof Chart === 'undefined') return;
  const {marks, line, logAxis, style, median, number} = report;

  // Data sets by path and kernel, from the points that point(row) returns; rows without a point are skipped.
  const bySeries = (rows, point, more) => {
    const series = new Map();
    for (const row of rows) {
      const made = point(row);
      if (!made) continue;
      if (!series.has(row.series)) series.set(row.series, {row, points: []});
      series.get(row.series).points.push(Object.assign({row}, made));
    }
    return [...series.values()].map(s => marks(s.row, s.points, more));
  };
  const extent = values => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const linear = title => ({title: {display: true, text: title, color: style('ink')}, ticks: {color: style('ink'), maxRotation: 0}, grid: {color: style('faint')}});

  const charts = report.charts = {};

  charts.roofline = (rows, machine, math) => {
    const sets = bySeries(rows, row => row.gflops > 0 && row.intensity > 0 && {x: row.intensity, y: row.gflops});
    if (!sets.length) return null;
    const points = sets.flatMap(set => set.data), peaks = report.peaks(machine, math), levels = report.machines[machine].levels;
    const [least, most] = extent(points.map(p => p.x)), [slowest, fastest] = extent(points.map(p => p.y));
    const top = peaks.length ? peaks[0][1] : fastest, widest = extent(levels.map(level => level[1]))[1];
    const low = Math.min(least / 1.5, top / widest / 4), high = Math.max(most * 2, 8 * top / levels[0][1]);
    const bottom = Math.min(slowest / 1.5, top / 20);
    const dashes = [[], [8, 3], [4, 3], [2, 3]];
    peaks.forEach(([name, peak], i) => sets.push(line(name + ' ' + number(peak) + ' GFLOP/s',
      [{x: Math.max(low, peak / widest), y: peak}, {x: high, y: peak}], {note: name + ' ' + (peak < 1e3 ? number(peak, 3) + ' GFLOP/s' : number(peak / 1e3, 3) + ' TFLOP/s'), borderDash: dashes[i % 4]})));
    levels.forEach(([name, rate], i) => sets.push(line(name + ' ' + number(rate) + ' GB/s',
      [{x: Math.max(low, bottom / rate), y: Math.max(low * rate, bottom)}, {x: top / rate, y: top}], {note: name, along: true, sign: '╱', borderDash: dashes[i % 4]})));
    return {datasets: sets, x: logAxis('FLOP per byte', low, high), y: logAxis('GFLOP/s', bottom, 2 * Math.max(top, fastest))};
  };

  charts.ratio = (rows, machine, math) => {
    const chosen = rows.some(row => row.automatic && !row.baseline);
    const ours = rows.filter(row => row.ok && !row.baseline && (row.automatic || !chosen));
    const known = ours.filter(row => row.vendor > 0 && !row.disturbed), failed = ours.filter(row => row.vendorProblem);
    if (!known.length && !failed.length) return null;
    // Spreads each path's products, sorted from slowest to fastest, over the full width.
    const place = new Map();
    for (const path of new Set(known.map(row => row.path))) {
      const all = known.filter(row => row.path === path).sort((a, b) => a.vendor - b.vendor);
      all.forEach((row, i) => place.set(row, 100 * (i + 0.5) / all.length));
    }
    const values = known.flatMap(row => [row.vendor, row.low || row.vendor, row.high || row.vendor]);
    const [least, most] = values.length ? extent(values) : [1, 1], low = Math.min(0.6, 0.95 * least), high = Math.max(1.3, 1.05 * most);
    const sets = bySeries(known, row => ({x: place.get(row), y: row.vendor, low: row.low, high: row.high}));
    if (failed.length) {
      // Marks without a known ratio are placed at the bottom.
      const at = failed.map((row, i) => ({row, x: place.has(row) ? place.get(row) : 100 * (i + 0.5) / failed.length, y: place.has(row) ? row.vendor : low * 1.02}));
      sets.push({label: 'vendor failed or unsupported', type: 'scatter', data: at, sign: '✕', pointStyle: 'crossRot', pointRadius: 8, pointHoverRadius: 10,
        borderWidth: 2.5, borderColor: style('failed'), backgroundColor: 'transparent'});
    }
    const flat = (label, y, dash) => line(label, [{x: 0, y}, {x: 100, y}], {note: label, left: true, borderDash: dash});
    sets.push(flat('as fast as the vendor', 1, []), flat('0.9', 0.9, [5, 4]));
    const y = Object.assign(logAxis('ratio to the vendor', low, high), {afterBuildTicks: scale => {
      scale.ticks = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4, 5].filter(v => v >= low && v <= high).map(value => ({value}));
    }});
    y.ticks.autoSkip = true;
    y.ticks.callback = value => String(value);
    const reasons = new Map();
    for (const row of failed) reasons.set(row.vendorProblem, (reasons.get(row.vendorProblem) || new Set()).add(row.product));
    const text = [...reasons].map(([why, all]) => [why, [...all]]).map(([why, products]) => products.length + (products.length > 1 ? ' products: ' : ' product: ') + why + ' (' +
      products.slice(0, 3).join(', ') + (products.length > 3 ? ', …' : '') + ')').join('\n');
    return {datasets: sets, text: text, x: Object.assign(linear('% of the products, from the slowest'), {type: 'linear', min: 0, max: 100}), y};
  };

  // Uses medians over half-octaves of size, since single products vary too much for a line.
  charts.scaling = rows => {
    const bins = new Map();
    for (const row of rows.filter(row => row.gflops > 0)) {
      const key = row.series + ' ' + Math.floor(2 * Math.log2(row.size));
      bins.set(key, (bins.get(key) || []).concat(row));
    }
    const middle = [...bins.values()].map(all => all.sort((a, b) => a.gflops - b.gflops)[Math.floor(all.length / 2)]);
    if (!middle.length) return null;
    middle.sort((a, b) => a.size - b.size);
    const sets = bySeries(middle, row => ({x: row.size, y: row.gflops}), {type: 'line', showLine: true, fill: false, tension: 0, pointRadius: 3.5});
    const [least, most] = extent(middle.map(row => row.size)), [slow, fast] = extent(middle.map(row => row.gflops));
    return {datasets: sets, x: logAxis('size (cube root of multiply-adds), medians of half-octaves', least / 1.3, most * 1.3), y: logAxis('GFLOP/s', slow / 1.4, fast * 1.4)};
  };

  // One line per product and kernel over all numbers of processes, independent of the selected machine.
  charts.processes = (rows, machine, math) => {
    const shared = report.rows.filter(row => row.math === math && row.processes > 0 && row.gflops > 0 && report.matches(row, report.words));
    const lines = new Map(), several = new Set(shared.map(row => report.machines[row.machine].host)).size > 1;
    for (const row of shared.sort((a, b) => a.processes - b.processes)) {
      const key = [row.series, row.product.replace(/ on \d+x\d+/, '')].concat(several ? report.machines[row.machine].host : []).join(', ');
      lines.set(key, (lines.get(key) || []).concat({row, x: row.processes, y: row.gflops}));
    }
    if (!lines.size) return null;
    const sets = [...lines].slice(0, 24).map(([label, points]) => marks(points[0].row, points, {label, type: 'line', showLine: true, fill: false}));
    const all = sets.flatMap(set => set.data), [slow, fast] = extent(all.map(p => p.y)), [least, most] = extent(all.map(p => p.x));
    return {datasets: sets, x: logAxis('processes', least / 1.2, most * 1.2), y: logAxis('GFLOP/s', slow / 1.4, fast * 1.4)};
  };

  // The median and the range of value(row) for each kernel.
  const medians = (rows, value) => {
    const series = new Map();
    for (const row of rows) {
      const here = value(row);
      if (here > 0) series.set(row.series, (series.get(row.series) || {row, all: []})), series.get(row.series).all.push(here);
    }
    return [...series].map(([name, {row, all}]) => ({name, row, middle: median(all), range: extent(all), count: all.length}));
  };
  const bar = (row, data) => ({label: row.series, type: 'bar', maxBarThickness: 36, sign: '■', data: data, borderColor: report.colourOf(row.kernel), backgroundColor: report.colourOf(row.kernel) + 'b0'});
  const words = (m, unit) => m.name + ': median ' + number(m.middle, 3) + unit + ', ' + number(m.range[0], 3) + ' to ' + number(m.range[1], 3) + ' of ' + m.count + ' results';

  charts.occupancy = rows => {
    const all = medians(rows, row => report.counter(row, 'occupancy'));
    if (!all.length) return null;
    const sets = all.map(m => Object.assign(bar(m.row, [{x: m.middle, y: m.name, text: words(m, ' %')}]), {grouped: false}));
    return {type: 'bar', labels: all.map(m => m.name), datasets: sets, options: {indexAxis: 'y'},
      x: Object.assign(linear('% of the warps that the SMs could hold, median'), {min: 0, max: 100}), y: Object.assign(linear(''), {title: {display: false}})};
  };

  const levels = [['DRAM', 'dram_bytes', 'l3_misses'], ['L2', 'l2_bytes', 'l1_misses'], ['L1', 'l1_bytes'], ['shared memory', 'shared_bytes']];
  charts.bytes = rows => {
    const line = 64, series = new Map();
    for (const [level, tag, misses] of levels) {
      const all = medians(rows, row => {
        const bytes = report.counter(row, tag), missed = misses && report.counter(row, misses);
        return row.intensity > 0 && (bytes || line * (missed || 0)) * row.intensity / (1e9 * row.gflops * row.median);
      });
      for (const m of all) series.set(m.name, (series.get(m.name) || {row: m.row, data: []})), series.get(m.name).data.push({x: level, y: m.middle, text: level + ', ' + words(m, ' times')});
    }
    if (!series.size) return null;
    const sets = [...series.values()].map(s => bar(s.row, s.data));
    const [least, most] = extent(sets.flatMap(set => set.data.map(p => p.y)));
    const y = logAxis('bytes over those of each operand once', Math.min(0.5, least / 1.5), Math.max(2, most * 1.5));
    return {type: 'bar', labels: levels.map(level => level[0]).filter(level => sets.some(set => set.data.some(p => p.x === level))),
      datasets: sets, x: Object.assign(linear('level, medians by kernel'), {type: 'category'}), y};
  };
}());
