"use strict";
// Draws the charts of the page from their data, in the element #charts.

const nearlyOne = 1 - 1e-9;

// number writes a value as the axes of the pictures do.
function number(v) {
  let suffix = "";
  for (const s of ["k", "M", "G", "T"]) {
    if (Math.abs(v) < 1e3 || (suffix === "" && Math.abs(v) < 99999)) break;
    v /= 1e3;
    suffix = s;
  }
  return String(Number(v.toPrecision(suffix ? 4 : 6))) + suffix;
}

// figure writes a value with four significant digits.
function figure(v) {
  if (v == null) return "–";
  if (v === 0) return "0";
  const digits = Math.max(0, Math.min(3, 3 - Math.floor(Math.log10(Math.abs(v)))));
  return v.toFixed(digits);
}

// roundStep is the least of 1, 2, 5 times a power of ten that is at least step.
function roundStep(step) {
  const ten = Math.pow(10, Math.floor(Math.log10(step)));
  for (const k of [1, 2, 5]) if (k * ten >= step * nearlyOne) return k * ten;
  return 10 * ten;
}

// Each scale's ticks, as [value, label].
const ticks = {
  linear(lo, hi) {
    const step = roundStep((hi - lo) / 6);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const list = [];
    for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9; k++) {
      list.push([k * step, digits ? (k * step).toFixed(digits) : number(Math.round(k * step))]);
    }
    return list;
  },
  log(lo, hi) {
    const decades = Math.log10(hi / lo);
    if (decades < 0.7) return ticks.linear(lo, hi);
    const every = Math.max(1, Math.ceil(decades / 10));
    const list = [];
    for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e++) {
      for (const k of decades < 2.5 ? [1, 2, 5] : [1]) {
        const v = Number(k + "e" + e);
        if (v >= lo * nearlyOne && v <= hi / nearlyOne && e % every === 0) list.push([v, number(v)]);
      }
    }
    return list;
  },
  share(lo, hi) {
    const list = [[1, "0"], [2, "50"]];
    for (let e = 1; Math.pow(10, e) <= hi / nearlyOne; e++) {
      list.push([Math.pow(10, e), e === 1 ? "90" : "99" + (e > 2 ? "." + "9".repeat(e - 2) : "")]);
    }
    return list.filter((t) => t[0] >= lo * nearlyOne && t[0] <= hi / nearlyOne);
  },
  elapsed(lo, hi) {
    let unit = 1, name = " s";
    for (const [s, n] of [[60, " min"], [3600, " h"], [86400, " d"]]) {
      if (hi - lo > 3 * s) { unit = s; name = n; }
    }
    let step = roundStep((hi - lo) / unit / 6);
    if (name === " h" && step >= 5) step = Math.max(6, 6 * roundStep(step / 6));
    else if (name !== " d" && step >= 20) step = 30 * Math.ceil(step / 30);
    const list = [];
    for (let k = Math.ceil(lo / unit / step - 1e-9); k * step * unit <= hi + 1e-9 * step * unit; k++) {
      list.push([k * step * unit, number(k * step) + name]);
    }
    return list;
  },
  category(lo, hi, axis) {
    return axis.names.map((n, i) => [i, n]).filter((t) => t[0] >= lo && t[0] <= hi);
  },
};

// place names a value of an axis for the cursor.
function place(axis, v) {
  switch (axis.scale) {
    case "share": return "q = " + Number((100 * (1 - 1 / v)).toPrecision(9)) + " %";
    case "elapsed": return clock(v);
    case "category": return axis.names[Math.round(v)];
  }
  return figure(v) + " " + unit(axis);
}

// unit is what stands in an axis title's brackets.
function unit(axis) {
  const m = /\(([^)]*)\)$/.exec(axis.title);
  return m ? m[1] : axis.title.startsWith("samples per") ? "/" + axis.title.slice(12) : "";
}

// clock writes seconds as h:mm:ss.
function clock(s) {
  const two = (n) => String(Math.floor(n)).padStart(2, "0");
  return Math.floor(s / 3600) + ":" + two((s / 60) % 60) + ":" + two(s % 60);
}

const logarithmic = (axis) => axis.scale === "log" || axis.scale === "share";

// scaleOf shows what is in the view, whatever the data.
function scaleOf(axis, view) {
  return { time: false, distr: logarithmic(axis) ? 3 : 1, range: () => [view.min, view.max] };
}

// roomy empties the labels of the bottom axis that would touch the one before or
// leave the picture.
function roomy(u, splits, labels) {
  const last = u.width - u.bbox.left / devicePixelRatio;
  let end = -Infinity;
  return labels.map((label, i) => {
    const at = u.valToPos(splits[i], "x"), half = 3.6 * label.length;
    if (at - half < end + 8 || at + half > last) return "";
    end = at + half;
    return label;
  });
}

