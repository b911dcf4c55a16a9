// What is shown, and how the fragment of the address names it: by hashes of
// names, so that a link still works when the same profile is drawn again.

const trees = {
  flame: new TopDown(),
  bottomUp: null,
};

const state = {
  view: 'flame',
  zoom: trees.flame.root,
  // In the other views, the branch of the flame graph that they are of.
  scope: trees.flame.root,
  // The frame that has the focus, if any.
  current: null,
  hits: null,
  // What the reader asked for: see steps.js.
  steps: [],
  // The function in the sandwich view, and its two trees.
  focus: NOBODY,
  sandwich: null,
  flipped: false,
  // In the flame graph, and in the views that merge frames.
  isHeavyFirst: { flame: false, merged: true },
  sort: { column: 'own', isRising: false },
};

const START = { view: facts.view, flipped: facts.inverted !== '' };

// The hashes of names that were computed so far.
const hashes = [];

// A hash as four digits: 24 bits of FNV-1a.
function hashOf(name) {
  if (hashes[name] !== undefined) return hashes[name];
  let hash = 0x811c9dc5;
  for (const unit of names[name] ?? 'all') {
    hash = Math.imul(hash ^ unit.codePointAt(0), 0x01000193);
  }
  hash = (hash ^ (hash >>> 24)) >>> 0;
  hashes[name] = [18, 12, 6, 0].map((shift) => DIGITS[(hash >>> shift) & 63]).join('');
  return hashes[name];
}

// A word that names one of several names: its hash and, if several have the
// same hash, ~ and its index among them.
function wordFor(one, all, nameOf) {
  const hash = hashOf(nameOf(one));
  const at = all.filter((other) => hashOf(nameOf(other)) === hash).indexOf(one);
  return hash + (at > 0 ? `~${at}` : '');
}

// The one that a word names, if there is one.
function ofWord(word, all, nameOf) {
  const [hash, at = '0'] = word.split('~');
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
  if (view === 'sandwich') return state.sandwich.callees.root;
  return view === 'bottom-up' ? bottomUp().root : trees.flame.root;
};

function fragment() {
  const words = new URLSearchParams();
  if (state.view !== START.view) words.set('view', state.view);
  if (state.view === 'sandwich') words.set('function', wordFor(state.focus, [...names.keys()], itself));
  else if (state.zoom.parent !== null) words.set('zoom', wayTo(state.zoom));
  if (scope() !== state.zoom && scope().parent !== null) words.set('in', wayTo(scope()));
  const order = ['flame', 'merged'].filter((kind) => state.isHeavyFirst[kind] !== (kind === 'merged'));
  if (order.length > 0) words.set('order', order.join('.'));
  if (state.steps.length > 0) words.set('steps', wordsOfSteps());
  if (state.hits !== null) words.set('search', state.hits.query);
  if (state.flipped !== START.flipped) words.set('flip', '1');
  const { column, isRising } = state.sort;
  if (column !== 'own' || isRising) words.set('sort', (isRising ? '+' : '-') + column);
  return `#${words}`;
}

// Writes the state to the address, as a new step of the history or in place.
function remember(isStep = false) {
  const now = fragment();
  if (now === (location.hash || '#')) return;
  try {
    history[isStep ? 'pushState' : 'replaceState'](null, '', now);
  } catch {
    // A page may forbid the pictures in it to change the address.
  }
}

function restore() {
  const words = new URLSearchParams(location.hash.slice(1));
  const query = words.get('search') ?? '';
  page.query.value = query;
  state.hits = query === '' ? null : new Hits(query);
  state.flipped = words.has('flip') !== START.flipped;
  const sort = words.get('sort') ?? '-own';
  const isColumn = [...COLUMNS, BY_NAME].some(({ id }) => id === sort.slice(1));
  state.sort = { column: isColumn ? sort.slice(1) : 'own', isRising: sort[0] === '+' };
  const view = words.get('view') ?? START.view;
  state.view = VIEWS.some(({ id }) => id === view) ? view : START.view;
  const order = (words.get('order') ?? '').split('.');
  state.isHeavyFirst = { flame: order.includes('flame'), merged: !order.includes('merged') };
  state.steps = stepsOf(words.get('steps') ?? '');
  // Steps of another profile may leave nothing of this one.
  while (treeAfter(state.steps).total[0] === 0) state.steps.pop();
  growFrom(treeAfter(state.steps));
  state.zoom = branchAt(trees.flame.root, words.get('zoom') ?? '');
  state.scope = branchAt(trees.flame.root, words.get('in') ?? '');
  if (state.view === 'sandwich') {
    focusOn(ofWord(words.get('function') ?? '', [...names.keys()], itself) ?? NOBODY);
  }
  state.current = null;
  if (state.view !== 'flame') state.zoom = branchAt(rootOf(state.view), words.get('zoom') ?? '');
  render();
}

// Shows a function in the sandwich view; without one in the zoomed part, the heaviest.
function focusOn(name) {
  const all = sumsOfScope();
  const heavier = (best, sums) => (sums.own > best.own && sums.name !== NOBODY ? sums : best);
  const isThere = name !== NOBODY && all.some((sums) => sums.name === name);
  state.focus = isThere ? name : all.reduce(heavier, all[0])?.name ?? NOBODY;
  state.sandwich = sandwichOf(state.focus, scope().node, state.isHeavyFirst.merged);
}

function zoomTo(branch) {
  state.zoom = branch;
  state.current = branch;
  render();
  remember(true);
}

function showSandwich(name) {
  if (name === NOBODY) return;
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
  if (state.view === 'table') drawTable();
  else markHits();
  showMatched();
  remember();
}

// The share of the zoom that the search found, each weight counted once.
function matchedShare() {
  const { hits, zoom } = state;
  if (state.view === 'table') return percent(hits.below(scope().node), scope().weight);
  if (state.view !== 'sandwich') return percent(zoom.tree.matchedWeight(zoom, hits), zoom.weight);
  const { at, weight } = state.sandwich.callees.root;
  const found = (node) => (hits.reach(node) ? tree.total[node] : hits.below(node));
  return percent(at.reduce((sum, node) => sum + found(node), 0), weight);
}
