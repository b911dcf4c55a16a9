// What the search found, in the picture and in numbers.

// After a colour: how much of it is left in a faded frame.
const FADED = '50';

// The name of the state that is striped: a root, or a frame below the code.
const STRIPED = facts.split === 'label:state' ? 'runnable' : '[runnable]';

// Shows whether the search found a frame. What it missed is faded, as are the frames below
// the zoomed one.
function markFrame(element) {
  const { branch, isBelow } = element.box;
  const isHit = state.hits?.has(branch.name) === true;
  const isFaded = isBelow || (state.hits !== null && !isHit) || isUnlit(branch.name);
  const more = branch.ofStrip ? ' lane-title' : isFaded ? ' faded' : '';
  element.className = `frame${more}${bareNames[branch.name] === STRIPED ? ' striped' : ''}`;
  element.style.backgroundColor = branch.ofStrip ? '' : colorOf(branch) + (isFaded ? FADED : '');
  element.spoken ??= [spokenName(branch), summary(branch), ...timesOf(branch)].join(', ');
  const label = isHit ? `${element.spoken}, found` : element.spoken;
  if (element.getAttribute('aria-label') !== label) element.setAttribute('aria-label', label);
}

// Shows the part of a block's weight that the search found.
function markBlock(element) {
  const { box } = element;
  const part = state.hits === null ? 0 : Number(foundIn(box)) / Number(box.weight);
  element.classList.toggle('found', part > 0);
  element.classList.toggle('one', box.isOfOne === true);
  box.color ??= colorOfBlock(box);
  const isFaded = state.hits !== null || isBlockUnlit(box);
  const color = isFaded ? box.color + FADED : box.color;
  // Even the least part is visible.
  element.style.backgroundColor = part > 0 ? `rgb(220 50 210 / ${0.15 + 0.85 * part})` : color;
}

// A block of several functions has the colour of the kind with the most weight in it.
function isBlockUnlit(box) {
  const { lit } = legend;
  if (lit === null) return false;
  if (box.isOfOne) return isUnlit(box.name);
  return lit.color === null || box.color !== onPage(lit.color, lit.color);
}

function foundIn(box) {
  const { branches } = box;
  if (branches === undefined) return foundAmong(box, state.hits);
  return branches.reduce((sum, one) => sum + one.tree.matchedWeight(one, state.hits), ZERO);
}

// Shows the results of a search; no box moves.
function markHits() {
  for (const box of shown.boxes) {
    if (box.element === null) continue;
    if (box.branch === undefined) markBlock(box.element);
    else markFrame(box.element);
  }
  markCurrent(false);
}

function showHits() {
  if (state.view === 'table') drawTable();
  else markHits();
  showMatched();
}

function showMatched() {
  const { hits } = state;
  page.functions.textContent = '';
  if (hits === null) page.matched.textContent = '';
  else if (hits.error !== '') announce(page.matched.textContent = hits.error);
  else showFound(foundNow());
}

function showFound({ weight, whole, functions }) {
  page.matched.textContent = `${atLeast}${percent(weight, whole)} found`;
  page.functions.textContent = `${many(functions, 'functions')}, ${counted(weight)}`;
  announce(`${page.matched.textContent}, ${page.functions.textContent}`);
}

// The weight that the search found in the zoom, each stack counted once, and the number of
// functions that were found.
function foundNow() {
  const { hits, zoom } = state;
  if (state.view === 'table') {
    const functions = table.rows.filter(({ name }) => hits.has(name)).length;
    return { weight: hits.below(scope().node), whole: scope().weight, functions };
  }
  const found = new Uint8Array(names.length);
  let { weight } = zoom;
  if (isSandwich()) {
    const { at } = state.sandwich.callees;
    const of = (node) => (hits.reach(node) ? tree.total[node] : hits.below(node));
    weight = at.reduce((sum, node) => sum + of(node), ZERO);
    noteBelow(at, found);
    noteAbove(at, found);
  } else {
    weight = zoom.tree.matchedWeight(zoom, hits);
    if (zoom.at === undefined) noteBelow([zoom.node ?? 0], found);
    else noteAbove(zoom.at, found);
  }
  let functions = 0;
  for (let name = 0; name < names.length; name++) functions += hits.names[name] & found[name];
  return { weight, whole: zoom.weight, functions };
}