function axisOf(axis, side) {
  const font = "12px system-ui, sans-serif";
  return {
    side, font, label: axis.title, labelFont: "13px system-ui, sans-serif", labelSize: 22,
    size: side === 3 ? 58 : 34, stroke: "#222", grid: { stroke: "#e6e6e6", width: 1 }, ticks: { stroke: "#888", width: 1, size: 5 },
    splits: (u, i, lo, hi) => ticks[axis.scale](lo, hi, axis).map((t) => t[0]),
    values: (u, splits) => {
      const s = u.scales[side === 3 ? "y" : "x"];
      const names = new Map(ticks[axis.scale](s.min, s.max, axis));
      const labels = splits.map((v) => names.get(v) ?? "");
      return side === 3 ? labels : roomy(u, splits, labels);
    },
    filter: (u, splits) => splits,
  };
}

// outline draws a curve of steps from its own points: y[i] holds from x[i] to
// x[i+1], 0 is a gap. Beside a gap the outline of a curve that is alone goes
// down to the floor; those of several have drops there.
const outline = (c, alone) => (u) => {
  const stroke = new Path2D(), { x, y } = c, floor = u.bbox.top + u.bbox.height;
  const px = (v) => u.valToPos(v, "x", true), py = (v) => Math.min(u.valToPos(v, "y", true), 1e5);
  for (let i = 0, on = false; i + 1 < x.length; i++) {
    if (!(y[i] > 0)) {
      if (on && alone) stroke.lineTo(px(x[i]), floor);
      on = false;
      continue;
    }
    if (!on) stroke.moveTo(px(x[i]), alone ? floor : py(y[i]));
    on = true;
    stroke.lineTo(px(x[i]), py(y[i]));
    stroke.lineTo(px(x[i + 1]), py(y[i]));
    if (i + 2 === x.length && alone) stroke.lineTo(px(x[i + 1]), floor);
  }
  return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 0 };
};

// drops draws faint lines from the ends of the outlines of several curves down
// to the floor.
function drops(u, chart, shown) {
  if (chart.curves.length < 2) return;
  const b = u.bbox, floor = b.top + b.height;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(b.left, b.top, b.width, b.height);
  u.ctx.clip();
  u.ctx.globalAlpha = 0.3;
  u.ctx.lineWidth = devicePixelRatio;
  u.ctx.setLineDash([]);
  chart.curves.forEach((c, i) => {
    if (c.style !== "steps" || !shown[i]) return;
    u.ctx.strokeStyle = c.color;
    u.ctx.beginPath();
    c.x.forEach((x, k) => {
      const y = Math.max(c.y[k], k > 0 ? c.y[k - 1] : 0);
      if (!(y > 0) || (c.y[k] > 0 && k > 0 && c.y[k - 1] > 0)) return;
      const at = u.valToPos(x, "x", true);
      u.ctx.moveTo(at, Math.min(u.valToPos(y, "y", true), floor));
      u.ctx.lineTo(at, floor);
    });
    u.ctx.stroke();
  });
  u.ctx.restore();
}

// across makes a gap last to the curve's next point, over the points of others.
const across = 2; // uPlot's NULL_EXPAND

// seriesOf turns curves into uPlot's aligned data. A band's lower edge becomes a
// series of its own that is never listed.
function seriesOf(chart) {
  const tables = [], series = [{}], bands = [], owner = [-1];
  chart.curves.forEach((c, i) => {
    // Of points with one x only one would be kept: a vertical line leans a little.
    const columns = [c.x.map((x, k) => (k > 0 && x === c.x[k - 1] ? x * (1 + 1e-6) : x)), c.y];
    const dash = c.dash && c.dash.map((d) => 1.3 * d);
    const gap = (k) => c.y[k] == null;
    const alone = new Set(c.y.map((_, k) => k).filter((k) => !gap(k) && (k === 0 || gap(k - 1)) && (k === c.y.length - 1 || gap(k + 1))).map((k) => c.x[k]));
    series.push({
      stroke: c.color, width: c.style === "steps" ? 1.5 : 1.8, dash,
      paths: c.style === "steps" ? outline(c, chart.curves.length === 1) : uPlot.paths.linear(),
      points: c.style === "steps" ? { show: false } : {
        show: c.style === "dots" || alone.size > 0, size: 6, fill: c.color,
        filter: c.style === "dots" ? undefined : (u, si) => u.data[0].map((x, k) => k).filter((k) => u.data[si][k] != null && alone.has(u.data[0][k])),
      },
    });
    owner.push(i);
    if (c.low) {
      columns.push(c.low);
      series.push({ stroke: "transparent", width: 0, points: { show: false } });
      owner.push(i);
      bands.push({ series: [series.length - 2, series.length - 1], fill: c.color + "2e" });
    }
    tables.push(columns);
  });
  const data = tables.length === 0 || tables.every((t) => t[0].length === 0) ? [[chart.x.min, chart.x.max], ...series.slice(1).map(() => [null, null])] : uPlot.join(tables, tables.map((t) => t.map(() => across)));
  return { data, series, bands, owner };
}

