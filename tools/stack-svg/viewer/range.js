// The part of a view that is shown: the zoomed frame, or a range of weights within it.

// The range that is shown, in the weights of the tree: all of the zoomed frame, unless
// the reader has chosen a part of it.
function shownRange() {
  const { zoom, range } = state;
  if (range?.zoom === zoom) return range;
  return { from: zoom.start, to: zoom.start + zoom.size };
}

const isRange = () => state.range?.zoom === state.zoom;

// Whether anything is out of sight to the left or right.
const isZoomed = () => state.view !== 'table' && (isRange() || state.zoom !== rootOf(state.view));

// Chooses a range. If it leaves the zoomed frame, zooms out to a caller that holds it.
function setRange(from, to) {
  const root = rootOf(state.view);
  const step = stepOfRange(to - from);
  const weight = Math.min(Math.max(rounded(to - from, step), 1), root.size);
  const last = root.start + root.size - weight;
  const start = Math.min(Math.max(rounded(from, step), root.start), last);
  const end = start + weight;
  let { zoom } = state;
  const holds = (one) => one.start <= start && end <= one.start + one.size;
  while (zoom.parent !== null && !holds(zoom)) zoom = zoom.parent;
  state.zoom = zoom;
  state.range = weight < zoom.size ? { zoom, from: start, to: end } : null;
}

// Positions are multiples of a step that is a small part of a pixel, so that they need few digits
// in the address.
const stepOfRange = (weight) => 2 ** Math.floor(Math.log2(Math.max(weight, 1) / 65536));
const rounded = (place, step) => Math.round(place / step) * step;

// Makes the range `times` as wide; the point at this part of its width, such as 0.5 for the middle,
// stays there.
function scaleRange(times, part = 0.5) {
  const { from, to } = shownRange();
  const fixed = from + part * (to - from);
  const weight = Math.max((to - from) * times, 1);
  setRange(fixed - part * weight, fixed + (1 - part) * weight);
}

// Moves the range to the right by a part of its width; less than 0 is to the left.
function moveRange(parts) {
  const { from, to } = shownRange();
  const by = parts * (to - from);
  setRange(from + by, to + by);
}

// Shows the time of a block of the chart, and a little around it.
function zoomToTime(from, to, branch) {
  const margin = (to - from) / 50;
  setRange(from - margin, to + margin);
  state.current = branch;
  render();
  remember(true);
}

// Zooms to a block of narrow frames, in the frame that has them all.
function zoomToBlock({ start, end, branches }) {
  if (isInChart()) return zoomToTime(start, end, null);
  const [first, last] = [branches[0], branches.at(-1)];
  if (!isSandwich()) state.zoom = commonBranch(first.parent, last.parent);
  setRange(start, end);
  state.current = null;
  renderRange();
  remember(true);
}

// Shows a frame that is out of the range, or too narrow to be read: it gets a quarter
// of the width. The zoomed frame stays.
function bringIntoRange({ start, size }, leastShare) {
  const { from, to } = shownRange();
  const isInside = from <= start && start + size <= to;
  const isReadable = size >= leastShare * (to - from);
  if (isInside && isReadable) return;
  const width = isReadable && size <= to - from ? to - from : 4 * size;
  const { zoom } = state;
  const least = Math.max(zoom.start, start + size / 2 - width / 2);
  const first = Math.min(least, zoom.start + zoom.size - width);
  if (width < zoom.size) setRange(first, first + width);
  else state.range = null;
}

// Draws a range that was moved: the rows stay where they are on the screen.
function renderRange() {
  const { zoom } = state;
  if (page.crumbs.zoom !== zoom) {
    drawCrumbs();
    showMatched();
    showStatus();
  }
  drawRangeCrumb();
  markShownTime();
  drawBoxes(true);
  drawLegend();
  hideTip();
}

// After the names of the zoomed frames: which part of the last one is shown.
function drawRangeCrumb() {
  page.crumbs.querySelector('.range')?.remove();
  if (isRange()) {
    const { zoom, range } = state;
    const share = (100 * (range.to - range.from)) / zoom.size;
    const digits = Math.min(12, Math.max(1, 2 - Math.floor(Math.log10(share))));
    const part = (at) => ((100 * (at - zoom.start)) / zoom.size).toFixed(digits);
    const inTime = () => wordsOfTime(range.from, range.to, digitsOfTime(range.to - range.from));
    makeIn(page.crumbs, 'span', 'crumb last range', isInChart() ? inTime() : `${part(range.from)}–${part(range.to)}%`, {
      title: `the part of ${nameText(zoom.name)} that is shown`,
    });
  }
  page.crumbs.scrollLeft = page.crumbs.scrollWidth;
}

// For the address: where the range starts in the zoomed frame, and its weight.
function rangeText() {
  const { zoom } = state;
  const { from, to } = state.range;
  return `${from - zoom.start}+${to - from}`;
}

// Shows the range of an address, as far as this profile has it.
function setRangeOf(text) {
  const [from, weight] = text.split('+').map(Number);
  const { zoom } = state;
  if (!(from >= 0 && from < zoom.size && weight > 0)) return;
  const start = zoom.start + from;
  setRange(start, Math.min(start + weight, zoom.start + zoom.size));
}
