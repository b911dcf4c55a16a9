// Event handlers: one for each kind of event, for all frames together.

function render() {
  const { view } = state;
  page.app.dataset.view = view;
  for (const { id } of VIEWS) {
    page.tabOf[id].setAttribute('aria-selected', String(id === view));
    page.tabOf[id].tabIndex = id === view ? 0 : -1;
  }
  page.flip.disabled = view === 'sandwich' || view === 'table';
  page.flip.setAttribute('aria-pressed', String(state.flipped));
  page.axis.hidden = !(isChart && view === 'flame');
  drawCrumbs();
  drawRangeCrumb();
  if (view === 'table') drawTable();
  else drawBoxes();
  showMatched();
  showStatus();
  hideTip();
}

// The frames from the root to the zoomed one, each a button that zooms to it.
function drawCrumbs() {
  page.crumbs.zoom = state.zoom;
  const hadFocus = page.crumbs.contains(document.activeElement);
  const isZoom = state.view === 'flame' || state.view === 'bottom-up';
  page.crumbs.replaceChildren();
  if (state.view === 'sandwich') makeIn(page.crumbs, 'span', 'crumb last', nameText(state.focus));
  if (!isZoom) return;
  const path = state.zoom.path();
  path.forEach((branch, at) => {
    const isLast = at === path.length - 1;
    const crumb = makeIn(page.crumbs, 'button', isLast ? 'crumb last' : 'crumb', nameText(branch.name));
    crumb.branch = branch;
    if (isLast) crumb.setAttribute('aria-current', 'location');
  });
  if (hadFocus) page.crumbs.lastElementChild.focus();
  page.crumbs.scrollLeft = page.crumbs.scrollWidth;
}

// All numbers of a frame, as short sentences.
function numbersOf(branch) {
  const all = tree.total[0];
  const numbers = [counted(branch.weight)];
  if (isDiff) numbers.push(...changeOf(branch));
  numbers.push(`${percent(branch.weight, all)} of all`);
  const { zoom } = state;
  if (zoom.weight !== all) numbers.push(`${percent(branch.weight, zoom.weight)} of zoom`);
  if (branch.parent !== null && branch.parent.weight !== zoom.weight) {
    numbers.push(`${percent(branch.weight, branch.parent.weight)} of parent`);
  }
  const hasOwn = !(branch.tree instanceof BottomUp);
  if (hasOwn) numbers.push(`self ${number(branch.own)} (${percent(branch.own, all)})`);
  return numbers;
}

function changeOf({ before, after }) {
  const [all, allBefore] = [tree.total[0], tree.before[0]];
  return [
    `before ${number(before)} (${percent(before, allBefore)})`,
    `after ${number(after)} (${percent(after, all - allBefore)})`,
    change(before, after),
  ];
}

function numbersOfRow({ own, total }) {
  const all = tree.total[0];
  return [
    `self ${counted(own)} (${percent(own, all)})`,
    `total ${counted(total)} (${percent(total, all)})`,
  ];
}

function showStatus(branch = state.current ?? state.zoom) {
  clearTimeout(toast);
  page.status.classList.remove('said');
  const row = state.view === 'table' ? table.rows[table.current] : null;
  page.status.replaceChildren();
  if (row === undefined) return;
  makeIn(page.status, 'b', '', nameText(row?.name ?? branch.name));
  const numbers = row === null ? numbersOf(branch) : numbersOfRow(row);
  for (const text of numbers) makeIn(page.status, 'span', '', text);
}

function showTip(box, event) {
  const isGroup = box.frames !== undefined;
  page.tip.replaceChildren();
  const frames = box.frames === 1 ? 'frame' : 'frames';
  const name = isGroup ? `${inDigits.format(box.frames)} narrow ${frames}` : nameInTip(box.branch.name);
  const numbers = isGroup
    ? numbersOfBlock(box)
    : [...numbersOf(box.branch), markOf(box.branch.name)].filter(Boolean);
  const line = makeIn(page.tip, 'div', 'numbers');
  for (const text of numbers) makeIn(line, 'span', '', text);
  makeIn(page.tip, 'b', '', name);
  page.tip.classList.add('on');
  placeTip(event);
}

function placeTip({ clientX, clientY }) {
  const room = page.app.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = page.tip;
  const [x, y] = [clientX - room.left, clientY - room.top];
  const left = Math.min(x + 14, room.width - offsetWidth - 8);
  const top = y + 20 + offsetHeight > room.height ? y - offsetHeight - 12 : y + 20;
  page.tip.style.left = `${Math.max(8, left)}px`;
  page.tip.style.top = `${Math.max(8, top)}px`;
}

function hideTip() {
  page.tip.classList.remove('on');
}

// As much of a name as three lines hold.
function nameInTip(name) {
  const line = Math.min(TIP_WIDTH, 0.8 * page.app.clientWidth) / LETTER;
  return fitted(nameText(name), Math.floor(2.5 * line));
}

// As in style.css, without the padding.
const TIP_WIDTH = 540;

function numbersOfBlock(box) {
  const found = state.hits === null ? [] : [`${percent(foundIn(box), box.weight)} found`];
  return [counted(box.weight), `${percent(box.weight, tree.total[0])} of all`, ...found, 'click to see them'];
}

const boxUnder = (event) => event.target.closest?.('.frame')?.box;

function onClick(event) {
  const { target } = event;
  const box = boxUnder(event);
  const row = target.closest('.row');
  const tab = target.closest('.tab');
  if (box !== undefined && isFirstTap(box)) showTapped(box, event);
  else if (box?.frames !== undefined) zoomToBlock(box);
  else if (box !== undefined) activate(box.branch);
  else if (row !== null) showSandwich(table.rows[row.at].name);
  else if (tab !== null) show(tab.dataset.view);
  else if (target.branch !== undefined) zoomTo(target.branch);
  else if (target.dataset?.column) sortBy(target.dataset.column);
  else if (target === page.flip) flip();
  else if (target === page.help) toggleKeys();
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
  page.app.addEventListener('click', onClick);
  listenToPointers();
  listenToMap();
  page.frames.addEventListener('focusin', onFocus);
  page.frames.addEventListener('pointerleave', () => {
    hideTip();
    showStatus();
  });
  page.query.addEventListener('input', () => search(page.query.value));
  page.stage.addEventListener('scroll', () => soon(redrawWhenScrolled), { passive: true });
  // A page around the picture has keys of its own.
  (isAlone ? document : page.app).addEventListener('keydown', onKey);
  listenToPrint();
  window.addEventListener('hashchange', restoreIfChanged);
  window.addEventListener('resize', () => soon(render));
  restore();
}

start();
