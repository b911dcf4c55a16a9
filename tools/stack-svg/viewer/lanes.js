// Draws the strip of time, and lets the reader select in it.

// The heights of a lane in pixels, and the part of the page that lanes may have.
const LANE = 16;
const PART_OF_PAGE = 0.2;
const FEWEST_LANES = 3;

// The least width of a column in pixels.
const LEAST_CELL = 4;

// Whether all lanes are shown, and what is drawn.
const lanesShown = { areAll: false, count: 0, drawn: '', rows: [] };

// The strip, or null if no line has a time.
function makeStrip(app) {
  if (strip === null) return null;
  const box = makeIn(app, 'div', 'strip', '', { role: 'group', 'aria-label': 'Time' });
  const lanes = makeIn(box, 'div', 'lanes');
  const names = makeIn(lanes, 'div', 'lane-names', '', { role: 'group', 'aria-label': 'Lanes' });
  const times = makeIn(lanes, 'div', 'times');
  const cells = makeIn(times, 'div', 'cells', '', { 'aria-hidden': 'true' });
  const window = makeIn(times, 'i', 'window');
  const veils = ['before', 'after'].map((side) => makeIn(times, 'i', `veil ${side}`));
  const edges = ['Start', 'End'].map((side) => makeIn(times, 'i', 'edge', '', {
    role: 'slider', tabindex: '0', 'aria-label': `${side} of the time`, 'aria-valuemin': '0',
    'aria-valuemax': String(strip.steps),
  }));
  const axis = makeIn(box, 'div', 'axis', '', { 'aria-hidden': 'true' });
  return { box, lanes, names, times, cells, window, veils, edges, axis };
}

// How many lanes have a row of their own: with more than fit, one row is the sum of the rest.
function countOfLanes() {
  if (isOnPaper) return lanesShown.count;
  const { length } = strip.lanes;
  const fits = Math.max(FEWEST_LANES, Math.floor((PART_OF_PAGE * page.app.clientHeight) / LANE));
  return lanesShown.areAll || length <= fits ? length : fits - 1;
}

// The heaviest lanes, and in the last row the sum of the rest.
function rowsOfLanes(count) {
  const { lanes } = strip;
  const rows = lanes.slice(0, count).map((lane) => ({ lane, name: lane.name, sums: sumsOf(lane) }));
  if (count === lanes.length) return rows;
  const sums = new Float64Array(strip.steps);
  for (const lane of lanes.slice(count)) sumsOf(lane).forEach((weight, step) => (sums[step] += weight));
  const others = lanes.length - count + Math.max(strip.others - 1, 0);
  return [...rows, { lane: null, name: `${grouped(others)} others`, sums, of: others }];
}

function drawStrip() {
  if (strip === null) return;
  const count = countOfLanes();
  const width = page.strip.times.clientWidth;
  const drawn = [width, count].join();
  if (lanesShown.drawn !== drawn) {
    const rows = rowsOfLanes(count);
    Object.assign(lanesShown, { drawn, count, rows });
    drawNames(rows);
    drawCells(rows, width);
    drawSeconds(width);
  }
  drawSelection();
}

function drawNames(rows) {
  const hadFocus = page.strip.names.contains(document.activeElement);
  page.strip.names.replaceChildren();
  for (const row of rows) {
    const words = row.lane === null ? `show ${row.name}` : `${wordsOfLane(row.lane)}, ${counted(row.lane.weight)}`;
    row.button = makeIn(page.strip.names, 'button', 'lane', row.name, { title: words, 'aria-label': words });
    row.button.ask = () => askLane(row.lane);
  }
  if (hadFocus) rows.at(-1).button.focus();
  noteLane(page.strip.names.querySelector(':focus') ?? page.strip.names.firstChild);
}

// Makes a lane the one that the tab key reaches: there may be a thousand.
function noteLane(button) {
  for (const other of page.strip.names.children) other.tabIndex = other === button ? 0 : -1;
}

// Goes from lane to lane; returns whether the key does that.
function moveLane({ key, target }) {
  if (!target.matches?.('.lane')) return false;
  const lanes = [...page.strip.names.children];
  const at = lanes.indexOf(target);
  const next = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: lanes.length - 1 }[key];
  if (next === undefined) return false;
  const button = lanes[next] ?? target;
  noteLane(button);
  button.focus();
  return true;
}

