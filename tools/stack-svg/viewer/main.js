// Event handlers: one for each kind of event, for all frames together.

function render() {
  const { view } = state;
  noteTheme();
  page.app.dataset.view = view;
  for (const { id } of VIEWS) {
    page.tabOf[id].setAttribute('aria-selected', id === view);
    page.tabOf[id].tabIndex = id === view ? 0 : -1;
  }
  page.flip.disabled = view === 'table' || view === 'chart';
  page.flip.setAttribute('aria-pressed', state.flipped);
  page.order.disabled = !canOrder();
  page.order.setAttribute('aria-pressed', canOrder() && state.isHeavyFirst[orderKind()]);
  markShownTime();
  page.axis.hidden = !(isInChart() || (isChart && view === 'flame'));
  drawCrumbs();
  drawSteps();
  drawRangeCrumb();
  drawStrip();
  if (view === 'table') drawTable();
  else drawBoxes();
  showMatched();
  drawLegend();
  showStatus();
  hideTip();
}

// The frames from the root to the zoomed one, each a button that zooms to it.
function drawCrumbs() {
  const { view, zoom, scope: part } = state;
  page.crumbs.zoom = zoom;
  const hadFocus = page.crumbs.contains(document.activeElement);
  page.crumbs.replaceChildren();
  const path = view === 'sandwich' || view === 'table' ? [] : zoom.path();
  // The path to the part of the flame graph that another view shows.
  const way = view !== 'flame' && view !== 'chart' && (part.parent !== null || view === 'table') ? part.path() : [];
  for (const branch of [...way, ...path]) {
    drawCrumb('button', branch.word).ask = () => zoomToCrumb(branch);
  }
  if (view === 'sandwich') drawCrumb('span', nameText(state.focus));
  const { lastChild } = page.crumbs;
  lastChild.classList.add('last');
  if (path.length > 0) lastChild.setAttribute('aria-current', 'location');
  if (hadFocus) lastChild.focus();
}

// As many letters as a part of the path has room for, as in style.css.
const LONGEST_CRUMB = 40;

const drawCrumb = (tag, name) => makeIn(page.crumbs, tag, 'crumb', fitted(name, LONGEST_CRUMB), { title: name });

// All numbers of a frame, as short sentences.
function numbersOf(branch) {
  const all = tree.total[0];
  const numbers = [...timesOf(branch), counted(branch.weight)];
  if (isDiff) numbers.push(...changeOf(branch));
  numbers.push(`${percent(branch.weight, all)} of all`);
  const { zoom } = state;
  // Frames below the zoomed one are no part of it.
  const isWithin = isSandwich() || branch.path().includes(zoom);
  if (zoom.weight !== all && isWithin) numbers.push(`${percent(branch.weight, zoom.weight)} of zoom`);
  if (branch.parent !== null && branch.parent.weight !== zoom.weight) {
    numbers.push(`${percent(branch.weight, branch.parent.weight)} of parent`);
  }
  const hasOwn = !(branch.tree instanceof BottomUp);
  if (hasOwn) numbers.push(`self ${number(branch.own)} (${percent(branch.own, all)})`);
  return numbers;
}

const noiseWords = (name) => (changed.has(name) ? [] : ['noise explains it']);

function changeOf({ name, before, after }) {
  return [
    `before ${number(before)} (${percent(before, tree.before[0])})`,
    `after ${number(after)} (${percent(after, tree.after[0])})`,
    change(before, after),
    ...noiseWords(name),
  ];
}

function numbersOfRow({ name, own, total }) {
  const { weight } = scope();
  const of = weight === tree.total[0] ? '' : ' of zoom';
  const words = isDiff
    ? (sums) => `${number(sums.before)} before, ${number(sums.after)} after`
    : (sums) => `${counted(sums.weight)} (${percent(sums.weight, weight)}${of})`;
  return [`self ${words(own)}`, `total ${words(total)}`, ...(isDiff ? noiseWords(name) : [])];
}

function showStatus(branch = state.current ?? state.zoom) {
  clearTimeout(toast);
  page.status.classList.remove('said');
  const row = state.view === 'table' ? table.rows[table.current] : null;
  page.status.replaceChildren();
  if (row === undefined) return;
  const name = row === null ? branch.word : nameText(row.name);
  const word = makeIn(page.status, 'b', '', name);
  const numbers = row === null ? numbersOf(branch) : numbersOfRow(row);
  for (const text of numbers) makeIn(page.status, 'span', '', text);
  // To measure takes time, and most names have room.
  if (name.length > LONGEST_CRUMB && word.scrollWidth > word.clientWidth) {
    word.textContent = fitted(name, Math.floor(word.clientWidth / LETTER));
  }
}

function showTip(box, event) {
  const isGroup = box.frames !== undefined;
  page.tip.replaceChildren();
  const name = isGroup ? nameOfBlock(box) : inLines(box.branch.word, TIP_WIDTH);
  const numbers = isGroup
    ? numbersOfBlock(box)
    : [...numbersOf(box.branch), markOf(box.branch.name)].filter(Boolean);
  const line = makeIn(page.tip, 'div', 'numbers');
  for (const text of numbers) makeIn(line, 'span', '', text);
  makeIn(page.tip, 'b', '', name);
  page.tip.classList.add('on');
  placeTip(event);
}

