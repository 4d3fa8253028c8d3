// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Tables of many results. The page contains only few rows at a time.
(function () {
  const step = 100;
  const make = report.make = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  // Fills a box with a table. A column is [heading, function for the text of a row, whether it is a number].
  const fill = (box, columns, rows) => {
    const scroll = make('div', '', 'scroll tall'), table = make('table'), body = make('tbody');
    scroll.tabIndex = 0;
    const head = table.appendChild(make('thead')).appendChild(make('tr'));
    for (const [name] of columns) head.append(make('th', name));
    table.append(body), scroll.append(table);
    const more = make('button');
    more.type = 'button';
    let next = 0;
    const grow = () => {
      for (const row of rows.slice(next, next + step)) {
        const line = make('tr', '', row.status === 'failed' ? 'failed' : '');
        for (const [, text, isNumber] of columns) line.append(make('td', text(row), isNumber ? 'number' : ''));
        body.append(line);
      }
      next = Math.min(next + step, rows.length);
      more.hidden = next === rows.length;
      more.textContent = 'Show more (' + next + ' of ' + rows.length + ')';
    };
    more.addEventListener('click', grow);
    grow();
    box.replaceChildren(scroll, more);
  };

  const several = report.machines.length > 1;
  const first = (several ? [['machine', row => report.machines[row.machine].title]] : []).concat([
    ['mode', row => row.math], ['product', row => row.product], ['path', row => row.path], ['kernel', report.kernel], ['tile', row => row.tile]]);
  const number = report.number;
  const results = first.concat([
    ['ms', row => number(1e3 * row.median), true], ['GFLOP/s', row => number(row.gflops), true], ['roof', report.roof, true],
    ['ratio (95 % interval)', report.ratio, true], ['bound', row => row.bound], ['peer', row => number(row.peer, 3), true],
    ['error / bound', row => number(row.error, 2), true],
    ['not measured', row => (row.ok ? row.disturbed : row.status + ': ' + row.reason)]]);

  // Fills the tables of results and of counters when they are opened.
  report.showTables = rows => {
    const open = (id, box, columns, some) => {
      const details = document.getElementById(id);
      details.ontoggle = () => { if (details.open) fill(document.getElementById(box), columns(), some()); };
      details.ontoggle();
    };
    open('all', 'results', () => results, () => rows);
    document.getElementById('counted').hidden = !report.rows.some(row => row.counters.length);
    const counted = () => rows.filter(row => row.counters.length);
    open('counted', 'counters', () => {
      const tags = new Set(counted().flatMap(row => row.counters.map(counter => counter.tag)));
      return first.concat([...tags].map(tag => [tag, row => number(report.counter(row, tag)), true]));
    }, counted);
  };
}());