// Selects a lane, or takes that back; the row for the rest opens all lanes.
function askLane(lane) {
  if (lane === null) {
    lanesShown.areAll = true;
    return drawStrip();
  }
  if (lane.value === '+') return say('these lanes are only known together');
  select({ ...selection, lane: selection.lane === lane ? null : lane });
}

// Each row as a curve of columns. The row for the rest shows what one of them is on average, so that
// it is as high as the others.
function drawCells(rows, width) {
  const perCell = Math.max(1, Math.ceil((strip.steps * LEAST_CELL) / Math.max(width, 1)));
  const cells = rows.map(({ sums, of = 1 }) => {
    const list = new Float64Array(Math.ceil(strip.steps / perCell));
    sums.forEach((weight, step) => (list[Math.floor(step / perCell)] += weight / of));
    return list;
  });
  const named = cells.filter((_, at) => rows[at].lane !== null);
  const most = mostOf(named.flatMap((list) => [...list]));
  page.strip.cells.replaceChildren(...cells.map((list) => curveOf(list, most, perCell)));
}

const SVG = 'http://www.w3.org/2000/svg';

// The least height of a column, as a part of the row: however little ran, it is visible.
const LEAST_HEIGHT = 1 / LANE;

// A row is 1 high, and a step 1 wide.
function curveOf(cells, most, perCell) {
  const row = document.createElementNS(SVG, 'svg');
  setAll(row, { viewBox: `0 0 ${strip.steps} 1`, preserveAspectRatio: 'none' });
  const heights = [...cells].map((weight) => (
    weight === 0 ? 0 : Math.min(Math.max(weight / most, LEAST_HEIGHT), 1).toFixed(2)
  ));
  let path = 'M0 1';
  for (let at = 0, end = 0; at < heights.length; at = end) {
    while (end < heights.length && heights[end] === heights[at]) end++;
    path += `V${(1 - heights[at]).toFixed(2)}H${Math.min(end * perCell, strip.steps)}`;
  }
  const element = document.createElementNS(SVG, 'path');
  setAll(element, { class: 'curve', d: `${path}V1z` });
  row.append(element);
  return row;
}

// The weight that is as high as a row, as in common's shades.rs: one of a hundred cells has more.
function mostOf(weights) {
  const sorted = Float64Array.from(weights.filter((weight) => weight > 0)).sort();
  return sorted[Math.ceil(((sorted.length - 1) * 99) / 100)] ?? 1;
}

// Marks the part of the time that the chart shows. The chart has an axis of its own, and one is
// enough if both are the same.
function markShownTime() {
  if (strip === null) return;
  const isPart = isInChart() && isRange();
  page.app.classList.toggle('one-axis', isInChart() && !isPart && selection.range === null);
  page.strip.window.hidden = !isPart;
  const { from, to } = shownRange();
  const part = (time) => `${(100 * time) / (strip.steps * Number(strip.width))}%`;
  Object.assign(page.strip.window.style, { left: part(from), width: part(to - from) });
}

function drawSeconds(width) {
  const { axis } = page.strip;
  axis.replaceChildren();
  const end = (Number(strip.width) * strip.steps) / 1e9;
  const least = (end / Math.max(width, 1)) * 90;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least);
  for (let index = 0; index * step < end; index++) {
    const x = ((index * step) / end) * width;
    const mark = makeIn(axis, 'span', 'mark', `${Number((index * step).toPrecision(12))} s`);
    mark.style.left = `${x}px`;
    if (x + mark.offsetWidth > width) mark.remove();
  }
}

// Marks the selection, or the range of a drag that has not ended.
function drawSelection(range = selection.range) {
  const { veils, edges, cells, times } = page.strip;
  const limits = range ?? [0, strip.steps];
  const parts = limits.map((step) => (100 * step) / strip.steps);
  veils[0].style.width = `${parts[0]}%`;
  veils[1].style.left = `${parts[1]}%`;
  times.classList.toggle('chosen', range !== null);
  edges.forEach((edge, side) => {
    edge.style.left = `${parts[side]}%`;
    setAll(edge, { 'aria-valuenow': limits[side], 'aria-valuetext': `${secondsAt(limits[side])} s` });
  });
  lanesShown.rows.forEach(({ lane, button }, at) => {
    const isOut = selection.lane !== null && selection.lane !== lane;
    cells.children[at].classList.toggle('out', isOut);
    if (lane !== null) button.setAttribute('aria-pressed', lane === selection.lane);
  });
}

