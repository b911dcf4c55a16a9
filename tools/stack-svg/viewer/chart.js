// The flame chart: what ran when, in a lane for each thread, on one axis of time. samples.rs writes
// the numbers. Each sample is of a stack of the profile, so a selection and steps leave as much of
// the chart as of the profile.

const timeline = part('chart-data') === null ? null : readTimeline();

// For each lane its samples, in the order of time: start and end of each in nanoseconds, the frame
// where its stack ends, and its weight.
function readTimeline() {
  const numbers = new Numbers(textOf('chart-data'));
  const lanes = [];
  while (numbers.more()) {
    const count = numbers.next();
    const [starts, ends] = [new Float64Array(count), new Float64Array(count)];
    const [nodes, weights] = [new Uint32Array(count), new Weights(count)];
    for (let at = 0, time = 0; at < count; at++) {
      starts[at] = time + numbers.next();
      time = ends[at] = starts[at] + numbers.next();
      nodes[at] = numbers.next();
      weights[at] = numbers.weight();
    }
    lanes.push({ starts, ends, nodes, weights });
  }
  return lanes;
}

const isInChart = () => state.view === 'chart';

// The time that is selected, or all of it.
function timeOfSelection() {
  const limits = selection.range ?? [0, strip.steps];
  return limits.map((step) => step * Number(strip.width));
}

// What is left of the samples of a lane. `shared` has for each the number of frames in common with
// the one before, 0 after a gap; `sums` has the weight of all samples before it.
function samplesLeft(all, leaves, [from, to]) {
  const isLeft = (_, at) => leaves[all.nodes[at]] !== 0 && all.starts[at] >= from && all.starts[at] < to;
  const [starts, ends, weights] = [all.starts, all.ends, all.weights].map((values) => values.filter(isLeft));
  const nodes = all.nodes.filter(isLeft).map((node) => leaves[node]);
  const count = nodes.length;
  const depths = nodes.map((node) => tree.depth[node]);
  const isNext = (at) => at > 0 && ends[at - 1] === starts[at];
  const shared = nodes.map((node, at) => (isNext(at) ? tree.depth[commonNode(nodes[at - 1], node)] : 0));
  const sums = new Weights(count + 1);
  weights.forEach((weight, at) => (sums[at + 1] = sums[at] + weight));
  return { count, starts, ends, nodes, weights, depths, shared, sums };
}

// The last frame that two have in common. Parents come before their kids.
function commonNode(one, other) {
  while (one !== other) {
    if (one > other) one = tree.parent[one];
    else other = tree.parent[other];
  }
  return one;
}

// If many lanes are shown, this part of a lane's weight may be deeper than its rows.
const DEEPER = 0.02;

// How many rows a lane needs for all frames, and how many so that little weight is deeper.
function rowsOfLane({ weights, depths }) {
  const sizes = [];
  depths.forEach((depth, at) => (sizes[depth] = (sizes[depth] ?? 0) + Number(weights[at])));
  const deepest = sizes.length - 1;
  let left = DEEPER * sizes.reduce((sum, size) => sum + size, 0);
  let usual = deepest;
  while (usual > 1 && (left -= sizes[usual] ?? 0) >= 0) usual--;
  return { deepest, usual };
}

// The lanes, and in them the blocks: consecutive samples that have a frame in common. A lane is
// at depth 1, so that a block is one deeper than its frame.
class ChartTree {
  constructor() {
    this.rows = 0;
    const [from, to] = timeOfSelection();
    this.root = new Branch(this, NOBODY, null, from, { weight: tree.total[0], own: tree.own[0], length: to - from });
    const leaves = leavesOf(tree);
    const isShown = (lane) => selection.lane === null || selection.lane === lane;
    const left = timeline.map((all, at) => ({ lane: strip.lanes[at], all })).filter(({ lane }) => isShown(lane))
      .map(({ lane, all }) => ({ lane, samples: samplesLeft(all, leaves, [from, to]) }))
      .filter(({ samples }) => samples.count > 0);
    this.lanes = left.map((one) => this.makeLane(one, left.length === 1));
  }

  makeLane({ lane, samples }, isAlone) {
    const { start, length } = this.root;
    const weight = samples.sums[samples.count];
    const { deepest, usual } = rowsOfLane(samples);
    const rows = isAlone ? deepest : usual;
    const branch = new Branch(this, NOBODY, this.root, start, {
      weight, own: ZERO, length, ofStrip: lane, samples, first: 0, last: samples.count, row: this.rows, rows, deepest,
      blocks: new Map(),
    });
    branch.lane = branch;
    this.rows += 1 + rows;
    return branch;
  }

  // The number of a block among those of its lane.
  keyOf({ deepest }, depth, first) {
    return first * (deepest + 2) + depth;
  }

  // The block of the samples from `first` to before `last`, which is made once.
  block(lane, depth, first, last) {
    const key = this.keyOf(lane, depth, first);
    const block = lane.blocks.get(key) ?? this.makeBlock(lane, depth, first, last);
    lane.blocks.set(key, block);
    return block;
  }

  makeBlock(lane, depth, first, last) {
    const { starts, ends, depths, sums, weights } = lane.samples;
    let own = ZERO;
    for (let at = first; at < last; at++) if (depths[at] === depth - 1) own += weights[at];
    const weight = sums[last] - sums[first];
    const length = ends[last - 1] - starts[first];
    const name = nameAt(lane, depth - 1, first);
    const block = new Branch(this, name, null, starts[first], { weight, own, length, lane, first, last });
    block.depth = depth;
    return block;
  }

  kidsOf(branch) {
    if (branch === this.root) return this.lanes;
    const { lane, depth, first, last } = branch;
    const { depths, shared } = lane.samples;
    const kids = [];
    for (let at = first; at < last;) {
      const start = at++;
      if (depths[start] < depth) continue;
      while (at < last && shared[at] >= depth) at++;
      kids.push(this.block(lane, depth + 1, start, at));
    }
    for (const kid of kids) kid.parent = branch;
    return kids;
  }

  // Without the lane, which is not a frame.
  stackOf(branch) {
    return branch.path().slice(2);
  }

  matchedWeight(branch, hits) {
    return branch === this.root ? hits.below(0) : foundAmong(branch, hits);
  }
}

// The name of the frame of a sample at a depth.
function nameAt({ samples }, depth, at) {
  let node = samples.nodes[at];
  while (tree.depth[node] > depth) node = tree.parent[node];
  return tree.name[node];
}

// The weight of some samples of a lane that have a found frame at this depth or deeper.
function foundAmong({ lane, depth, first, last }, hits) {
  const { nodes, weights } = lane.samples;
  let weight = ZERO;
  for (let at = first; at < last; at++) {
    if (hits.deepest(nodes[at]) >= Math.max(depth - 1, 1)) weight += weights[at];
  }
  return weight;
}

// The chart of the tree that is shown, which is made once.
const chartNow = () => (tree.chart ??= new ChartTree());

// A time in seconds, with at most `digits` digits after the point.
const inSeconds = (time, digits) => Number((time / 1e9).toFixed(digits));

// The time from start to end, by default to the microsecond.
const wordsOfTime = (from, to, digits = 6) => `${inSeconds(from, digits)} – ${inSeconds(to, digits)} s`;

// How many digits are needed for the limits of this time, in nanoseconds.
const digitsOfTime = (length) => Math.min(Math.max(11 - Math.floor(Math.log10(length)), 0), 9);
