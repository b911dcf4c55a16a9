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

const shown = {
  boxes: [], elements: new Map(), top: 0, height: 0,
  // The height of a row in pixels.
  row: ROW,
};

// Lanes hang from their names.
const isUp = () => !isSandwich() && !isInChart() && !state.flipped;

// Draws the boxes of the view; its rows stay where they are on the screen, or are
// scrolled to the zoomed frame.
function drawBoxes(keepsRows = false) {
  const base = page.stage.scrollTop - topOf(0);
  const boxes = layout(page.stage.clientWidth);
  shown.boxes = isOnPaper ? printed(boxes) : boxes;
  [shown.top, shown.bottom] = isInChart() ? [0, chartNow().rows - 1] : rowsOf(shown.boxes);
  if (!keepsRows) fitRows();
  const content = (shown.bottom - shown.top + 1) * shown.row;
  const room = page.stage.clientHeight;
  shown.notes = page.notes.offsetHeight;
  shown.height = isUp() ? Math.max(content, room - 1) : content;
  // What is in sight stays there, even if the rest is now lower.
  const kept = isUp() ? -base - shown.row : base + topOf(0) + room;
  if (keepsRows) shown.height = Math.max(shown.height, kept);
  page.frames.style.height = `${shown.height}px`;
  page.frames.style.setProperty('--row', `${shown.row}px`);
  for (const name of ['role', 'aria-label', 'aria-rowcount']) page.content.removeAttribute(name);
  setAll(page.frames, { role: 'tree', 'aria-label': page.tabOf[state.view].textContent });
  if (keepsRows) page.stage.scrollTop = base + topOf(0);
  else if (!isInChart()) revealRow(state.zoom.depth);
  drawRows();
  drawAxis();
  drawMap();
}

// Rows of a small picture are at most so many times as high as usual.
const HIGHEST = 1.6;

// Computes how deep the profile is, and how deep it is drawn at first.
function measureDepth(width) {
  const { deepest, depth, end, total } = whole;
  const least = (LEAST_WIDTH / width) * Number(total[0]);
  let drawn = 0;
  // Narrow frames on a wide one are drawn as a block.
  for (const wide = [0]; wide.length > 0;) {
    const node = wide.pop();
    if (end[node] > node + 1) drawn = Math.max(drawn, depth[node] + 1);
    for (let kid = node + 1; kid < end[node]; kid = end[kid]) if (total[kid] >= least) wide.push(kid);
  }
  Object.assign(shown, { width, deepest, drawn });
}

function fillContent() {
  page.content.classList.remove('short');
  if (!isOnPaper) page.stage.style.flex = '';
}

// Gives the rows of a small picture more height, and hangs a small profile under the
// header. Zooming changes neither, though there may be more rows to scroll to.
function fitRows() {
  fillContent();
  shown.row = ROW;
  if (isOnPaper) return;
  const { clientWidth, clientHeight: room } = page.stage;
  if (shown.width !== clientWidth) measureDepth(clientWidth);
  const here = shown.bottom - shown.top;
  const isOwn = isSandwich() || isInChart();
  const atFirst = Math.max(isInChart() ? 0 : shown.drawn, isOwn ? here : 0) + 1;
  const isUsual = ROW === Math.floor(facts.letter * 1.5);
  if (isUsual) shown.row = Math.max(ROW, Math.min(Math.floor(room / atFirst), Math.floor(ROW * HIGHEST)));
  const height = (Math.max(isInChart() ? 0 : shown.deepest, here) + 1) * shown.row;
  if (height >= room) return;
  page.stage.style.flex = `0 0 ${height + 1}px`;
  page.content.classList.add('short');
}

const topOf = (row) => (isUp() ? shown.height - (row + 1) * shown.row : (row - shown.top) * shown.row);

// Scrolls so that a row, and what is on top of it, is in sight.
function revealRow(row) {
  const room = page.stage.clientHeight;
  const top = isSandwich() ? topOf(0) - room / 2 : topOf(row);
  const margin = 2 * shown.row;
  page.stage.scrollTop = isUp() ? top + shown.row + margin - room : top - margin;
}

