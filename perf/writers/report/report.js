// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The chart of a report, by Chart.js: its axes and contents are chosen, and it shows the full record of each point under
// the pointer and, by the arrow keys, in words below.
(function () {
  'use strict';
  if (typeof Chart === 'undefined') return;
  const data = JSON.parse(document.getElementById('records').textContent);
  const column = {};
  data.columns.forEach((name, i) => { column[name] = i; });
  const get = (row, name) => row[column[name]];
  const section = document.getElementById('explore');
  const canvas = document.getElementById('chart');
  const said = document.getElementById('record');
  const style = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const colours = {
    light: {portable: '#0072b2', native: '#d55e00', vendor: '#009e73', peer: '#8a5a9e'},
    dark: {portable: '#56b4e9', native: '#ff8b3d', vendor: '#2fd3a0', peer: '#cc9be0'}
  };
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const marks = ['circle', 'rect', 'rectRot', 'triangle', 'rectRounded', 'star', 'cross', 'crossRot'];
  const axes = {
    intensity: ['FLOP per byte moved', row => get(row, 'intensity'), true],
    size: ['size: cube root of all multiply-adds', row => Math.cbrt(get(row, 'work')), true],
    processes: ['processes', row => data.machines[get(row, 'machine')].processes, true],
    gflops: ['GFLOP/s', row => get(row, 'gflops'), true],
    roof: ['% of the roof', row => 100 * get(row, 'roof'), false],
    vendor: ['% of the vendor', row => 100 * get(row, 'vendor'), false]
  };

  // What is left out, by column; and the boxes for that.
  const hidden = {machine: new Set(), path: new Set(), math: new Set(), backend: new Set()};
  const shown = row => Object.keys(hidden).every(name => !hidden[name].has(get(row, name)));
  const wordsOf = (name, value) => name === 'machine' ? data.machines[value].title : String(value);
  const toggles = document.getElementById('toggles');
  for (const [name, title] of [['machine', 'Machine'], ['path', 'Path'], ['math', 'Type'], ['backend', 'Backend']]) {
    const box = document.createElement('fieldset');
    box.appendChild(document.createElement('legend')).textContent = title;
    for (const value of new Set(data.rows.map(row => get(row, name)))) {
      const label = document.createElement('label'), input = document.createElement('input');
      input.type = 'checkbox';
      input.checked = true;
      input.addEventListener('change', () => {
        hidden[name][input.checked ? 'delete' : 'add'](value);
        update();
      });
      label.append(input, ' ', wordsOf(name, value));
      box.appendChild(label);
    }
    toggles.appendChild(box);
  }
  const chosen = {x: document.getElementById('x-axis'), y: document.getElementById('y-axis')};
  for (const select of Object.values(chosen)) select.addEventListener('change', update);

  function record(row) {
    const line = (words, value, unit) => value ? [words + ' ' + value + (unit || '')] : [];
    const number = (value, digits) => value ? Number(value.toPrecision(digits || 4)).toString() : '';
    const percent = value => value ? number(100 * value, 3) : '';
    return [
      [get(row, 'path'), get(row, 'kernel'), get(row, 'tile')].join(' ').trim() + (get(row, 'automatic') ? ' (auto)' : ''),
      get(row, 'math') + ' ' + get(row, 'product'),
      wordsOf('machine', get(row, 'machine')),
      ...line('speed', number(get(row, 'gflops')), ' GFLOP/s'),
      number(1e3 * get(row, 'median')) + ' ms, ' + number(1e3 * get(row, 'min')) + ' to ' + number(1e3 * get(row, 'max')) +
        ' in ' + get(row, 'count') + ' samples',
      'clock and power ' + get(row, 'clock_and_power'),
      ...line('intensity', number(get(row, 'intensity')), ' FLOP/B'),
      ...line('bound by', get(row, 'bound')),
      ...line('of the roof', percent(get(row, 'roof')), ' %'),
      ...line('of the vendor', percent(get(row, 'vendor')), ' %'),
      ...line('over the peer', number(get(row, 'peer'), 3), ' times'),
      'error ' + number(get(row, 'error'), 3) + ' of its bound, seed ' + get(row, 'seed'),
      ...get(row, 'metrics').map(metric => metric.join(' '))
    ];
  }

  function ceilings(low, high) {
    const lines = [];
    data.machines.forEach((machine, i) => {
      if (hidden.machine.has(i) || hidden.backend.has(machine.backend)) return;
      // Every peak under the memory's slope, and the first one under those of the inner levels.
      const add = ([name, peak], [level, bandwidth], inner) => lines.push({
        label: machine.title + ' ' + name + ', ' + level, type: 'line', ceiling: true, pointRadius: 0, pointHitRadius: 0,
        borderColor: style('grey'), borderWidth: inner ? 1 : 2, borderDash: inner ? [5, 4] : [], fill: false,
        data: [low, peak / bandwidth, high].filter(x => x >= low && x <= high)
          .map(x => ({x: x, y: Math.min(peak, x * bandwidth)}))
      });
      for (const peak of machine.peaks) add(peak, machine.levels[0], false);
      for (const level of machine.levels.slice(1)) add(machine.peaks[0], level, true);
    });
    return lines;
  }

  function datasets() {
    const [, x, xLog] = axes[chosen.x.value], [, y, yLog] = axes[chosen.y.value];
    const series = new Map();
    let low = 0.1, high = 100;
    data.rows.forEach((row, index) => {
      const at = {x: x(row), y: y(row), index: index};
      if (!shown(row) || !(at.x > 0) || !(at.y > 0)) return;
      const key = get(row, 'path') + ', ' + wordsOf('machine', get(row, 'machine'));
      if (!series.has(key)) series.set(key, {label: key, path: get(row, 'path'), machine: get(row, 'machine'), data: []});
      series.get(key).data.push(at);
      low = Math.min(low, at.x / 2), high = Math.max(high, at.x * 2);
    });
    const colour = colours[dark.matches ? 'dark' : 'light'];
    const points = [...series.values()].map(s => Object.assign(s, {
      type: 'scatter', pointStyle: marks[s.machine % marks.length], pointRadius: 5, pointHoverRadius: 8, borderWidth: 1,
      borderColor: colour[s.path] || colour.peer, backgroundColor: colour[s.path] || colour.peer
    }));
    const roof = chosen.x.value === 'intensity' && chosen.y.value === 'gflops';
    return points.concat(roof ? ceilings(low, high) : []);
  }

  function axis(name) {
    const [title, , log] = axes[chosen[name].value];
    return {
      type: log ? 'logarithmic' : 'linear', title: {display: true, text: title, color: style('ink')},
      ticks: {
        color: style('ink'), maxRotation: 0, autoSkip: !log,
        callback: value => log && Math.abs(Math.log10(value) % 1) > 1e-9 ? null : value.toLocaleString('en', {maximumFractionDigits: 6})
      },
      grid: {color: style('faint')}
    };
  }

  function options() {
    return {
      animation: false, maintainAspectRatio: false, interaction: {mode: 'nearest', intersect: true},
      scales: {x: axis('x'), y: axis('y')},
      plugins: {
        legend: {position: 'bottom', labels: {usePointStyle: true, color: style('ink'), filter: (item, all) => !all.datasets[item.datasetIndex].ceiling}},
        tooltip: {
          displayColors: false, filter: item => !item.dataset.ceiling,
          callbacks: {title: () => '', label: item => record(data.rows[item.raw.index])}
        }
      },
      onHover: (event, found) => {
        const at = found.map(f => chart.data.datasets[f.datasetIndex]).findIndex(s => !s.ceiling);
        if (at >= 0) say(found[at]);
      }
    };
  }

  function say(found) {
    const point = chart.data.datasets[found.datasetIndex].data[found.index];
    said.textContent = record(data.rows[point.index]).join('\n');
  }

  section.hidden = false;
  const chart = new Chart(canvas, {type: 'scatter', data: {datasets: datasets()}, options: options()});
  let current = -1;

  function update() {
    chart.data.datasets = datasets();
    chart.options = options();
    chart.update();
    current = -1;
    document.querySelectorAll('#results tr[data-row]').forEach(line => {
      line.hidden = !shown(data.rows[line.dataset.row]);
    });
  }
  dark.addEventListener('change', update);

  // From point to point by keys, from left to right.
  canvas.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key];
    const points = [];
    chart.data.datasets.forEach((series, s) => {
      if (series.ceiling || !chart.isDatasetVisible(s)) return;
      series.data.forEach((point, i) => points.push({datasetIndex: s, index: i, x: point.x, y: point.y}));
    });
    if (!step || points.length === 0) return;
    event.preventDefault();
    points.sort((a, b) => a.x - b.x || a.y - b.y);
    current = current < 0 ? (step > 0 ? 0 : points.length - 1) : (current + step + points.length) % points.length;
    const active = [{datasetIndex: points[current].datasetIndex, index: points[current].index}];
    chart.setActiveElements(active);
    chart.tooltip.setActiveElements(active, {x: 0, y: 0});
    chart.update();
    say(active[0]);
  });
}());