// Notes the names of frames and of all below them.
function noteBelow(nodes, found) {
  for (const first of nodes) {
    for (let node = first; node < tree.end[first]; node++) found[tree.name[node]] = 1;
  }
}

// Notes the names of frames and of all their callers, as far as they are shown.
function noteAbove(nodes, found) {
  const top = Math.max(outermost(), 1);
  const isNoted = new Uint8Array(tree.count);
  for (const first of nodes) {
    for (let node = first; node >= top && isNoted[node] === 0; node = tree.parent[node]) {
      isNoted[node] = 1;
      found[tree.name[node]] = 1;
    }
  }
}

// The next frame that the search found, in the order of the tree, or with -1 the one
// before. After the last comes the first.
function nextHit(by) {
  if (state.view === 'flame') return nextNode(by);
  const roots = isSandwich() ? Object.values(state.sandwich) : [state.zoom];
  const path = state.current?.path() ?? [];
  let at = roots.findIndex((root) => path.includes(root));
  let from = at < 0 ? null : state.current;
  if (at < 0) at = by > 0 ? 0 : roots.length - 1;
  for (let tries = 0; tries <= roots.length; tries++) {
    const found = by > 0 ? hitAfter(roots[at], from) : hitBefore(roots[at], from);
    if (found !== null) return found;
    at = (at + by + roots.length) % roots.length;
    from = null;
  }
  return null;
}

// Whether a branch or one above it is found: otherwise it is not searched.
const holdsHit = (branch) => branch.tree.matchedWeight(branch, state.hits) > 0;

// The function of a sandwich is drawn once, as the root of its callees.
const isHit = (branch) => state.hits.has(branch.name) && branch !== state.sandwich?.callers;

function hitAfter(root, from) {
  if (from === null && isHit(root)) return root;
  let branch = from ?? root;
  for (;;) {
    let next = branch.kids.find(holdsHit);
    while (next === undefined && branch !== root) {
      const { kids } = branch.parent;
      next = kids.slice(kids.indexOf(branch) + 1).find(holdsHit);
      branch = branch.parent;
    }
    if (next === undefined) return null;
    if (isHit(next)) return next;
    branch = next;
  }
}

function hitBefore(root, from) {
  const lastIn = (top) => {
    let branch = top;
    for (let kid = top; kid !== undefined; kid = branch.kids.findLast(holdsHit)) branch = kid;
    return branch;
  };
  const before = (branch) => {
    if (branch === root) return null;
    const { kids } = branch.parent;
    const left = kids.slice(0, kids.indexOf(branch)).findLast(holdsHit);
    return left === undefined ? branch.parent : lastIn(left);
  };
  let branch = from === null ? lastIn(root) : before(from);
  while (branch !== null && !isHit(branch)) branch = before(branch);
  return branch;
}

// In the flame view, all frames of the zoom count, drawn or not.
function nextNode(by) {
  const { zoom, hits } = state;
  const [first, end] = [zoom.node, tree.end[zoom.node]];
  let at = state.current?.node ?? (by > 0 ? first - 1 : end);
  for (let tries = first; tries < end; tries++) {
    at += by;
    if (at >= end) at = first;
    if (at < first) at = end - 1;
    if (hits.has(tree.name[at]) && tree.total[at] > 0) return trees.flame.branchOf(at);
  }
  return null;
}

// The next hit is zoomed if it is narrower, as a part of the width.
const LEAST_SHARE = 0.02;

// All rows of a table are matches. If the reader has not gone to one of them, the next is the first.
function matchAfter(by) {
  const { rows, current, name } = table;
  if (rows[current]?.name === name) return current + by;
  return by > 0 ? 0 : rows.length - 1;
}

// Zooms to the next hit, or with -1 to the one before. The zoomed frame stays, so that the share
// that was found is still of the same whole.
function walkMatches(by) {
  if (state.hits === null) return;
  if (state.view === 'table') return goToRow(matchAfter(by));
  const found = nextHit(by);
  if (found === null) return say('no match here');
  bringIntoRange(found, LEAST_SHARE);
  goTo(found);
  drawRangeCrumb();
  remember();
}
