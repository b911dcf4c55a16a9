// The trees that the views show. A branch is made when it is first used, so that
// a tree much larger than the profile costs nothing until it is shown.

class Branch {
  constructor(tree, name, parent, start, sums) {
    this.tree = tree;
    this.name = name;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.start = start;
    // weight, before, own: see the trees below.
    Object.assign(this, sums);
    this.found = null;
  }

  get kids() {
    if (this.found === null) this.found = this.tree.kidsOf(this);
    return this.found;
  }

  get after() {
    return this.weight - this.before;
  }

  // What the box is called. The root of a tree of the zoomed part says of what it is all.
  get word() {
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
    branch.own = tree.own[node];
    branch.node = node;
    return branch;
  }

  kidsOf(branch) {
    const nodes = [];
    for (let node = branch.node + 1; node < tree.end[branch.node]; node = tree.end[node]) {
      nodes.push(node);
    }
    if (!this.isHeavyFirst) return nodes.map((node) => this.branch(node, branch, tree.start[node]));
    nodes.sort((one, other) => tree.total[other] - tree.total[one] || one - other);
    let start = branch.start + branch.own;
    return nodes.map((node) => {
      const kid = this.branch(node, branch, start);
      start += kid.weight;
      return kid;
    });
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

// Branches by name, the heaviest first or in the order of their names, side by
// side behind the self weight of their parent.
function sortedBranches(tree, parent, groups) {
  const byName = ([one], [other]) => compareNames(one, other);
  const byWeight = ([one, a], [other, b]) => b.weight - a.weight || one - other;
  const sorted = [...groups].sort(tree.isHeavyFirst ? byWeight : byName);
  let start = parent.start + parent.own;
  return sorted.map(([name, sums]) => {
    const branch = new Branch(tree, name, parent, start, sums);
    start += sums.weight;
    return branch;
  });
}

function groupOf(groups, name) {
  let group = groups.get(name);
  if (group === undefined) {
    group = { weight: 0, before: 0, own: 0, at: [], weights: [], befores: [] };
    groups.set(name, group);
  }
  return group;
}

// Callers on their callees, up to the frame `scope`. A branch is a set of frames
// with a weight at each; the next level has the same weights at the parents of
// these frames.
class BottomUp {
  constructor(name, scope, { at, weights, befores }, isHeavyFirst) {
    this.scope = scope;
    this.isHeavyFirst = isHeavyFirst;
    const sums = { weight: 0, before: 0, own: 0, at, weights, befores };
    for (let item = 0; item < at.length; item++) {
      sums.weight += weights[item];
      sums.before += befores[item];
    }
    this.root = new Branch(this, name, null, 0, sums);
  }

  kidsOf(branch) {
    const groups = new Map();
    const isWhole = branch.name === NOBODY;
    const outside = tree.parent[this.scope];
    for (let item = 0; item < branch.at.length; item++) {
      const node = branch.at[item];
      const next = isWhole ? node : tree.parent[node];
      if (next === outside) {
        branch.own += branch.weights[item];
        continue;
      }
      const group = groupOf(groups, tree.name[next]);
      group.at.push(next);
      group.weights.push(branch.weights[item]);
      group.befores.push(branch.befores[item]);
      group.weight += branch.weights[item];
      group.before += branch.befores[item];
    }
    return sortedBranches(this, branch, groups);
  }

  stackOf(branch) {
    return branch.path().filter((one) => one.name !== NOBODY).reverse();
  }

  matchedWeight(branch, hits) {
    let weight = 0;
    for (let item = 0; item < branch.at.length; item++) {
      if (hits.reach(branch.at[item])) weight += branch.weights[item];
    }
    return weight;
  }
}

// Callees below their callers, merged from all the frames of one name.
class Callees {
  constructor(name, at, isHeavyFirst) {
    this.isHeavyFirst = isHeavyFirst;
    const group = groupOf(new Map(), name);
    at.forEach((node) => this.add(group, node));
    this.root = new Branch(this, name, null, 0, group);
  }

  add(group, node) {
    group.at.push(node);
    group.weight += tree.total[node];
    group.before += tree.before[node];
    group.own += tree.own[node];
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
    return branch.at.reduce((sum, node) => sum + hits.below(node), 0);
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

// Frames with their weights, for a tree of their callers.
function weighed(at, weights, befores) {
  const before = (node) => (isDiff ? befores[node] : 0);
  return { at, weights: at.map((node) => weights[node]), befores: at.map(before) };
}

// The zoomed part, from its self weights up.
function bottomUpOf(scope, isHeavyFirst) {
  const at = [];
  for (let node = Math.max(scope, 1); node < tree.end[scope]; node++) {
    if (tree.own[node] > 0) at.push(node);
  }
  return new BottomUp(NOBODY, scope, weighed(at, tree.own, tree.ownBefore), isHeavyFirst);
}

// Who calls a function in the zoomed part, and what it calls.
function sandwichOf(name, scope, isHeavyFirst) {
  const at = [];
  forEachOutermost(scope, (node, its) => {
    if (its === name) at.push(node);
  });
  const callers = new BottomUp(name, scope, weighed(at, tree.total, tree.before), isHeavyFirst);
  return { callers, callees: new Callees(name, at, isHeavyFirst) };
}

// The weights of each name in the zoomed part, for the table.
function sumsOfNames(scope) {
  const sums = names.map((_, name) => ({
    name, own: 0, ownBefore: 0, total: 0, before: 0,
  }));
  forEachOutermost(scope, (node, name) => {
    sums[name].total += tree.total[node];
    sums[name].before += tree.before[node];
  });
  for (let node = Math.max(scope, 1); node < tree.end[scope]; node++) {
    sums[tree.name[node]].own += tree.own[node];
    if (isDiff) sums[tree.name[node]].ownBefore += tree.ownBefore[node];
  }
  return sums.filter(({ total }) => total > 0);
}
