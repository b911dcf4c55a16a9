// What is shown, and how the fragment of the address says it: by hashes of names, so that a link
// still works when the same profile is drawn again.

const trees = {
  flame: new TopDown(),
  bottomUp: null,
};

const state = {
  view: 'flame',
  zoom: trees.flame.root,
  // In the other views, the branch of the flame graph that they show.
  scope: trees.flame.root,
  // The part of the zoomed frame that is shown, if not all of it: see range.js.
  range: null,
  // The frame that has the focus, if any.
  current: null,
  hits: null,
  // What the reader asked for: see steps.js.
  steps: [],
  // With two profiles, the weight that is the width of boxes: see WIDTHS.
  width: 'both',
  // The function in the sandwich view, and its two trees.
  focus: NOBODY,
  sandwich: null,
  flipped: false,
  // In the flame graph, and in the views that merge frames.
  isHeavyFirst: { flame: false, merged: true },
  sort: { column: FIRST_SORT, isRising: false },
};

const isSandwich = () => state.view === 'sandwich';

const START = { view: facts.view, flipped: facts.inverted !== '', steps: firstSteps() };

// The hashes of names that are known so far. An array without holes is faster.
const hashes = names.map(() => undefined);

// 24 bits of FNV-1a. A link needs the hashes of all names, to number equal ones.
function hashOf(name) {
  if (hashes[name] !== undefined) return hashes[name];
  const text = names[name] ?? 'all';
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193);
  return (hashes[name] = (hash ^ (hash >>> 24)) & 0xffffff);
}

// A hash as four digits.
const hashText = (hash) => [18, 12, 6, 0].map((shift) => DIGITS[(hash >>> shift) & 63]).join('');

// A word that names one of several names: its hash and, if several have the
// same hash, ~ and its index among them.
function wordFor(one, all, nameOf) {
  const hash = hashOf(nameOf(one));
  const at = all.filter((other) => hashOf(nameOf(other)) === hash).indexOf(one);
  return hashText(hash) + (at > 0 ? `~${at}` : '');
}

// The one that a word names, or undefined.
function ofWord(word, all, nameOf) {
  const [text, at = '0'] = word.split('~');
  if (!/^[\w-]{4}$/.test(text)) return undefined;
  const hash = [...text].reduce((sum, digit) => sum * 64 + DIGITS.indexOf(digit), 0);
  const same = all.filter((one) => hashOf(nameOf(one)) === hash);
  return same[Number(at)] ?? same[0];
}

const nameOfBranch = (branch) => branch.name;
const itself = (name) => name;

// The path to a branch: one word for each level.
function wayTo(branch) {
  const steps = branch.path().slice(1);
  return steps.map((one) => wordFor(one, one.parent.kids, nameOfBranch)).join('.');
}

// The branch of a path, or its last ancestor that this profile has.
function branchAt(root, way) {
  let branch = root;
  for (const step of way.split('.').filter(Boolean)) {
    const kid = ofWord(step, branch.kids, nameOfBranch);
    if (kid === undefined) break;
    branch = kid;
  }
  return branch;
}

const rootOf = (view) => {
  if (view === 'sandwich') return state.sandwich.callees;
  if (view === 'chart') return chartNow().root;
  return view === 'bottom-up' ? bottomUp().root : trees.flame.root;
};

function fragment() {
  const words = new URLSearchParams();
  if (state.view !== START.view) words.set('view', state.view);
  if (isSandwich()) words.set('function', wordFor(state.focus, allNames, itself));
  else if (state.zoom.parent !== null) words.set('zoom', wayTo(state.zoom));
  if (scope() !== state.zoom && scope().parent !== null) words.set('in', wayTo(scope()));
  const order = ['flame', 'merged'].filter((kind) => state.isHeavyFirst[kind] !== (kind === 'merged'));
  if (order.length > 0) words.set('order', order.join('.'));
  addSelection(words);
  if (wordsOfSteps() !== START.steps) words.set('steps', wordsOfSteps());
  if (state.width !== 'both') words.set('width', state.width);
  if (isRange()) words.set('range', rangeText());
  if (state.hits !== null) words.set('search', state.hits.query);
  if (state.flipped !== START.flipped) words.set('flip', '1');
  const { column, isRising } = state.sort;
  if (column !== FIRST_SORT || isRising) words.set('sort', (isRising ? '+' : '-') + column);
  return addressWith(words);
}

