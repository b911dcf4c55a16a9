// Print: what is shown, on one page; rows that would be nearly empty are left out.

// The width of the picture on paper, in pixels, and the width of a page as a part of its height.
const PAPER_WIDTH = 1200;
const PAGE_SHAPE = 0.7;
const WIDEST_PAPER = 4000;

// How many rows of a table are on a page.
const ROWS_OF_PAPER = 50;

let isOnPaper = false;

// In a picture that is higher than a page, rows are left out if less than this part of the width
// would be printed: a page of one narrow tower shows nothing else.
const LEAST_PRINTED = 0.01;

// The most rows that are printed: those next to the zoomed frame. With more rows, letters would be
// too small to be read, even on a page as wide as the widest.
const MOST_PRINTED = Math.floor(WIDEST_PAPER / PAGE_SHAPE / ROW) - 10;

// The boxes that are printed; the footer says what is left out.
function printed(boxes) {
  const widths = new Map();
  for (const { row, width } of boxes) widths.set(row, (widths.get(row) ?? 0) + width);
  const least = LEAST_PRINTED * page.stage.clientWidth;
  const isOnPage = (row) => Math.abs(row) * ROW < PAPER_WIDTH / PAGE_SHAPE;
  const wide = [...widths.keys()].filter((row) => isOnPage(row) || widths.get(row) >= least);
  const distance = (row) => Math.abs(row - state.zoom.depth);
  const rows = new Set(wide.sort((one, other) => distance(one) - distance(other)).slice(0, MOST_PRINTED));
  const omitted = widths.size - rows.size;
  const kind = rows.size < wide.length ? '' : ' narrow';
  if (omitted > 0) page.notes.dataset.omitted = `${omitted}${kind} rows are not printed`;
  return boxes.filter(({ row }) => rows.has(row));
}

// Lays the picture out for paper. A high one gets wider boxes, since it is scaled down.
function toPaper() {
  if (isOnPaper) return;
  isOnPaper = true;
  page.notes.dataset.omitted = '';
  page.app.classList.add('on-paper');
  const height = layOutOnPaper(PAPER_WIDTH);
  const width = Math.min(height * PAGE_SHAPE, WIDEST_PAPER);
  if (width > PAPER_WIDTH) layOutOnPaper(Math.round(width));
  if (isAlone) turnPage(height > PAPER_WIDTH * PAGE_SHAPE);
}

// Prints a high picture on an upright page: across a page that is wider than high, it would have
// half of the width.
function turnPage(isHigh) {
  const { sheet } = picture.querySelector('style');
  const last = sheet.cssRules.length - 1;
  if (sheet.cssRules[last] instanceof CSSPageRule) sheet.deleteRule(last);
  if (isHigh) sheet.insertRule('@page { size: portrait; }', sheet.cssRules.length);
}

function layOutOnPaper(width) {
  const holder = page.app.parentNode;
  setAll(holder, { width, height: 10 });
  picture.setAttribute('width', width);
  picture.removeAttribute('viewBox');
  page.stage.style.flex = '0 0 0px';
  render();
  const rows = Math.min(table.rows.length, ROWS_OF_PAPER) * ROW_OF_TABLE;
  page.stage.style.flex = `0 0 ${state.view === 'table' ? rows : shown.height}px`;
  const height = page.app.scrollHeight;
  holder.setAttribute('height', height);
  picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
  picture.setAttribute('width', '100%');
  picture.removeAttribute('height');
  return height;
}

function fromPaper() {
  if (!isOnPaper) return;
  isOnPaper = false;
  page.app.classList.remove('on-paper');
  const holder = page.app.parentNode;
  for (const side of ['width', 'height']) holder.setAttribute(side, '100%');
  fillWindow();
  render();
}

function listenToPrint() {
  listen(window, { beforeprint: toPaper, afterprint: fromPaper });
  listen(matchMedia('print'), { change: ({ matches }) => (matches ? toPaper() : fromPaper()) });
}