// The step under the pointer, and the row.
function placeInStrip({ clientX, clientY }) {
  const { left, top, width } = page.strip.times.getBoundingClientRect();
  const step = Math.floor(((clientX - left) / width) * strip.steps);
  const row = lanesShown.rows[Math.floor((clientY - top) / LANE)];
  return { step: Math.min(Math.max(step, 0), strip.steps - 1), row };
}

// Where a drag began; null if there is none.
let drag = null;

// A shorter drag, in pixels, is a click.
const LEAST_DRAG = 3;

function onStripDown(event) {
  if (event.button !== 0) return;
  const limits = selection.range ?? [0, strip.steps];
  const { step } = placeInStrip(event);
  // The other edge of a range stays.
  const side = selection.range === null ? -1 : page.strip.edges.indexOf(event.target);
  const anchor = side < 0 ? step : side === 0 ? limits[1] - 1 : limits[0];
  drag = { anchor, x: event.clientX, isEdge: side >= 0, range: null };
  page.strip.times.setPointerCapture(event.pointerId);
}

function onStripMove(event) {
  const { step, row } = placeInStrip(event);
  if (drag === null) return row === undefined ? hideTip() : showTimeTip(row, step, event);
  hideTip();
  if (!drag.isEdge && Math.abs(event.clientX - drag.x) < LEAST_DRAG && drag.range === null) return;
  drag.range = stepsBetween(Math.min(drag.anchor, step), Math.max(drag.anchor, step) + 1);
  drawSelection(drag.range ?? undefined);
}

function onStripUp(event) {
  if (drag === null) return;
  const { range, isEdge } = drag;
  const { row } = placeInStrip(event);
  const isDrag = isEdge || Math.abs(event.clientX - drag.x) >= LEAST_DRAG;
  drag = null;
  if (isDrag) select({ ...selection, range });
  else if (row !== undefined) askLane(row.lane);
}

function onStripCancel() {
  drag = null;
  drawSelection();
  hideTip();
}

// What ran around a step: in the steps of its cell.
function showTimeTip({ name, sums }, step, event) {
  const perCell = Math.max(1, Math.ceil((strip.steps * LEAST_CELL) / page.strip.times.clientWidth));
  const from = step - (step % perCell);
  const to = Math.min(from + perCell, strip.steps);
  page.tip.replaceChildren();
  const line = makeIn(page.tip, 'div', 'numbers');
  const weight = sums.subarray(from, to).reduce((sum, one) => sum + one, 0);
  for (const text of [wordsOfRange([from, to]), counted(weight)]) makeIn(line, 'span', '', text);
  makeIn(page.tip, 'b', '', name);
  page.tip.classList.add('on');
  placeTip(event);
}

// Moves an edge of the range by a key; returns whether the key does that.
function moveEdge({ key, shiftKey, target }) {
  const side = page.strip?.edges.indexOf(target) ?? -1;
  if (side < 0) return false;
  const limits = [...(selection.range ?? [0, strip.steps])];
  const far = Math.max(1, Math.round(strip.steps / 10));
  const by = shiftKey ? Math.max(1, Math.round(strip.steps / 100)) : 1;
  const moves = {
    ArrowLeft: -by, ArrowDown: -by, ArrowRight: by, ArrowUp: by, PageDown: -far, PageUp: far,
    Home: -strip.steps, End: strip.steps,
  };
  if (moves[key] === undefined) return false;
  const [least, most] = side === 0 ? [0, limits[1] - 1] : [limits[0] + 1, strip.steps];
  limits[side] = Math.min(Math.max(limits[side] + moves[key], least), most);
  select({ ...selection, range: stepsBetween(...limits) });
  target.focus();
  return true;
}

function listenToStrip() {
  if (strip === null) return;
  const { times } = page.strip;
  listen(times, {
    pointerdown: onStripDown, pointermove: onStripMove, pointerup: onStripUp,
    pointercancel: onStripCancel, pointerleave: hideTip,
  });
}
