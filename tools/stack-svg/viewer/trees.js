// The trees that the views show. A branch is made when it is first used, so that
// a tree much larger than the profile costs nothing until it is shown.

class Branch {
  constructor(tree, name, parent, start, sums) {
    this.tree = tree;
    this.name = name;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.start = start;
    // weight, before, after, own: see the trees below.
    Object.assign(this, sums);
    this.found = null;
  }

  // The kids that weigh something.
  get kids() {
    if (this.found === null) {
      this.found = this.tree.kidsOf(this);
      this.found.forEach((kid, at) => (kid.place = at + 1));
    }
    return this.found;
  }

  // How wide it is: its weight as far as a number holds it, or in a chart, its time.
  get size() {
    return this.length ?? Number(this.weight);
  }

  // The text of the box. The root of a tree of the zoomed part says of which frame it is all.
  get word() {
    if (this.ofStrip) return this.ofStrip.name;
    const scope = this.name === NOBODY ? this.tree.scope : 0;
    return scope > 0 ? `all of ${nameText(tree.name[scope])}` : nameText(this.name);
  }

  // From the root of its tree to this branch.
  path() {
    const path = [];
    for (let branch = this; branch !== null; branch = branch.parent) path.push(branch);
    return path.reverse();
  }
}

// The profile as it is: callees on their callers, the heaviest first if `isHeavyFirst`.
class TopDown {
  constructor(isHeavyFirst = false) {
    this.isHeavyFirst = isHeavyFirst;
    this.root = this.branch(0, null, 0);
  }

  branch(node, parent, start) {
    const branch = new Branch(this, tree.name[node], parent, start, null);
    branch.weight = tree.total[node];
    branch.before = tree.before[node];
    branch.after = tree.after[node];
    branch.own = tree.own[node];
    branch.node = node;
    return branch;
  }

  kidsOf(branch) {
    const nodes = [];
    for (let node = branch.node + 1; node < tree.end[branch.node]; node = tree.end[node]) nodes.push(node);
    if (this.isHeavyFirst) nodes.sort((one, other) => compare(tree.total[other], tree.total[one]) || one - other);
    // After the self weight of the frame, or in a flame chart, where each began.
    let start = branch.start + (isChart ? 0 : Number(branch.own));
    const kids = [];
    for (const node of nodes) {
      if (isChart) start += Number(tree.gap[node]);
      if (tree.total[node] > 0) kids.push(this.branch(node, branch, start));
      start += Number(tree.total[node]);
    }
    return kids;
  }

  // The branch of a frame, with all those below it.
  branchOf(node) {
    const path = [];
    for (let below = node; below !== 0; below = tree.parent[below]) path.push(below);
    let branch = this.root;
    while (path.length > 0) {
      const next = path.pop();
      branch = branch.kids.find((kid) => kid.node === next);
    }
    return branch;
  }

  stackOf(branch) {
    return branch.path().slice(1);
  }

  matchedWeight(branch, hits) {
    return hits.below(branch.node);
  }
}

// Weights are numbers or BigInts.
const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

// Sums of weights, and `at`, the frames that they are for. `of` are the frames that have these
// weights, if they are others.
const noWeights = () => ({ weight: ZERO, before: ZERO, after: ZERO });
const noSums = () => ({ ...noWeights(), own: ZERO, at: [], of: [] });

function addWeights(sums, { weight, before, after }, node) {
  sums.weight += weight[node];
  if (!isDiff) return;
  sums.before += before[node];
  sums.after += after[node];
}

// Branches by name, the heaviest first or in the order of their names, side by side after the self
// weight of their parent.
function sortedBranches(tree, parent, groups) {
  const byName = ([one], [other]) => compareNames(one, other);
  const byWeight = ([one, a], [other, b]) => compare(b.weight, a.weight) || one - other;
  const sorted = [...groups].sort(tree.isHeavyFirst ? byWeight : byName);
  let start = parent.start + Number(parent.own);
  return sorted.filter(([, { weight }]) => weight > 0).map(([name, sums]) => {
    const branch = new Branch(tree, name, parent, start, sums);
    start += branch.size;
    return branch;
  });
}

function groupOf(groups, name) {
  let group = groups.get(name);
  if (group === undefined) groups.set(name, (group = noSums()));
  return group;
}

// Callers on their callees, up to the frame `scope`. A branch is a set of frames, each
// with the weights of another frame; the next level has the same weights at the parents
// of these frames.
class BottomUp {
  // `weights` are the weights of frames by themselves, or with all frames on top of them.
  constructor(name, scope, nodes, weights, isHeavyFirst) {
    this.scope = scope;
    this.weights = weights;
    this.isHeavyFirst = isHeavyFirst;
    this.root = new Branch(this, name, null, 0, { ...noSums(), at: nodes, of: nodes });
    for (const node of nodes) addWeights(this.root, weights, node);
  }

