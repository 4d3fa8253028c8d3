// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The results of a report, and their descriptions. All scripts of a report share the object `report`.
'use strict';
const report = {};
(function () {
  const data = JSON.parse(document.getElementById('records').textContent);
  const texts = new Set(['path', 'kernel', 'tile', 'math', 'product', 'status', 'reason', 'flags', 'bound', 'seed', 'clock',
    'vendorProblem', 'disturbed']);
  const triples = list => {
    const all = [];
    for (let i = 0; i < list.length; i += 3)
      all.push({tag: data.texts[list[i]], value: list[i + 1], unit: data.texts[list[i + 2]]});
    return all;
  };
  report.machines = data.machines;
  report.rows = data.rows.map(values => {
    const row = {};
    data.columns.forEach((name, i) => { row[name] = texts.has(name) ? data.texts[values[i]] : values[i]; });
    row.metrics = triples(row.metrics), row.counters = triples(row.counters);
    row.ok = row.status === 'ok';
    row.automatic = row.flags.includes('a');
    row.baseline = row.path === 'vendor' || row.path === 'peer';
    row.size = Math.cbrt(row.work);
    row.series = row.path + ' ' + row.kernel;
    return row;
  });

  const number = report.number = (value, digits) => value ? Number(value.toPrecision(digits || 4)).toLocaleString('en', {maximumFractionDigits: 9}) : '';
  const percent = value => value ? number(100 * value, 3) + ' %' : '';
  report.roof = row => percent(row.roof) + (row.flags.includes('x') ? ' (ceiling too low)' : '');
  report.ratio = row => number(row.vendor, 3) + (row.low ? ' (' + number(row.low, 3) + ' to ' + number(row.high, 3) + ')' : '');
  report.kernel = row => row.kernel + (row.flags.includes('t') ? ' (tuned)' : row.automatic ? ' (auto)' : '');
  report.median = values => values.slice().sort((a, b) => a - b)[Math.floor(values.length / 2)];
  report.counter = (row, tag) => {
    const found = row.counters.find(counter => counter.tag === tag);
    return found && found.value;
  };
  report.peaks = (machine, math) => report.machines[machine].peaks[math] || [];

  // The full record of a result, one item per line.
  report.record = row => {
    const line = (words, value) => value ? [words + ' ' + value] : [];
    const head = [row.path + ' ' + report.kernel(row) + ' ' + row.tile, row.math + ' ' + row.product, report.machines[row.machine].title];
    if (!row.ok) return head.concat(row.status + ': ' + row.reason);
    return head.concat(
      line('speed', number(row.gflops) && number(row.gflops) + ' GFLOP/s'),
      number(1e3 * row.median) + ' ms, ' + number(1e3 * row.min) + ' to ' + number(1e3 * row.max) + ' in ' + row.count + ' samples; clock and power ' + row.clock,
      line('intensity', number(row.intensity) && number(row.intensity) + ' FLOP/B'), line('bound by', row.bound),
      line('of the roof', report.roof(row)), line('ratio to the vendor', report.ratio(row)), line('disturbed:', row.disturbed),
      line('vendor:', row.vendorProblem), line('ratio to the peer', number(row.peer, 3)),
      'error ' + number(row.error, 3) + ' of its bound, seed ' + row.seed,
      row.metrics.concat(row.counters).map(m => [m.tag, number(m.value) || '0', m.unit].join(' ').trim()).join(', '));
  };

  // Whether a result contains all words of a search.
  report.matches = (row, words) => {
    if (row.words === undefined) {
      row.words = [report.machines[row.machine].title, row.path, report.kernel(row), row.tile, row.math, row.product, row.bound,
        row.status, row.reason, row.vendorProblem && 'vendor ' + row.vendorProblem, row.flags.includes('u') ? 'unaligned' : '',
        row.vendor > 0 && row.vendor < 0.9 ? 'slow' : '', row.disturbed ? 'disturbed' : ''].join(' ').toLowerCase();
    }
    return words.every(word => row.words.includes(word));
  };
}());