// Writes the state to the address, as a new step of the history or in place.
function remember(isStep = false) {
  clearTimeout(gesture);
  const now = fragment();
  if (now === (location.hash || '#') || isOfPage()) return;
  try {
    history[isStep ? 'pushState' : 'replaceState'](null, '', now);
  } catch {
    // A page may forbid that pictures in it change the address.
  }
}

// Another picture may have changed the address, or the page around it.
function restoreIfChanged() {
  if (!isOfPage() && fragment() !== (location.hash || '#')) restore();
}

function restore() {
  const words = ownWords();
  const query = words.get('search') ?? '';
  page.query.value = query;
  state.hits = query === '' ? null : new Hits(query);
  state.flipped = words.has('flip') !== START.flipped;
  const sort = words.get('sort') ?? `-${FIRST_SORT}`;
  const isColumn = [...COLUMNS, BY_NAME].some(({ id }) => id === sort.slice(1));
  state.sort = { column: isColumn ? sort.slice(1) : FIRST_SORT, isRising: sort[0] === '+' };
  const view = words.get('view') ?? START.view;
  state.view = VIEWS.some(({ id }) => id === view) ? view : START.view;
  const order = (words.get('order') ?? '').split('.');
  state.isHeavyFirst = { flame: order.includes('flame'), merged: !order.includes('merged') };
  restoreSelection(words);
  state.steps = stepsOf(words.get('steps') ?? START.steps);
  // The steps may be of another profile, and leave nothing of this one.
  while (treeAfter(state.steps).total[0] === ZERO) state.steps.pop();
  growFrom(treeAfter(state.steps), words.get('width') ?? 'both');
  state.zoom = branchAt(trees.flame.root, words.get('zoom') ?? '');
  state.scope = branchAt(trees.flame.root, words.get('in') ?? '');
  if (isSandwich()) {
    focusOn(ofWord(words.get('function') ?? '', allNames, itself) ?? NOBODY);
  }
  state.current = null;
  if (state.view !== 'flame') state.zoom = branchAt(rootOf(state.view), words.get('zoom') ?? '');
  state.range = null;
  setRangeOf(words.get('range') ?? '');
  render();
}

// Shows a function in the sandwich view. If it calls the zoomed part, zooms out to it; if there is
// no function of this name, shows the one with the most self weight.
function focusOn(name) {
  const { node: top } = scope();
  const own = new Weights(names.length);
  let isThere = false;
  for (let node = Math.max(top, 1); node < tree.end[top]; node++) {
    own[tree.name[node]] += tree.own[node];
    isThere ||= tree.name[node] === name && tree.total[node] > 0;
  }
  const caller = scope().path().slice(0, -1).find((one) => one.name === name);
  if (!isThere && caller !== undefined) {
    state.scope = caller;
    return focusOn(name);
  }
  const heaviest = own.reduce((best, weight, one) => (weight > (own[best] ?? 0) ? one : best), NOBODY);
  state.focus = isThere ? name : heaviest;
  state.sandwich = sandwichOf(state.focus, top, state.isHeavyFirst.merged);
}

function zoomTo(branch) {
  state.zoom = branch;
  state.range = null;
  // The zoom of a chart is not one of its blocks.
  if (!isInChart()) state.current = branch;
  render();
  remember(true);
}

function showSandwich(name) {
  if (name === NOBODY) return;
  // A function that is gone is as wide as it was before.
  if (!tree.name.some((its, node) => its === name && tree.total[node] > 0)) chooseWidth('both');
  enterView('sandwich', scope(), name, name);
  remember(true);
}

// The function of the current frame.
function currentName() {
  if (state.view === 'table') return table.rows[table.current]?.name ?? NOBODY;
  return (state.current ?? state.zoom).name;
}

function search(query) {
  state.hits = query === '' ? null : new Hits(query);
  showHits();
  remember();
}