// How many rows beyond the visible ones are drawn, for scrolling.
const SPARE = 20;

function drawRows() {
  const [first, last] = isOnPaper ? [0, Infinity] : rowsInSight();
  const hadFocus = page.frames.contains(document.activeElement);
  const before = shown.elements;
  shown.elements = new Map();
  for (const box of shown.boxes) {
    const line = topOf(box.row) / shown.row;
    const isInSight = line >= first && line <= last;
    box.element = isInSight ? drawnAgain(box, before) ?? elementOf(box) : null;
  }
  // To empty all at once is faster than one by one.
  const isNew = ({ element }) => !element?.parentNode;
  if (shown.boxes.every(isNew)) page.frames.replaceChildren();
  else for (const element of before.values()) element.remove();
  addInOrder();
  page.frames.classList.add('boxes');
  // What had the focus may now be out of the drawn rows.
  if (hadFocus && !page.frames.contains(document.activeElement)) page.stage.focus({ preventScroll: true });
  [shown.from, shown.to] = [first, last];
  markCurrent(hadFocus);
  markEdges();
}

// Adds new elements, so that a screen reader finds each frame before those on top of it. Elements
// that are there already are in this order, and keep the focus.
function addInOrder() {
  const blocks = document.createDocumentFragment();
  const frames = document.createDocumentFragment();
  for (const { element, branch } of shown.boxes) {
    if (element === null) continue;
    if (branch === undefined) blocks.append(element);
    else if (element.parentNode === null) frames.append(element);
    else page.frames.insertBefore(frames, element);
  }
  page.frames.append(frames, blocks);
}

// Where one can scroll, rows fade instead of being cut.
function markEdges() {
  const { scrollTop, scrollHeight, clientHeight } = page.stage;
  page.stage.classList.toggle('more-above', scrollTop > 0);
  page.stage.classList.toggle('more-below', scrollTop + clientHeight < scrollHeight - 1);
}

function redrawWhenScrolled() {
  markEdges();
  const [row, draw] = state.view === 'table' ? [ROW_OF_TABLE, drawTableRows] : [shown.row, drawScrolled];
  const first = Math.floor(page.stage.scrollTop / row);
  const last = first + Math.ceil(page.stage.clientHeight / row);
  if (first < shown.from + 2 || last > shown.to - 2) draw();
}

// A chart has other lanes in sight now.
function drawScrolled() {
  if (isInChart()) drawBoxes(true);
  else drawRows();
}

const frameTemplate = make('div', 'frame', '', { role: 'treeitem', tabindex: '-1' });
const groupTemplate = make('div', 'frame group', '', { 'aria-hidden': 'true' });

// The element that the frame of a box already has, at its new place. It keeps the focus.
function drawnAgain(box, before) {
  const element = box.branch && before.get(box.branch);
  // The table may have replaced the frames since.
  if (element?.parentNode !== page.frames) return null;
  before.delete(box.branch);
  shown.elements.set(box.branch, element);
  placeElement(element, box);
  fillFrame(element, box);
  return element;
}

function elementOf(box) {
  const element = (box.frames === undefined ? frameTemplate : groupTemplate).cloneNode();
  placeElement(element, box);
  shown.elements.set(box.branch ?? box, element);
  if (box.frames === undefined) {
    describe(element, box.branch);
    fillFrame(element, box);
  } else {
    if (box.isOfOne) element.textContent = labelOf(box, Math.floor((box.width - 2 * PADDING) / LETTER));
    markBlock(element);
  }
  return element;
}

function placeElement(element, box) {
  element.box = box;
  const gap = box.width > 3 ? 1 : 0;
  const width = box.branch === state.current ? Math.max(box.width, CURRENT_WIDTH) : box.width;
  const { style } = element;
  style.left = `${box.x}px`;
  style.top = `${topOf(box.row)}px`;
  style.width = `${width - gap}px`;
}

function fillFrame(element, { branch, width }) {
  const label = labelOf(branch, Math.floor((width - 2 * PADDING) / LETTER));
  if (element.textContent !== label) element.textContent = label;
  markFrame(element);
}