// marks draws the point of each curve that is worth a mark.
function marks(u, chart, shown) {
  const r = devicePixelRatio;
  chart.curves.forEach((c, i) => {
    if (!c.mark || !shown[i]) return;
    const x = u.valToPos(c.mark.x, "x", true);
    const y = u.valToPos(Math.max(c.mark.y, chart.y.min), "y", true);
    const b = u.bbox;
    if (!(x >= b.left - 1 && x <= b.left + b.width + 1 && y >= b.top - 1 && y <= b.top + b.height + 1)) return;
    u.ctx.beginPath();
    u.ctx.arc(x, y, 4.5 * r, 0, 7);
    u.ctx.fillStyle = c.color;
    u.ctx.fill();
    u.ctx.setLineDash([]);
    u.ctx.lineWidth = 1.5 * r;
    u.ctx.strokeStyle = "#fff";
    u.ctx.stroke();
  });
}

// heat is the ramp of the pictures: one hue, steadily darker.
function heat(share) {
  const stops = [[0x9c, 0xcb, 0xe9], [0x3f, 0x9b, 0xd1], [0x00, 0x5f, 0x9e], [0x06, 0x1f, 0x3d]];
  const at = Math.min(Math.max(share, 0), 1) * 3, i = Math.min(Math.floor(at), 2);
  return "rgb(" + stops[i].map((a, k) => Math.round(a + (at - i) * (stops[i + 1][k] - a))).join(",") + ")";
}

// mostOf is the largest count of a heat map.
const mostOf = (grid) => grid.counts.reduce((m, row) => row.reduce((a, b) => Math.max(a, b), m), 0);

// cells paints a heat map, fuller cells over emptier ones.
function cells(u, grid) {
  const most = mostOf(grid), ctx = u.ctx, b = u.bbox, least = 3 * devicePixelRatio, list = [];
  grid.counts.forEach((row, r) => row.forEach((n, k) => { if (n > 0) list.push([n, r, k]); }));
  list.sort((p, q) => p[0] - q[0]);
  const xs = grid.x.map((v) => u.valToPos(v, "x", true)), ys = grid.y.map((v) => u.valToPos(Math.max(v, 1e-6), "y", true));
  ctx.save();
  ctx.beginPath();
  ctx.rect(b.left, b.top, b.width, b.height);
  ctx.clip();
  for (const [n, r, k] of list) {
    const w = Math.max(xs[k + 1] - xs[k] + 0.5, least), h = Math.max(ys[r] - ys[r + 1] + 0.5, least);
    ctx.fillStyle = heat(most > 1 ? Math.log(n) / Math.log(most) : 1);
    ctx.fillRect((xs[k] + xs[k + 1] - w) / 2, (ys[r] + ys[r + 1] - h) / 2, w, h);
  }
  ctx.restore();
}

// swatch draws a curve's line for the legend.
function swatch(c) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", 28);
  svg.setAttribute("height", 10);
  const line = document.createElementNS(svg.namespaceURI, "line");
  for (const [k, v] of Object.entries({ x1: 0, y1: 5, x2: 28, y2: 5, stroke: c.color, "stroke-width": 2.5 })) line.setAttribute(k, v);
  if (c.dash) line.setAttribute("stroke-dasharray", c.dash.join(" "));
  svg.append(line);
  return svg;
}

function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text != null) e.textContent = text;
  return e;
}

// ramp is the legend of a heat map.
function ramp(grid) {
  const box = element("div", "ramp");
  const bar = element("span", "bar");
  bar.style.background = "linear-gradient(90deg," + Array.from({ length: 13 }, (_, i) => heat(i / 12)).join(",") + ")";
  box.append("1", bar, number(Math.max(1, mostOf(grid))) + " " + grid.unit + ", logarithmic");
  return box;
}

// legendOf lists the curves as buttons that hide and show all of their name, in
// columns as wide as the longest.
function legendOf(chart, toggle) {
  const list = element("div", "legend"), values = new Map();
  for (const c of chart.curves) {
    if (values.has(c.name)) continue;
    const b = element("button");
    b.type = "button";
    b.setAttribute("aria-pressed", "true");
    b.title = "hide or show " + c.name;
    const value = element("span", "value");
    b.append(swatch(c), element("span", "name", c.name), element("span", "note", c.note || ""), value);
    b.addEventListener("click", () => {
      const on = b.getAttribute("aria-pressed") !== "true";
      b.setAttribute("aria-pressed", String(on));
      toggle(c.name, on);
    });
    values.set(c.name, value);
    list.append(b);
  }
  const longest = Math.max(...chart.curves.map((c) => c.name.length + (c.note || "").length));
  list.style.gridTemplateColumns = `repeat(auto-fill, minmax(min(100%, ${0.48 * longest + 8.5}rem), 1fr))`;
  return { list, values };
}

