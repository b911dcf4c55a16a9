// What is shown, and how the fragment of the address says it: by hashes of
// names, so that it holds when the same profile is drawn again.

const trees = {
  flame: new TopDown(),
  bottomUp: null,
};

const state = {
  view: 'flame',
  zoom: trees.flame.root,
  // The frame that the reader walked to, if any.
  current: null,
  hits: null,
  // The function of the sandwich, and its two trees.
  focus: NOBODY,
  sandwich: null,
  flipped: false,
  sort: { column: 'own', isRising: false },
};

const START = { view: facts.view, flipped: facts.inverted !== '' };

// Four digits, for 24 bits of FNV-1a.
function hashOf(name) {
  let hash = 0x811c9dc5;
  for (const unit of name === NOBODY ? 'all' : names[name]) {
    hash = Math.imul(hash ^ unit.codePointAt(0), 0x01000193);
  }
  hash = (hash ^ (hash >>> 24)) >>> 0;
  return [18, 12, 6, 0].map((shift) => DIGITS[(hash >>> shift) & 63]).join('');
}

// Which of several of one hash, behind a ~.
const turnOf = (at) => (at > 0 ? `~${at}` : '');

// The way to a branch: at each level the hash of a child.
function wayTo(branch) {
  const steps = [];
  for (const one of branch.path().slice(1)) {
    const hash = hashOf(one.name);
    const same = one.parent.kids.filter((kid) => hashOf(kid.name) === hash);
    steps.push(hash + turnOf(same.indexOf(one)));
  }
  return steps.join('.');
}

// A function, and what was called so.
const namesOfHash = (hash) => [...names.keys()].filter((name) => hashOf(name) === hash);

function functionWord(name) {
  const hash = hashOf(name);
  return hash + turnOf(namesOfHash(hash).indexOf(name));
}

function functionOf(word) {
  const [hash, at = '0'] = word.split('~');
  const same = namesOfHash(hash);
  return same[Number(at)] ?? same[0] ?? NOBODY;
}

// As far as the way leads in this profile.
function branchAt(root, way) {
  let branch = root;
  for (const step of way.split('.').filter(Boolean)) {
    const [hash, at = '0'] = step.split('~');
    const kids = branch.kids.filter((kid) => hashOf(kid.name) === hash);
    if (kids.length === 0) break;
    branch = kids[Number(at)] ?? kids[0];
  }
  return branch;
}

const rootOf = (view) => {
  if (view === 'sandwich') return state.sandwich.callees.root;
  if (view !== 'bottom-up') return trees.flame.root;
  trees.bottomUp ??= bottomUpOfAll();
  return trees.bottomUp.root;
};

function fragment() {
  const words = new URLSearchParams();
  if (state.view !== START.view) words.set('view', state.view);
  if (state.view === 'sandwich') words.set('function', functionWord(state.focus));
  else if (state.zoom.parent !== null) words.set('zoom', wayTo(state.zoom));
  if (state.hits !== null) words.set('search', state.hits.query);
  if (state.flipped !== START.flipped) words.set('flip', '1');
  const { column, isRising } = state.sort;
  if (column !== 'own' || isRising) words.set('sort', (isRising ? '+' : '-') + column);
  return `#${words}`;
}

// Writes the state to the address: as a step to come back to, or in place.
function remember(isStep = false) {
  const now = fragment();
  if (now === (location.hash || '#')) return;
  try {
    history[isStep ? 'pushState' : 'replaceState'](null, '', now);
  } catch {
    // A picture in a page of its own rules has no address to write to.
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
  if (state.view === 'sandwich') {
    focusOn(functionOf(words.get('function') ?? ''));
  }
  state.current = null;
  state.zoom = branchAt(rootOf(state.view), words.get('zoom') ?? '');
  render();
}

// Makes a function that of the sandwich; without one, the heaviest.
function focusOn(name) {
  table.all ??= sumsOfNames();
  const heaviest = () =>
    table.all.reduce((best, sums) => (sums.own > best.own && sums.name !== NOBODY ? sums : best), table.all[0])?.name ?? NOBODY;
  state.focus = name === NOBODY ? heaviest() : name;
  state.sandwich = sandwichOf(state.focus);
}

function zoomTo(branch) {
  state.zoom = branch;
  state.current = branch;
  render();
  remember(true);
}

function show(view) {
  const from = state.view;
  if (view === 'sandwich') {
    if (from === 'sandwich') return;
    focusOn(currentName());
  }
  state.view = view;
  state.current = null;
  state.zoom = rootOf(view);
  page.stage.scrollTop = 0;
  render();
  remember(true);
}

function showSandwich(name) {
  if (name === NOBODY) return;
  focusOn(name);
  state.view = 'sandwich';
  state.zoom = rootOf('sandwich');
  state.current = state.zoom;
  render();
  remember(true);
}

// The function that the reader is at.
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
  if (state.view === 'table') return percent(hits.below(0), tree.total[0]);
  if (state.view !== 'sandwich') return percent(zoom.tree.matchedWeight(zoom, hits), zoom.weight);
  const { at, weight } = state.sandwich.callees.root;
  const found = (node) => (hits.reach(node) ? tree.total[node] : hits.below(node));
  return percent(at.reduce((sum, node) => sum + found(node), 0), weight);
}