// Says where a frame is in its tree: others like it may not be drawn.
function describe(element, branch) {
  // The whole is not drawn in a chart, and to count blocks would take long.
  element.setAttribute('aria-level', isInChart() ? branch.depth : branch.depth + 1);
  if (branch.parent === null || isInChart()) return;
  const { parent } = branch;
  // The function of a sandwich is drawn once: it has the kids of both trees, callers first.
  const { callers, callees } = state.sandwich ?? {};
  const before = parent === callees ? callers.kids.length : 0;
  const after = parent === callers ? callees.kids.length : 0;
  setAll(element, { 'aria-posinset': before + branch.place, 'aria-setsize': before + parent.kids.length + after });
}

function colorOf(branch) {
  if (isDiff) return onPage(changeColor(branch));
  return branch.name === NOBODY ? onPage(facts.whole) : colorOfName(branch.name);
}

// The color of the kind or module that has the most weight in a block.
function colorOfBlock({ branches, name }) {
  if (branches === undefined) return colorOfName(name);
  const sizes = new Map();
  for (const branch of branches) {
    const color = isDiff ? colorOf(branch) : colorOfClass(branch.name);
    sizes.set(color, (sizes.get(color) ?? 0) + branch.size);
  }
  return [...sizes].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

// The folders before the file of a place, as in place.rs.
const FOLDERS = /^ \(((?=[a-z]:[\\/]|\\\\).*[\\/]|.*\/)(?!:)/is;

// The text of a box: the place of a frame comes without the folders.
function labelOf(branch, room) {
  const { name, before, after, word = nameText(name) } = branch;
  if (branch.ofStrip) return fitted(`${word} (${summary(branch)})`, room);
  const end = nameEnds[name] ?? word.length;
  const text = word.slice(0, end) + word.slice(end).replace(FOLDERS, ' (');
  // What noise explains is no change.
  return isDiff && changed.has(name) ? fittedWith(text, change(before, after), room) : fitted(text, room);
}

const summary = (branch) => `${counted(branch.weight)}, ${percent(branch.weight, tree.total[0])}`;

// The times of a block of a chart, as a list of one; a lane or the whole has none.
const timesOf = ({ first, start, length, end = start + length, ofStrip }) => (
  first === undefined || ofStrip ? [] : [wordsOfTime(start, end)]
);

// Puts the current frame, or else the zoomed one, into the tab order; if it is out of sight, the
// first one that is drawn, so that Tab always leads into the picture.
function markCurrent(takesFocus) {
  const current = state.current ?? (isInChart() ? chartNow().lanes[0] : state.zoom);
  page.frames.querySelectorAll('.current, [tabindex="0"]').forEach((element) => {
    element.classList.remove('current');
    element.tabIndex = -1;
  });
  const isDrawn = ({ branch, element }) => branch !== undefined && element !== null;
  const box = shown.boxes.find((one) => one.branch === current && isDrawn(one)) ?? shown.boxes.find(isDrawn);
  if (box === undefined) return;
  box.element.tabIndex = 0;
  if (box.branch !== current) return;
  if (state.current !== null) box.element.classList.add('current');
  if (takesFocus) box.element.focus({ preventScroll: true });
}

// Draws the axis of a flame chart.
function drawAxis() {
  page.axis.replaceChildren();
  if (page.axis.hidden) return;
  const { from, to } = shownRange();
  const width = page.stage.clientWidth;
  const step = stepOf(to - from, width);
  const first = Math.ceil(from / step);
  // Steps are counted: adding a small step to a large weight may not change it.
  for (let index = 0; (first + index) * step < to; index++) {
    const at = (first + index) * step;
    const x = ((at - from) / (to - from)) * width;
    const mark = makeIn(page.axis, 'span', 'mark', isInChart() ? `${inSeconds(at, 9)} s` : number(at));
    mark.style.left = `${x}px`;
    // A number that is cut by the edge would be read as another number.
    if (x + mark.offsetWidth > width) mark.textContent = '';
  }
}
