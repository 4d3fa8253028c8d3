// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A panel: a chart that is created when it scrolls into view, buttons for its series, and the record of a
// mark.
(function () {
  if (typeof Chart === 'undefined') return;
  const make = report.make;
  const colours = {
    light: ['#0072b2', '#d55e00', '#00875f', '#9b4f9f', '#b8860b', '#c2185b', '#3f51b5', '#5d7a00', '#00838f', '#795548'],
    dark: ['#56b4e9', '#ff8b3d', '#2fd3a0', '#d6a0e6', '#f0c541', '#ff7fab', '#9fa8ff', '#b5d334', '#4dd0e1', '#c8a898']
  };
  const shapes = {portable: ['circle', '●'], native: ['triangle', '▲'], vendor: ['rectRot', '◆'], peer: ['star', '✱']};
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  report.isDark = () => (document.documentElement.dataset.theme || (system.matches ? 'dark' : 'light')) === 'dark';
  const style = report.style = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

  // Each kernel has one colour in all panels.
  const kernels = [...new Set(report.rows.map(row => row.kernel))];
  report.colourOf = kernel => {
    const all = colours[report.isDark() ? 'dark' : 'light'];
    return all[kernels.indexOf(kernel) % all.length];
  };
  report.shapeOf = path => (shapes[path] || shapes.peer)[0];

  // A data set of a kernel's marks. Marks are hollow if the library did not choose the kernel.
  report.marks = (row, points, more) => {
    const colour = report.colourOf(row.kernel);
    return Object.assign({
      label: row.series, type: 'scatter', data: points, sign: (shapes[row.path] || shapes.peer)[1], pointStyle: report.shapeOf(row.path),
      pointRadius: points.length > 150 ? 3 : 4.5, pointHoverRadius: 8, borderWidth: 1.3, borderColor: colour,
      backgroundColor: points.map(p => p.row && (p.row.automatic || p.row.baseline) ? colour + 'b0' : 'transparent')
    }, more);
  };
  // A line that is not a result, with its label at its end or along it.
  report.line = (label, points, more) => Object.assign({
    label: label, type: 'line', data: points, ceiling: true, sign: '─', pointRadius: 0, pointHitRadius: 0, borderWidth: 1.5,
    borderColor: style('grey'), fill: false
  }, more);
  report.logAxis = (title, min, max) => ({
    type: 'logarithmic', min: min, max: max, title: {display: true, text: title, color: style('ink')},
    ticks: {
      color: style('ink'), maxRotation: 0, autoSkip: false,
      callback: value => {
        // Chart.js also passes the ends of the axis, which are not round numbers.
        const digit = value / 10 ** Math.floor(Math.log10(value) + 1e-9), span = max / min;
        const wanted = span > 300 ? [1] : span > 10 ? [1, 2, 5] : span > 4 ? [1, 2, 3, 5, 7] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
        if (!wanted.some(each => Math.abs(digit - each) < 1e-6)) return null;
        const short = scale => String(Number((value / scale).toPrecision(3)));
        return value >= 1e6 ? short(1e6) + 'M' : value >= 1e3 ? short(1e3) + 'k' : short(1);
      }
    },
    grid: {color: style('faint')}
  });

  // A text that ends at a position, on a background that covers marks.
  const note = (context, text, x, y) => {
    const wide = context.measureText(text).width;
    context.fillStyle = style('panel'), context.globalAlpha = 0.8;
    context.fillRect(x - wide - 2, y - 10, wide + 4, 13);
    context.fillStyle = style('ink'), context.globalAlpha = 1;
    context.fillText(text, x, y);
  };
  const extras = {
    id: 'extras',
    // Draws the interval of each ratio behind its mark.
    beforeDatasetDraw: (chart, {index}) => {
      const set = chart.data.datasets[index], context = chart.ctx;
      if (set.ceiling) return;
      context.save();
      context.strokeStyle = set.borderColor, context.globalAlpha = set.data.length > 60 ? 0.3 : 0.55, context.lineWidth = 1.2;
      chart.getDatasetMeta(index).data.forEach((mark, i) => {
        const point = set.data[i];
        if (!point.low) return;
        context.beginPath();
        context.moveTo(mark.x, chart.scales.y.getPixelForValue(point.low));
        context.lineTo(mark.x, chart.scales.y.getPixelForValue(point.high));
        context.stroke();
      });
      context.restore();
    },
    afterDatasetsDraw: chart => {
      const context = chart.ctx, area = chart.chartArea, taken = [];
      context.save();
      context.font = '11px sans-serif';
      chart.data.datasets.forEach((set, index) => {
        if (!set.ceiling || !set.note || !chart.isDatasetVisible(index) || set.data.length < 2) return;
        const [from, to] = [set.data[0], set.data[set.data.length - 1]]
          .map(p => ({x: chart.scales.x.getPixelForValue(p.x), y: chart.scales.y.getPixelForValue(p.y)}));
        context.textAlign = 'right', context.textBaseline = 'alphabetic';
        if (set.along) {
          context.save();
          context.translate(to.x, to.y), context.rotate(Math.atan2(to.y - from.y, to.x - from.x));
          note(context, set.note, -24, -4);
          context.restore();
          return;
        }
        if (set.left) return note(context, set.note, from.x + 4 + context.measureText(set.note).width, from.y - 4);
        // The first label is above its line, the others below; labels do not overlap.
        let y = taken.length ? to.y + 12 : to.y - 4;
        while (taken.some(other => Math.abs(other - y) < 13)) y += 1;
        taken.push(y);
        note(context, set.note, area.right - 3, y);
      });
      context.restore();
    }
  };

  report.Panel = class {
    // build() returns {datasets, x, y, options} for the current selection; null: nothing to show.
    constructor(title, build, wide) {
      this.build = build, this.hidden = new Set(), this.chart = null, this.seen = false, this.dirty = true, this.current = -1;
      this.box = make('div', '', wide ? 'panel wide' : 'panel');
      this.canvas = make('canvas');
      this.canvas.tabIndex = 0;
      this.canvas.setAttribute('role', 'img');
      this.canvas.setAttribute('aria-label', title + '; arrow keys go from mark to mark');
      const frame = make('div', '', 'canvas');
      frame.append(this.canvas);
      this.chips = make('div', '', 'chips'), this.said = make('output');
      this.box.append(make('h4', title), frame, this.chips, this.said);
      this.canvas.addEventListener('keydown', event => this.step(event));
    }

    // Draws the current selection, at once or when the panel scrolls into view.
    update() {
      this.dirty = true;
      if (this.seen || this.box.hidden) this.draw();
    }
    draw() {
      if (!this.dirty) return;
      this.dirty = false, this.current = -1;
      const built = this.build();
      this.box.hidden = !built;
      if (!built) return;
      this.said.textContent = built.text || '';
      const data = {datasets: built.datasets}, options = this.options(built);
      if (built.labels) data.labels = built.labels;
      for (const set of data.datasets) set.hidden = this.hidden.has(set.label);
      if (this.chart) {
        this.chart.data = data, this.chart.options = options;
        this.chart.update();
      } else {
        this.chart = new Chart(this.canvas, {type: built.type || 'scatter', data: data, options: options, plugins: [extras]});
      }
      this.showChips();
    }
    options(built) {
      return Object.assign({
        animation: false, maintainAspectRatio: false, interaction: {mode: 'nearest', intersect: true},
        scales: {x: built.x, y: built.y},
        plugins: {
          legend: {display: false},
          tooltip: {
            displayColors: false, filter: item => !item.dataset.ceiling,
            callbacks: {title: () => '', label: item => this.words(item.raw).slice(0, 5)}
          }
        },
        onHover: (event, found) => {
          const mark = found.find(f => !this.chart.data.datasets[f.datasetIndex].ceiling);
          if (mark) this.say(mark);
        }
      }, built.options);
    }
    words(point) {
      return point.text ? [point.text] : point.row ? report.record(point.row) : [];
    }
    say(mark) {
      this.said.textContent = this.words(this.chart.data.datasets[mark.datasetIndex].data[mark.index]).filter(Boolean).join('\n');
    }
    showChips() {
      this.chips.replaceChildren(...this.chart.data.datasets.map((set, index) => {
        const chip = make('button'), sign = make('span', set.sign);
        chip.type = 'button';
        sign.style.color = Array.isArray(set.borderColor) ? set.borderColor[0] : set.borderColor;
        chip.append(sign, ' ' + set.label);
        chip.setAttribute('aria-pressed', String(!set.hidden));
        chip.addEventListener('click', () => {
          const show = this.hidden.delete(set.label);
          if (!show) this.hidden.add(set.label);
          this.chart.setDatasetVisibility(index, show);
          chip.setAttribute('aria-pressed', String(show));
          this.current = -1;
          this.chart.update();
        });
        return chip;
      }));
    }
    // Moves the selection between marks with the arrow keys, from left to right.
    step(event) {
      const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key];
      if (!step || !this.chart) return;
      const marks = [];
      this.chart.data.datasets.forEach((set, s) => {
        if (set.ceiling || !this.chart.isDatasetVisible(s)) return;
        this.chart.getDatasetMeta(s).data.forEach((mark, i) => marks.push({datasetIndex: s, index: i, x: mark.x, y: mark.y}));
      });
      if (!marks.length) return;
      event.preventDefault();
      marks.sort((a, b) => a.x - b.x || b.y - a.y);
      this.current = this.current < 0 ? (step > 0 ? 0 : marks.length - 1) : (this.current + step + marks.length) % marks.length;
      const {datasetIndex, index, x, y} = marks[this.current], active = [{datasetIndex, index}];
      this.chart.setActiveElements(active);
      this.chart.tooltip.setActiveElements(active, {x, y});
      this.chart.update();
      this.say(active[0]);
    }
  };
  report.onScheme = change => system.addEventListener('change', change);
}());