// show makes one chart. The plot stays reachable at its element for tests and
// for those who look at it in a console.
function show(chart, parent) {
  chart.curves = chart.curves || [];
  const figureBox = element("figure", "chart");
  const heading = element("figcaption");
  heading.append(element("b", "", chart.title));
  const cursor = element("span", "cursor");
  heading.append(cursor);
  const area = element("div", "area");
  figureBox.append(heading, area);
  parent.append(figureBox);

  const { data, series, bands, owner } = seriesOf(chart);
  const shown = chart.curves.map(() => true);
  const legend = legendOf(chart, (name, on) => {
    u.batch(() => {
      chart.curves.forEach((c, i) => { if (c.name === name) shown[i] = on; });
      owner.forEach((i, k) => { if (i >= 0 && chart.curves[i].name === name) u.setSeries(k, { show: on }); });
    });
    u.redraw(false);
  });
  const view = { x: { min: chart.x.min, max: chart.x.max }, y: { min: chart.y.min, max: chart.y.max } };
  const look = (u, x, y) => u.batch(() => {
    Object.assign(view.x, x);
    Object.assign(view.y, y);
    u.setScale("x", { ...view.x });
    u.setScale("y", { ...view.y });
  });
  const reset = (u) => look(u, { min: chart.x.min, max: chart.x.max }, { min: chart.y.min, max: chart.y.max });
  const zoom = (u) => {
    const { left, top, width, height } = u.select;
    if (width < 4 || height < 4) return;
    const x = { min: u.posToVal(left, "x"), max: u.posToVal(left + width, "x") };
    const y = { min: u.posToVal(top + height, "y"), max: u.posToVal(top, "y") };
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    look(u, x, y);
  };
  const u = new uPlot({
    width: Math.max(320, area.clientWidth), height: 380, series, bands,
    legend: { show: false },
    padding: [10, 24, 0, 0],
    scales: { x: scaleOf(chart.x, view.x), y: scaleOf(chart.y, view.y) },
    axes: [axisOf(chart.x, 2), axisOf(chart.y, 3)],
    cursor: { drag: { x: true, y: true, uni: 30, setScale: false }, points: { size: 7 }, bind: { dblclick: (u) => () => { reset(u); return null; } } },
    hooks: {
      draw: [(u) => {
        if (chart.grid) cells(u, chart.grid);
        drops(u, chart, shown);
        marks(u, chart, shown);
      }],
      setSelect: [zoom],
      setCursor: [(u) => point(u, chart, owner, legend.values, cursor)],
    },
  }, data, area);
  area.uPlot = u;
  new ResizeObserver(() => {
    if (area.clientWidth !== u.width && area.clientWidth > 0) u.setSize({ width: area.clientWidth, height: 380 });
  }).observe(area);
  if (chart.curves.length) figureBox.append(legend.list);
  if (chart.grid) figureBox.append(ramp(chart.grid));
  for (const n of chart.notes || []) figureBox.append(element("p", "chart-note", n));
}

// point writes what lies under the cursor.
function point(u, chart, owner, values, cursor) {
  const { left, top, idx } = u.cursor;
  if (left == null || left < 0) {
    cursor.textContent = "";
    for (const v of values.values()) v.textContent = "";
    return;
  }
  if (chart.grid) {
    const x = u.posToVal(left, "x"), y = u.posToVal(top, "y");
    const column = chart.grid.x.findIndex((v) => v > x) - 1, row = chart.grid.y.findIndex((v) => v > y) - 1;
    const n = column >= 0 && row >= 0 ? chart.grid.counts[row][column] : 0;
    cursor.textContent = place(chart.x, x) + ", " + place(chart.y, y) + ": " + n + " " + chart.grid.unit;
    return;
  }
  if (idx == null) return;
  cursor.textContent = place(chart.x, u.data[0][idx]);
  const seen = new Set();
  owner.forEach((i, k) => {
    if (i < 0 || seen.has(chart.curves[i].name)) return;
    seen.add(chart.curves[i].name);
    let at = idx;
    while (at > 0 && u.data[k][at] === undefined) at--;
    values.get(chart.curves[i].name).textContent = figure(u.data[k][at]) + " " + unit(chart.y);
  });
}

const parent = document.getElementById("charts");
for (const chart of JSON.parse(document.getElementById("data").textContent)) show(chart, parent);