  kidsOf(branch) {
    const groups = new Map();
    const isWhole = branch.name === NOBODY;
    const outside = tree.parent[this.scope];
    for (let item = 0; item < branch.at.length; item++) {
      const [node, origin] = [branch.at[item], branch.of[item]];
      const next = isWhole ? node : tree.parent[node];
      if (next === outside) {
        branch.own += this.weights.weight[origin];
        continue;
      }
      const group = groupOf(groups, tree.name[next]);
      group.at.push(next);
      group.of.push(origin);
      addWeights(group, this.weights, origin);
    }
    return sortedBranches(this, branch, groups);
  }

  stackOf(branch) {
    return branch.path().filter((one) => one.name !== NOBODY).reverse();
  }

  matchedWeight(branch, hits) {
    let weight = ZERO;
    for (let item = 0; item < branch.at.length; item++) {
      if (hits.reach(branch.at[item])) weight += this.weights.weight[branch.of[item]];
    }
    return weight;
  }
}

// Callees below their callers, merged from all the frames of one name.
class Callees {
  constructor(name, at, isHeavyFirst) {
    this.isHeavyFirst = isHeavyFirst;
    const group = noSums();
    for (const node of at) this.add(group, node);
    this.root = new Branch(this, name, null, 0, group);
  }

  add(group, node) {
    group.at.push(node);
    group.own += tree.own[node];
    addWeights(group, tree.all, node);
  }

  kidsOf(branch) {
    const groups = new Map();
    for (const above of branch.at) {
      for (let node = above + 1; node < tree.end[above]; node = tree.end[node]) {
        this.add(groupOf(groups, tree.name[node]), node);
      }
    }
    return sortedBranches(this, branch, groups);
  }

  stackOf(branch) {
    return branch.path();
  }

  matchedWeight(branch, hits) {
    return branch.at.reduce((sum, node) => sum + hits.below(node), ZERO);
  }
}

// Calls `each` for the frames of the zoomed part without an ancestor of the same
// name in it, so that the weight of a recursive function is counted once.
function forEachOutermost(scope, each) {
  const behind = new Uint32Array(names.length);
  for (let node = Math.max(scope, 1); node < tree.end[scope]; node++) {
    const name = tree.name[node];
    if (node < behind[name]) continue;
    behind[name] = tree.end[node];
    each(node, name);
  }
}

// The zoomed part, merged from the leaves.
function bottomUpOf(scope, isHeavyFirst) {
  const { own, ownBefore, ownAfter } = tree;
  const at = [];
  for (let node = Math.max(scope, 1); node < tree.end[scope]; node++) {
    if (own[node] > 0 || (isDiff && ownBefore[node] + ownAfter[node] > 0)) at.push(node);
  }
  return new BottomUp(NOBODY, scope, at, tree.self, isHeavyFirst);
}

// The roots of two trees: the callers of a function in the zoomed part, up to the whole, and what
// it calls.
function sandwichOf(name, scope, isHeavyFirst) {
  const at = [];
  forEachOutermost(scope, (node, its) => {
    if (its === name) at.push(node);
  });
  const { root: callers } = new BottomUp(name, 0, at, tree.all, isHeavyFirst);
  return { callers, callees: new Callees(name, at, isHeavyFirst).root };
}

// The weights of each name in the zoomed part, for the table. With two profiles, those of both,
// even if boxes are as wide as in one.
function sumsOfNames(scope) {
  const charged = chargedIn(scope);
  const sums = names.map((_, name) => ({ name, own: noWeights(), total: noWeights(), charged: charged?.[name] ?? ZERO }));
  forEachOutermost(scope, (node, name) => addWeights(sums[name].total, tree.all, node));
  for (let node = Math.max(scope, 1); node < tree.end[scope]; node++) {
    addWeights(sums[tree.name[node]].own, tree.self, node);
  }
  return sums.filter(({ total: { weight, before, after } }) => weight > 0 || before + after > 0);
}

// For each name the weight of the stacks of the zoomed part whose deepest frame of own code it is,
// as stack-top --sort own has it; null if no code is known to be own. What woke a waiting thread,
// after `--`, is other code.
function chargedIn(scope) {
  const entry = entryOf('own');
  if (entry === undefined) return null;
  const areOwn = names.map((text, name) => isOfEntry(name, entry) && !text.includes('_[w]', markStarts[name]));
  // Where own code is not marked, a root may be a process or a thread.
  const isMarked = names.some((text, name) => text.includes('_[o]', markStarts[name]));
  const sums = names.map(() => ZERO);
  const first = tree.isLabelled ? 2 : 1;
  const nearest = new Int32Array(tree.count).fill(NOBODY);
  const isOfWaker = new Uint8Array(tree.count);
  for (let node = Math.max(scope, 1); node < tree.end[scope]; node++) {
    const [name, parent, depth] = [tree.name[node], tree.parent[node], tree.depth[node]];
    isOfWaker[node] = isOfWaker[parent] || Number(names[name] === '--');
    const isOwn = areOwn[name] && depth >= first && !isOfWaker[node];
    const isForSelf = isOwn && depth === first && !isMarked;
    nearest[node] = isOwn && !isForSelf ? name : nearest[parent];
    const charged = isForSelf ? name : nearest[node];
    if (charged !== NOBODY) sums[charged] += tree.own[node];
  }
  return sums;
}
