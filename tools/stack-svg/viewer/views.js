// What a change of the view keeps: the zoom, and the frame that is selected.

// For each view that was left, its zoom and its current frame.
let left = {};

// The zoomed branch of the flame graph, which the other views show.
const scope = () => (state.view === 'flame' ? state.zoom : state.scope);

// Names count from this frame on. A sandwich also shows the callers of the zoomed part: a reader
// who zooms to a function and then asks for its callers would see none of them in that part.
const outermost = () => (isSandwich() ? 0 : scope().node);

function bottomUp() {
  const { node } = scope();
  if (trees.bottomUp?.scope !== node) trees.bottomUp = bottomUpOf(node, state.isHeavyFirst.merged);
  return trees.bottomUp;
}

function sumsOfScope() {
  const { node } = scope();
  if (table.scope !== node) [table.all, table.scope] = [sumsOfNames(node), node];
  return table.all;
}

function show(view) {
  if (view === state.view) return;
  const focus = view === 'sandwich' ? currentName() : NOBODY;
  enterView(view, scope(), selectedName(), focus);
  remember(true);
}

// The function that the reader has chosen, if any.
function selectedName() {
  return state.view === 'table' ? table.name : state.current?.name ?? NOBODY;
}

// Shows a view of a part of the flame graph, with the frame of a name selected.
function enterView(view, part, name, focus) {
  left[state.view] = { zoom: state.zoom, current: state.current };
  state.scope = part;
  state.view = view;
  if (view === 'sandwich') focusOn(focus);
  if (view === 'table') table.name = name;
  [state.zoom, state.current] = placeIn(view, name);
  page.stage.scrollTop = 0;
  render();
  if (view === 'table') reveal(table.current);
}

// The zoom and the current frame of a view that is entered.
function placeIn(view, name) {
  const last = left[view];
  const root = rootOf(view);
  if (view === 'sandwich') return [root, root];
  if (view === 'table' || view === 'chart') return [root, null];
  let zoom = view === 'flame' ? state.scope : root;
  if (view === 'bottom-up' && last?.zoom.tree === root.tree) zoom = last.zoom;
  const isLast = last?.current?.tree === root.tree && (name === NOBODY || last.current.name === name);
  const current = isLast ? last.current : heaviestOf(name, view, zoom);
  return [zoom, current?.path().includes(zoom) ? current : null];
}

// The heaviest frame of a name in the zoom of a view, if there is one.
function heaviestOf(name, view, zoom) {
  if (name === NOBODY) return null;
  if (view === 'bottom-up') return zoom.tree.root.kids.find((kid) => kid.name === name);
  let best = 0;
  forEachOutermost(zoom.node, (node, its) => {
    if (its === name && tree.total[node] > (best && tree.total[best])) best = node;
  });
  return best === 0 ? null : trees.flame.branchOf(best);
}

// Shows another part of the flame graph in the view that is shown.
function zoomScope(branch) {
  enterView(state.view, branch, selectedName(), state.focus);
  remember(true);
}

// The views that share a choice of the order.
const orderKind = () => (state.view === 'flame' ? 'flame' : 'merged');

const canOrder = () => state.view !== 'table' && !isInChart() && !(isChart && state.view === 'flame');

// Puts the heaviest frames first, or frames in the order of their names.
function toggleOrder() {
  if (!canOrder()) return;
  state.isHeavyFirst[orderKind()] = !state.isHeavyFirst[orderKind()];
  const { zoom, current } = state;
  plantTrees();
  state.scope = trees.flame.branchOf(state.scope.node);
  if (isSandwich()) focusOn(state.focus);
  [state.zoom, state.current] = [zoom, current].map(sameBranch);
  render();
  remember();
}

// Makes the trees of all views anew.
function plantTrees() {
  trees.flame = new TopDown(state.isHeavyFirst.flame && !isChart);
  trees.bottomUp = null;
  table.scope = null;
  left = {};
}

// The branch of the same frames in the tree that is shown now.
function sameBranch(branch) {
  if (branch === null) return null;
  if (state.view === 'flame') return trees.flame.branchOf(branch.node);
  const isCaller = isSandwich() && branch.tree instanceof BottomUp;
  let same = isCaller ? state.sandwich.callers : rootOf(state.view);
  for (const { name } of branch.path().slice(1)) same = same.kids.find((kid) => kid.name === name);
  return same;
}