// Below the pointer, or above it, or if neither has room, below the status line, which stays in
// sight.
function placeTip({ clientX, clientY }) {
  const height = page.tip.offsetHeight;
  const status = page.status.getBoundingClientRect();
  const [below, above] = [clientY + 20, clientY - height - 12];
  const isAboveFree = above >= page.app.getBoundingClientRect().top + 8;
  const y = below + height <= status.top ? below : isAboveFree ? above : status.bottom + 4;
  placeOver(page.tip, clientX + 14, y);
}

// Places something over the page, at a point of the window if it fits. A low page may be scrolled.
function placeOver({ style, offsetWidth, offsetHeight }, x, y) {
  const room = page.app.getBoundingClientRect();
  const fit = (at, size, most) => Math.max(8, Math.min(at, most - size - 8));
  style.left = `${fit(x - room.left, offsetWidth, room.width)}px`;
  style.top = `${page.app.scrollTop + fit(y - room.top, offsetHeight, room.height)}px`;
}

function hideTip() {
  page.tip.classList.remove('on');
}

// Does what a button is for.
function doAsAsked(button) {
  closeMenu();
  button.ask();
}

function zoomToCrumb(branch) {
  const isPart = branch.tree === trees.flame && state.view !== 'flame';
  if (isPart) zoomScope(branch);
  else zoomTo(branch);
}

// As much of a name as fits into three lines of this width.
function inLines(name, width) {
  const line = Math.min(width, 0.8 * page.app.clientWidth) / LETTER;
  return fitted(name, Math.floor(2.5 * line));
}

// As in style.css, without the padding.
const TIP_WIDTH = 540;
const MENU_WIDTH = 380;

function nameOfBlock({ frames, isOfOne, name }) {
  const text = isOfOne && inLines(nameText(name), TIP_WIDTH);
  if (isOfOne) return frames === 1 ? text : `${text}, ${grouped(frames)} times`;
  return many(frames, 'narrow frames');
}

function numbersOfBlock(box) {
  const found = state.hits === null ? [] : [`${percent(foundIn(box), box.weight)} found`];
  return [...timesOf(box), counted(box.weight), `${percent(box.weight, tree.total[0])} of all`, ...found, 'click to see them'];
}

const boxUnder = (event) => event.target.closest?.('.frame')?.box;

function onClick(event) {
  const { target } = event;
  if (!page.menu.contains(target)) closeMenu();
  const box = boxUnder(event);
  const row = target.closest('.row');
  if (box !== undefined && isFirstTap(box)) showTapped(box, event);
  else if (box?.frames !== undefined) zoomToBlock(box);
  else if (box !== undefined) activate(box.branch);
  else if (row !== null) showSandwich(table.rows[row.at].name);
  else if (target.ask !== undefined) doAsAsked(target);
  else if (!page.keys.hidden && !page.keys.contains(target)) toggleKeys();
}

function onPointer(event) {
  const box = boxUnder(event);
  if (box === undefined) {
    hideTip();
    return;
  }
  showTip(box, event);
  if (box.branch !== undefined) showStatus(box.branch);
}

function onFocus(event) {
  const box = boxUnder(event);
  if (box?.branch === undefined || box.branch === state.current) return;
  state.current = box.branch;
  markCurrent(false);
  showStatus();
}

function onLeave() {
  hideTip();
  showStatus();
}

// Calls a function at each event that has its name.
function listen(target, acts, options) {
  for (const [event, act] of Object.entries(acts)) target.addEventListener(event, act, options);
}

const due = new Set();

// At most once for each repaint, however many events there are.
function soon(act) {
  if (due.has(act)) return;
  due.add(act);
  requestAnimationFrame(() => {
    due.delete(act);
    act();
  });
}

function start() {
  showPage();
  listen(page.app, { click: onClick });
  listen(page.frames, { contextmenu: onContextMenu, focusin: onFocus, pointerleave: onLeave });
  listenToPointers();
  listenToMap();
  listenToStrip();
  if (page.profiles) listen(page.profiles, { change: chooseProfile });
  if (page.width) listen(page.width, { change: () => chooseWidth(page.width.value) });
  listen(page.query, { input: () => search(page.query.value) });
  listen(page.stage, { scroll: () => soon(redrawWhenScrolled) });
  // A page around the picture has keys of its own.
  listen(isAlone ? document : page.app, { keydown: onKey });
  listenToPrint();
  listen(darkSystem, { change: () => soon(render) });
  // The legend may get a line more after the boxes were drawn.
  new ResizeObserver(() => state.view !== 'table' && page.notes.offsetHeight !== shown.notes && soon(render)).observe(page.notes);
  listen(window, { hashchange: restoreIfChanged, resize: () => soon(render) });
  restore();
}

start();
