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

  // From the root of its tree to this branch.
  path() {
    const path = [];
    for (let branch = this; branch !== null; branch = branch.parent) path.push(branch);
    return path.reverse();
  }
}

// The profile as it is: callees on their callers.
class TopDown {
  constructor() {
    this.root = this.branch(0, null);
  }

  branch(node, parent) {
    const branch = new Branch(this, tree.name[node], parent, tree.start[node], null);
    branch.weight = tree.total[node];
    branch.before = tree.before[node];
    branch.own = tree.own[node];
    branch.node = node;
    return branch;
  }

  kidsOf(branch) {
    const kids = [];
    for (let node = branch.node + 1; node < tree.end[branch.node]; node = tree.end[node]) {
      kids.push(this.branch(node, branch));
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

// Branches by name, the heaviest first, side by side behind the self weight of
// their parent.
function sortedBranches(tree, parent, groups) {
  const sorted = [...groups].sort(
    ([one, a], [other, b]) => b.weight - a.weight || one - other,
  );
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

// Callers on their callees. A branch is a set of frames with a weight at each;
// the next level has the same weights at the parents of these frames.
class BottomUp {
  constructor(name, at, weights, befores) {
    const sums = { weight: 0, before: 0, own: 0, at, weights, befores };
    for (let item = 0; item < at.length; item++) {
      sums.weight += weights[item];
      sums.before += befores[item];
    }
    // Self weight of the whole belongs to no function.
    if (name === NOBODY) sums.own = tree.own[0];
    sums.weight += sums.own;
    sums.before += sums.own > 0 && isDiff ? tree.ownBefore[0] : 0;
    this.root = new Branch(this, name, null, 0, sums);
  }

  kidsOf(branch) {
    const groups = new Map();
    const isWhole = branch.name === NOBODY;
    for (let item = 0; item < branch.at.length; item++) {
      const node = branch.at[item];
      const next = isWhole ? node : tree.parent[node];
      if (next === 0) {
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
  constructor(name, at) {
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

// Calls `each` for the frames without an ancestor of the same name, so that the
// weight of a recursive function is counted once.
function forEachOutermost(each) {
  const behind = new Uint32Array(names.length);
  for (let node = 1; node < tree.count; node++) {
    const name = tree.name[node];
    if (node < behind[name]) continue;
    behind[name] = tree.end[node];
    each(node, name);
  }
}

function bottomUpOfAll() {
  const at = [];
  for (let node = 1; node < tree.count; node++) if (tree.own[node] > 0) at.push(node);
  const before = (node) => (isDiff ? tree.ownBefore[node] : 0);
  return new BottomUp(NOBODY, at, at.map((node) => tree.own[node]), at.map(before));
}

// Who calls a function, and what it calls.
function sandwichOf(name) {
  const at = [];
  forEachOutermost((node, its) => {
    if (its === name) at.push(node);
  });
  const callers = new BottomUp(
    name,
    at,
    at.map((node) => tree.total[node]),
    at.map((node) => tree.before[node]),
  );
  return { callers, callees: new Callees(name, at) };
}

// The weights of each name, for the table.
function sumsOfNames() {
  const sums = names.map((_, name) => ({
    name, own: 0, ownBefore: 0, total: 0, before: 0,
  }));
  forEachOutermost((node, name) => {
    sums[name].total += tree.total[node];
    sums[name].before += tree.before[node];
  });
  for (let node = 1; node < tree.count; node++) {
    sums[tree.name[node]].own += tree.own[node];
    if (isDiff) sums[tree.name[node]].ownBefore += tree.ownBefore[node];
  }
  // The weight of cut root frames belongs to the whole, which is no function.
  if (tree.own[0] > 0) {
    const before = isDiff ? tree.ownBefore[0] : 0;
    sums.push({ name: NOBODY, own: tree.own[0], ownBefore: before, total: tree.own[0], before });
  }
  return sums;
}
