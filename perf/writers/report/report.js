// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Assembles the page: search, machine selector, theme, and a section of panels for each mode.
(function () {
  const make = report.make, by = id => document.getElementById(id);
  const search = by('search'), machine = by('machine'), kernels = by('kernels'), root = document.documentElement;
  const panels = [], sections = [];
  report.words = [];
  by('explore').hidden = false;
  by('machines').hidden = report.machines.length < 2;
  by('choices').hidden = !report.rows.some(row => row.automatic) || !report.rows.some(row => !row.automatic && !row.baseline);
  report.machines.forEach((each, i) => machine.append(Object.assign(make('option', each.title), {value: String(i)})));

  // The results of a mode that match the search, the machine and the kernels.
  let found = report.rows;
  const shown = math => found.filter(row => row.math === math && row.machine === Number(machine.value) &&
    (kernels.value === 'all' || row.automatic || row.baseline));

  function update() {
    report.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = report.words.length ? report.rows.filter(row => report.matches(row, report.words)) : report.rows;
    by('matches').textContent = report.words.length ? found.length + ' of ' + report.rows.length + ' results' : '';
    for (const {math, section, link} of sections) link.hidden = section.hidden = !shown(math).length;
    for (const panel of panels) panel.update();
    if (report.words.length) by('all').open = true;
    report.showTables(found);
  }

  function makeSections() {
    const seen = new IntersectionObserver(entries => {
      for (const entry of entries) {
        const panel = panels.find(each => each.box === entry.target);
        panel.seen = entry.isIntersecting;
        if (panel.seen) panel.draw();
      }
    }, {rootMargin: '200px'});
    const kinds = [['roofline', 'Roofline'], ['ratio', 'Ratio to the vendor'], ['scaling', 'Speed over size'], ['processes', 'Speed over processes'],
      ['occupancy', 'Occupancy'], ['bytes', 'Bytes of each level over the model\'s']];
    const needs = {
      ratio: row => row.vendor > 0 || row.vendorProblem, processes: row => row.processes > 0,
      occupancy: row => report.counter(row, 'occupancy') > 0, bytes: row => row.counters.some(c => /_bytes$|_misses$/.test(c.tag))
    };
    [...new Set(report.rows.map(row => row.math))].forEach((math, i) => {
      const section = make('section', '', 'mode'), grid = make('div', '', 'panels'), link = make('a', math);
      section.id = 'mode-' + i, link.href = '#mode-' + i;
      section.append(make('h3', math), grid);
      const rows = report.rows.filter(row => row.math === math);
      for (const [kind, title] of kinds) {
        if (needs[kind] && !rows.some(needs[kind])) continue;
        const panel = new report.Panel(title, () => report.charts[kind](shown(math), Number(machine.value), math), kind === 'roofline');
        panel.kind = kind, panel.math = math;
        panels.push(panel);
        grid.append(panel.box);
        seen.observe(panel.box);
      }
      by('modes').append(section), by('jump').append(link);
      sections.push({math, section, link});
    });
  }

  if (report.Panel) {
    makeSections();
    report.onScheme(() => panels.forEach(panel => panel.update()));
  } else {
    by('machines').hidden = by('choices').hidden = true;
  }
  report.panels = panels;
  by('theme').addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    panels.forEach(panel => panel.update());
  });
  let waiting;
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(update, 150);
  });
  for (const select of [machine, kernels]) select.addEventListener('change', update);
  update();
}());
