// Makes a tree of frames from another one: with some of its stacks, or without
// some of its frames.

// A copy with twice the room.
function longer(values) {
  const copy = new values.constructor(2 * values.length);
  copy.set(values);
  return copy;
}

// Takes frames, each a child of an earlier one, in the order of the other tree. At first there is
// space for `room` frames.
class TreeBuilder {
  constructor(room) {
    this.count = 0;
    this.frame = framesFor(room);
    // For each frame its last kid, the kid before it, and its self weight after its last kid.
    this.lastKid = new Uint32Array(room);
    this.sibling = new Uint32Array(room);
    this.behind = new Weights(isChart ? room : 0);
    // The kids, by name, of frames that replace several frames of the other tree.
    this.shared = new Map();
    this.make(NOBODY, 0, 0);
  }

  make(name, parent, depth) {
    if (this.count === this.lastKid.length) this.grow();
    const node = this.count++;
    const { frame, behind, lastKid } = this;
    frame.name[node] = name;
    frame.parent[node] = parent;
    frame.depth[node] = depth;
    if (isChart) {
      frame.gap[node] = behind[parent];
      behind[parent] = ZERO;
    }
    this.sibling[node] = lastKid[parent];
    if (node !== 0) lastKid[parent] = node;
    this.shared.get(parent)?.set(name, node);
    return node;
  }

  grow() {
    for (const key of Object.keys(this.frame)) this.frame[key] = longer(this.frame[key]);
    for (const key of ['lastKid', 'sibling', 'behind']) this[key] = longer(this[key]);
  }

  // The child of this name; in a flame chart, the last one if nothing came after it.
  child(parent, name) {
    const last = this.lastKid[parent];
    const isLast = last !== 0 && this.behind[parent] === ZERO && this.frame.name[last] === name;
    const found = isChart ? (isLast ? last : undefined) : this.shared.get(parent)?.get(name);
    if (found === undefined) return this.make(name, parent, this.frame.depth[parent] + 1);
    return this.share(found);
  }

  // Notes that kids of several frames will be the kids of this one.
  share(node) {
    if (isChart || this.shared.has(node)) return node;
    const kids = new Map();
    for (let kid = this.lastKid[node]; kid !== 0; kid = this.sibling[kid]) {
      kids.set(this.frame.name[kid], kid);
    }
    this.shared.set(node, kids);
    return node;
  }

  add(node, own, before) {
    this.frame.own[node] += own;
    if (isDiff) this.frame.ownBefore[node] += before;
    if (isChart) this.behind[node] += own;
  }

  // The tree, and the index of each frame in it if that is another one.
  tree() {
    const { frame, count } = this;
    const order = this.shared.size > 0 ? this.orderByName() : null;
    const placed = (values) => {
      if (order === null || values.length === 0) return values.subarray(0, count);
      const inOrder = values.slice(0, count);
      for (let place = 0; place < count; place++) inOrder[place] = values[order.nodes[place]];
      return inOrder;
    };
    const frames = Object.fromEntries(Object.entries(frame).map(([key, values]) => [key, placed(values)]));
    if (order !== null) {
      for (let node = 0; node < count; node++) frames.parent[node] = order.places[frames.parent[node]];
    }
    return { ...addUp(frames), places: order?.places };
  }

  // The frames, each before its kids, and kids in the order of their names; and the index of each
  // frame in this order.
  orderByName() {
    const { frame, sibling, lastKid } = this;
    const nodes = new Uint32Array(this.count);
    const places = new Uint32Array(this.count);
    const byName = (one, other) => compareNames(frame.name[one], frame.name[other]);
    const pending = [0];
    for (let place = 0; pending.length > 0; place++) {
      const node = pending.pop();
      nodes[place] = node;
      places[node] = place;
      const first = pending.length;
      for (let kid = lastKid[node]; kid !== 0; kid = sibling[kid]) pending.push(kid);
      if (!this.shared.has(node)) continue;
      const kids = pending.splice(first).sort(byName);
      while (kids.length > 0) pending.push(kids.pop());
    }
    return { nodes, places };
  }
}

// A tree with those stacks whose last frame `keeps` has, or with all stacks if that is null.
// `placeOf` gives the index of a frame in the new tree, and `leafOf` that of its self weight. The
// `origin` of a tree has for each frame of the other one the frame with its self weight, or 0.
function rebuilt(from, keeps, placeOf, leafOf) {
  const kept = keptFrames(from, keeps);
  const builder = new TreeBuilder(from.count + 1);
  const places = new Uint32Array(from.count);
  const leaves = new Uint32Array(from.count);
  const leave = (node, own) => {
    if (own === ZERO || (keeps !== null && keeps[node] === 0)) return;
    leaves[node] = leafOf(builder, places[node], node);
    builder.add(leaves[node], own, from.ownBefore[node]);
  };
  // In a flame chart, self weight is between the kids and after them.
  const rest = isChart ? from.own.slice() : null;
  const open = [0];
  const close = (before) => {
    while (open.length > 0 && before >= from.end[open.at(-1)]) leave(open.at(-1), rest[open.pop()]);
  };
  if (!isChart) leave(0, from.own[0]);
  for (let node = 1; node < from.count; node++) {
    const parent = from.parent[node];
    if (isChart) {
      close(node);
      leave(parent, from.gap[node]);
      rest[parent] -= from.gap[node];
    }
    if (kept[node] === 0) continue;
    places[node] = placeOf(builder, places[parent], node);
    if (isChart) open.push(node);
    else leave(node, from.own[node]);
  }
  if (isChart) close(from.count);
  const made = builder.tree();
  return { ...made, isLabelled: from.isLabelled, origin: { from, leaves: made.places ? leaves.map((leaf) => made.places[leaf]) : leaves } };
}

// The frames that are kept: those of the stacks that are kept.
function keptFrames(from, keeps) {
  if (keeps === null) return new Uint8Array(from.count).fill(1);
  const kept = new Uint8Array(from.count);
  for (let node = from.count - 1; node > 0; node--) {
    if (from.own[node] > 0) kept[node] |= keeps[node];
    kept[from.parent[node]] |= kept[node];
  }
  return kept;
}
