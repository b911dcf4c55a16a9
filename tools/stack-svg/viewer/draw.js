// Draws the boxes that are in sight.

const ROW = Number(facts.row);
const LETTER = measureLetter();
const PADDING = 4;

// The width of a letter in pixels; nothing else is measured.
function measureLetter() {
  const context = make('canvas').getContext('2d');
  context.font = `${facts.letter}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
  return context.measureText('0123456789').width / 10 || Number(facts.letter) * 0.605;
}

const shown = { boxes: [], rows: new Map(), top: 0, bottom: 0, from: 0, to: -1, height: 0 };

const isUp = () => state.view !== 'sandwich' && !state.flipped;

function drawBoxes() {
  shown.boxes = layout(page.stage.clientWidth);
  shown.rows = new Map();
  shown.top = 0;
  shown.bottom = 0;
  for (const box of shown.boxes) {
    if (!shown.rows.has(box.row)) shown.rows.set(box.row, []);
    shown.rows.get(box.row).push(box);
    shown.top = Math.min(shown.top, box.row);
    shown.bottom = Math.max(shown.bottom, box.row);
  }
  const content = (shown.bottom - shown.top + 1) * ROW;
  shown.height = isUp() ? Math.max(content, page.stage.clientHeight - 1) : content;
  page.frames.style.height = `${shown.height}px`;
  for (const name of ['role', 'aria-label', 'aria-rowcount']) page.content.removeAttribute(name);
  page.frames.setAttribute('role', 'tree');
  page.frames.setAttribute('aria-label', nameOfView());
  revealRow(state.zoom.depth);
  drawRows();
  drawAxis();
}

const nameOfView = () => VIEWS.find((view) => view.id === state.view).word;

const topOf = (row) => (isUp() ? shown.height - (row + 1) * ROW : (row - shown.top) * ROW);

// Scrolls so that a row, and what stands on it, is in sight.
function revealRow(row) {
  const room = page.stage.clientHeight;
  const top = state.view === 'sandwich' ? topOf(0) - room / 2 : topOf(row);
  const margin = 2 * ROW;
  page.stage.scrollTop = isUp() ? top + ROW + margin - room : top - margin;
}

// How many rows beyond the visible ones are drawn, for scrolling.
const SPARE = 20;

function drawRows() {
  const first = Math.floor(page.stage.scrollTop / ROW) - SPARE;
  const last = first + Math.ceil(page.stage.clientHeight / ROW) + 2 * SPARE;
  const hadFocus = page.frames.contains(document.activeElement);
  const drawn = document.createDocumentFragment();
  for (const [row, boxes] of shown.rows) {
    const line = topOf(row) / ROW;
    const isInSight = line >= first && line <= last;
    for (const box of boxes) {
      box.element = isInSight ? drawn.appendChild(elementOf(box)) : null;
    }
  }
  page.frames.replaceChildren(drawn);
  [shown.from, shown.to] = [first, last];
  markCurrent(hadFocus);
  markEdges();
}

// Where there is more to scroll to, rows fade instead of being cut.
function markEdges() {
  const { scrollTop, scrollHeight, clientHeight } = page.stage;
  page.stage.classList.toggle('more-above', scrollTop > 0);
  page.stage.classList.toggle('more-below', scrollTop + clientHeight < scrollHeight - 1);
}

function redrawWhenScrolled() {
  markEdges();
  if (state.view === 'table') return drawTableRows();
  const first = Math.floor(page.stage.scrollTop / ROW);
  const last = first + Math.ceil(page.stage.clientHeight / ROW);
  if (first < shown.from + 2 || last > shown.to - 2) drawRows();
}

const frameTemplate = make('div', 'frame', '', { role: 'treeitem', tabindex: '-1' });
const groupTemplate = make('div', 'frame group', '', { 'aria-hidden': 'true' });

function elementOf(box) {
  const element = (box.frames === undefined ? frameTemplate : groupTemplate).cloneNode();
  element.box = box;
  const gap = box.width > 3 ? 1 : 0;
  const width = box.branch === state.current ? Math.max(box.width, CURRENT_WIDTH) : box.width;
  element.style.left = `${box.x}px`;
  element.style.top = `${topOf(box.row)}px`;
  element.style.width = `${width - gap}px`;
  element.style.height = `${ROW - 1}px`;
  if (box.frames === undefined) fillFrame(element, box);
  return element;
}

function fillFrame(element, { branch, width, isBelow }) {
  element.style.backgroundColor = colorOf(branch);
  element.textContent = labelOf(branch, Math.floor((width - 2 * PADDING) / LETTER));
  element.setAttribute('aria-level', branch.depth + 1);
  element.classList.toggle('below', isBelow === true);
  // Its outline would hide its colour.
  element.classList.toggle('thin', width < 6);
  markHit(element, branch);
}

// Shows whether the search found a frame.
function markHit(element, branch) {
  const isSearched = state.hits !== null;
  const isHit = isSearched && state.hits.has(branch.name);
  element.classList.toggle('hit', isHit);
  element.classList.toggle('miss', isSearched && !isHit);
  const label = `${branch.word}, ${summary(branch)}`;
  element.setAttribute('aria-label', isHit ? `${label}, found` : label);
}

// Shows the results of a search; no box moves.
function markHits() {
  for (const { element, branch } of shown.boxes) {
    if (element !== null && branch !== undefined) markHit(element, branch);
  }
}

function colorOf(branch) {
  if (isDiff) return changeColor(branch.weight, branch.before);
  return branch.name === NOBODY ? facts.whole : colorsOfNames[branch.name];
}

function labelOf({ word, before, after }, room) {
  if (isDiff) return fittedWith(word, change(before, after), room);
  return fitted(word, room);
}

const summary = (branch) => `${counted(branch.weight)}, ${percent(branch.weight, tree.total[0])}`;

// Puts the current frame, or else the zoomed one, into the tab order.
function markCurrent(takesFocus) {
  const current = state.current ?? state.zoom;
  page.frames.querySelectorAll('.current, [tabindex="0"]').forEach((element) => {
    element.classList.remove('current');
    element.tabIndex = -1;
  });
  const box = shown.boxes.find((one) => one.branch === current);
  if (!box?.element) return;
  box.element.tabIndex = 0;
  if (state.current !== null) box.element.classList.add('current');
  if (takesFocus) box.element.focus({ preventScroll: true });
}

// Draws the axis of a flame chart.
function drawAxis() {
  page.axis.replaceChildren();
  if (page.axis.hidden) return;
  const { zoom } = state;
  const width = page.stage.clientWidth;
  const step = stepOf(zoom.weight, width);
  const end = zoom.start + zoom.weight;
  const first = Math.ceil(zoom.start / step);
  // Steps are counted: adding a small step to a large weight may not change it.
  for (let index = 0; (first + index) * step < end; index++) {
    const at = (first + index) * step;
    const x = ((at - zoom.start) / zoom.weight) * width;
    const mark = makeIn(page.axis, 'span', 'mark', number(at));
    mark.style.left = `${x}px`;
    // A number that is cut by the edge would be read as another number.
    if (x + mark.offsetWidth > width) mark.textContent = '';
  }
}
