// The keyboard: every key of the help, and the walk from frame to frame.

function heaviestKid(branch) {
  return branch.kids.reduce((best, kid) => (best?.weight >= kid.weight ? best : kid), null);
}

function sibling(branch, by) {
  const kids = branch.parent?.kids ?? [];
  return kids[kids.indexOf(branch) + by] ?? null;
}

// The frame that an arrow key leads to from the current one, or null.
function neighbour(key) {
  const from = state.current ?? state.zoom;
  if (key === 'ArrowLeft') return sibling(from, -1);
  if (key === 'ArrowRight') return sibling(from, 1);
  if (isSandwich()) return neighbourInSandwich(from, key);
  if ((key === 'ArrowUp') === isUp()) return heaviestKid(from);
  // The whole of a chart is not drawn.
  return isInChart() && from.depth === 1 ? null : from.parent;
}

function neighbourInSandwich(from, arrow) {
  const key = state.flipped ? { ArrowUp: 'ArrowDown', ArrowDown: 'ArrowUp' }[arrow] : arrow;
  const { callers, callees } = state.sandwich;
  if (from === callees || from === callers) {
    return heaviestKid(key === 'ArrowUp' ? callers : callees);
  }
  const goesOut = (from.tree === callers.tree) === (key === 'ArrowUp');
  if (goesOut) return heaviestKid(from);
  return from.parent === callers ? callees : from.parent;
}

// Makes a frame the current one: drawn, scrolled to, and with the focus.
function goTo(branch) {
  if (branch === null) return;
  const isOutside = !branch.path().includes(state.zoom) && !isSandwich();
  // Zoom out as far as needed to show it.
  if (isOutside) state.zoom = commonBranch(branch, state.zoom);
  if (isRange()) bringIntoRange(branch, 0);
  state.current = branch;
  render();
  if (isOutside) remember(true);
  const box = shown.boxes.find((one) => one.branch === branch);
  if (box === undefined) return;
  const top = topOf(box.row);
  const { scrollTop, clientHeight } = page.stage;
  if (top < scrollTop || top + shown.row > scrollTop + clientHeight) {
    page.stage.scrollTop = top - clientHeight / 2;
    drawScrolled();
  }
  box.element?.focus({ preventScroll: true });
  showStatus();
}

function commonBranch(one, other) {
  const path = new Set(one.path());
  return other.path().reverse().find((branch) => path.has(branch));
}

function enter() {
  if (state.view === 'table') showSandwich(currentName());
  else if (state.current !== null) activate(state.current);
}

// What a click on a frame does, or Enter.
function activate(branch) {
  if (isSandwich()) showSandwich(branch.name);
  else if (branch.ofStrip) askLane(branch.ofStrip);
  else if (isInChart() && branch !== state.zoom) zoomToTime(branch.start, branch.start + branch.length, branch);
  else zoomTo(branch);
}

function goOut() {
  if (!page.keys.hidden) toggleKeys();
  else if (isRange()) zoomTo(state.zoom);
  else if (isSandwich()) show('flame');
  else if (state.view !== 'table' && state.zoom.parent !== null) zoomTo(state.zoom.parent);
  else if (scope().parent !== null) zoomScope(scope().parent);
  else endSearch();
}

function endSearch() {
  page.query.value = '';
  search('');
}

function flip() {
  if (page.flip.disabled) return;
  state.flipped = !state.flipped;
  render();
  remember();
}

function toggleKeys() {
  page.keys.hidden = !page.keys.hidden;
  if (!page.keys.hidden) page.keys.focus();
}

async function copy(text) {
  const isDone = await copyText(text, page.app);
  say(isDone ? `copied: ${text}` : 'the browser does not let this page copy');
}

// The stack of the current frame as a folded line.
function folded() {
  if (state.view === 'table') return nameText(currentName());
  const branch = state.current ?? state.zoom;
  const stack = branch.tree.stackOf(branch).map((one) => names[one.name]);
  const counts = isDiff ? `${branch.before} ${branch.after}` : String(branch.weight);
  return `${stack.join(';')} ${counts}`;
}

const ACTIONS = {
  1: () => show('flame'),
  2: () => show('bottom-up'),
  3: () => show('sandwich'),
  4: () => show('table'),
  5: () => timeline && show('chart'),
  0: zoomToWhole,
  '/': () => page.query.select(),
  '+': () => byKeys(scaleRange, 0.5),
  '-': () => byKeys(scaleRange, 2),
  n: () => walkMatches(1),
  N: () => walkMatches(-1),
  i: flip,
  o: toggleOrder,
  f: () => openMenu(),
  r: () => toggleStep('r'),
  I: () => toggleStep('i'),
  k: goToLegend,
  u: () => state.steps.length > 0 && takeBack(state.steps.length - 1),
  w: save,
  t: () => page.strip?.edges[0].focus(),
  T: clearTime,
  p: () => page.profiles?.focus(),
  d: nextWidth,
  s: () => showSandwich(currentName()),
  c: () => copy(nameText(currentName())),
  C: () => copy(folded()),
  '?': toggleKeys,
  Enter: enter,
  Escape: goOut,
};

function nextWidth() {
  const widths = Object.keys(WIDTHS);
  if (isDiff) chooseWidth(widths[(widths.indexOf(state.width) + 1) % widths.length]);
}

// In a view of a zoomed part, shows the whole; else, shows all of the view.
function zoomToWhole() {
  const isPart = state.view === 'table' || (state.view !== 'flame' && scope() !== trees.flame.root);
  if (isPart) zoomScope(trees.flame.root);
  else zoomTo(rootOf(state.view));
}

// The part of a width or height that a step of the keyboard moves the picture by.
const STEP = 0.25;

function byKeys(act, by) {
  if (state.view === 'table') return;
  act(by);
  rangeMoved();
}

// Moves the picture by an arrow key.
function pan(key) {
  if (key === 'ArrowLeft') byKeys(moveRange, -STEP);
  else if (key === 'ArrowRight') byKeys(moveRange, STEP);
  else page.stage.scrollTop += (key === 'ArrowUp' ? -STEP : STEP) * page.stage.clientHeight;
}

function walk(key) {
  if (state.view !== 'table') return goTo(neighbour(key));
  if (key === 'ArrowUp') goToRow(table.current - 1);
  if (key === 'ArrowDown') goToRow(table.current + 1);
}

function onKey(event) {
  const { key } = event;
  const isFind = (event.ctrlKey || event.metaKey) && key.toLowerCase() === 'f';
  // Ctrl-F in our search field opens the browser's own search.
  if (isFind && document.activeElement !== page.query) {
    page.query.select();
    return event.preventDefault();
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === page.query) return onKeyInSearch(event);
  if (event.target.matches?.('input, select, textarea')) return;
  if (!page.menu.hidden) return onKeyInMenu(event);
  if (event.target.matches?.('.tab') && moveTab(key)) return event.preventDefault();
  if (moveEdge(event) || moveLane(event)) return event.preventDefault();
  if (key === 'Enter' && event.target.localName === 'button') return;
  const onArrow = event.shiftKey ? pan : walk;
  const action = key.startsWith('Arrow') ? () => onArrow(key) : ACTIONS[key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

// Goes from tab to tab; returns whether the key does that.
function moveTab(key) {
  const at = VIEWS.findIndex(({ id }) => id === state.view);
  const next = { ArrowLeft: at - 1, ArrowRight: (at + 1) % VIEWS.length, Home: 0, End: -1 }[key];
  if (next === undefined) return false;
  const { id } = VIEWS.at(next);
  show(id);
  page.tabOf[id].focus();
  return true;
}

function onKeyInSearch(event) {
  if (event.key === 'Enter') {
    page.query.blur();
    walkMatches(event.shiftKey ? -1 : 1);
  } else if (event.key === 'Escape') {
    endSearch();
    page.query.blur();
  } else {
    return;
  }
  event.preventDefault();
}
