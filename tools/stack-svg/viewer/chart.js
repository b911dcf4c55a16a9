// The flame chart: what ran when, in a lane for each thread, on one axis of time. samples.rs writes
// the numbers. Each sample is of a stack of the profile, so that a selection and steps leave as
// much of the chart as of the profile.

const timeline = part('chart-data') === null ? null : readTimeline();

// For each lane its samples, in the order of time.
function readTimeline() {
  const numbers = new Numbers(textOf('chart-data'));
  const lanes = [];
  while (numbers.more()) {
    const lane = samplesFor(numbers.next());
    for (let at = 0, time = 0; at < lane.count; at++) {
      lane.starts[at] = time + numbers.next();
      time = lane.ends[at] = lane.starts[at] + numbers.next();
      lane.nodes[at] = numbers.next();
      lane.weights[at] = numbers.weight();
    }
    lanes.push(lane);
  }
  return lanes;
}

// Room for so many samples: from when to when they are, in nanoseconds, the frame where the
// stack of each ends, and its weight.
function samplesFor(count) {
  return {
    count,
    starts: new Float64Array(count),
    ends: new Float64Array(count),
    nodes: new Uint32Array(count),
    weights: new Weights(count),
  };
}

const isInChart = () => state.view === 'chart';

// The time that is selected, or all of it.
function timeOfSelection() {
  const limits = selection.range ?? [0, strip.steps];
  return limits.map((step) => step * Number(strip.width));
}

// What is left of the samples of a lane. `shared` says of each how many frames it has in common
// with the one before, unless there is a gap between them, and `sums` what weighs all before it.
function samplesLeft({ count: most, starts, ends, nodes, weights }, leaves, [from, to]) {
  const left = { ...samplesFor(most), shared: new Uint32Array(most), sums: new Weights(most + 1), deepest: 0 };
  let count = 0;
  for (let at = 0; at < most; at++) {
    const node = leaves[nodes[at]];
    if (node === 0 || starts[at] < from || starts[at] >= to) continue;
    const isNext = count > 0 && left.ends[count - 1] === starts[at];
    left.shared[count] = isNext ? tree.depth[commonNode(left.nodes[count - 1], node)] : 0;
    left.starts[count] = starts[at];
    left.ends[count] = ends[at];
    left.nodes[count] = node;
    left.weights[count] = weights[at];
    left.sums[count + 1] = left.sums[count] + weights[at];
    left.deepest = Math.max(left.deepest, tree.depth[node]);
    count++;
  }
  return { ...left, count };
}

// The last frame that two have in common. Parents come before their kids.
function commonNode(one, other) {
  while (one !== other) {
    if (one > other) one = tree.parent[one];
    else other = tree.parent[other];
  }
  return one;
}

// Where many lanes are shown, so much of a lane's weight may be deeper than its rows.
const DEEPER = 0.02;

// How many rows a lane needs, so that little of it is deeper.
function usualDepth({ count, nodes, weights, deepest, sums }) {
  const sizes = new Float64Array(deepest + 1);
  for (let at = 0; at < count; at++) sizes[tree.depth[nodes[at]]] += Number(weights[at]);
  let left = DEEPER * Number(sums[count]);
  let depth = deepest;
  while (depth > 1 && (left -= sizes[depth]) >= 0) depth--;
  return depth;
}

// The lanes, and in them the blocks: consecutive samples that have a frame in common. A lane is
// at depth 1, so that a block is one deeper than its frame.
class ChartTree {
  constructor() {
    this.of = tree;
    this.rows = 0;
    const [from, to] = timeOfSelection();
    this.root = new Branch(this, NOBODY, null, from, { weight: tree.total[0], own: tree.own[0], length: to - from });
    const leaves = leavesOf(tree);
    const left = timeline.map((samples, at) => ({ lane: strip.lanes[at], samples }))
      .filter(({ lane }) => selection.lane === null || selection.lane === lane)
      .map(({ lane, samples }) => ({ lane, samples: samplesLeft(samples, leaves, [from, to]) }))
      .filter(({ samples }) => samples.count > 0);
    this.lanes = left.map((one) => this.makeLane(one, left.length === 1));
  }

  makeLane({ lane, samples }, isAlone) {
    const weight = samples.sums[samples.count];
    const { start, length } = this.root;
    const branch = new Branch(this, NOBODY, this.root, start, { weight, own: ZERO, length, ofStrip: lane });
    const depths = isAlone ? samples.deepest : usualDepth(samples);
    Object.assign(branch, {
      lane: branch, samples, first: 0, last: samples.count, row: this.rows, depths, blocks: new Map(),
    });
    this.rows += 1 + depths;
    return branch;
  }

  // The number of a block among those of its lane.
  keyOf({ samples }, depth, first) {
    return first * (samples.deepest + 2) + depth;
  }

  // The block of the samples from one to before another, which is made once.
  block(lane, depth, first, last) {
    const key = this.keyOf(lane, depth, first);
    const block = lane.blocks.get(key) ?? this.makeBlock(lane, depth, first, last);
    lane.blocks.set(key, block);
    return block;
  }

  makeBlock(lane, depth, first, last) {
    const { starts, ends, nodes, sums, weights } = lane.samples;
    // The depth of its frame.
    const level = depth - 1;
    let node = nodes[first];
    while (tree.depth[node] > level) node = tree.parent[node];
    let own = ZERO;
    for (let at = first; at < last; at++) if (tree.depth[nodes[at]] === level) own += weights[at];
    const weight = sums[last] - sums[first];
    const length = ends[last - 1] - starts[first];
    const block = new Branch(this, tree.name[node], null, starts[first], { weight, own, length, lane, first, last });
    block.depth = depth;
    return block;
  }

  kidsOf(branch) {
    if (branch === this.root) return this.lanes;
    const { lane, depth, first, last } = branch;
    const { nodes, shared } = lane.samples;
    const kids = [];
    for (let at = first; at < last;) {
      const start = at++;
      if (tree.depth[nodes[start]] < depth) continue;
      while (at < last && shared[at] >= depth) at++;
      kids.push(this.block(lane, depth + 1, start, at));
    }
    for (const kid of kids) kid.parent = branch;
    return kids;
  }

  // Without the lane, which is no frame.
  stackOf(branch) {
    return branch.path().slice(2);
  }

  matchedWeight(branch, hits) {
    return branch === this.root ? hits.below(0) : foundAmong(branch, hits);
  }
}

// The weight of those samples, of some of a lane, of which a frame is found that is as deep as
// this or deeper.
function foundAmong({ lane, depth, first, last }, hits) {
  const { nodes, weights } = lane.samples;
  let weight = ZERO;
  for (let at = first; at < last; at++) {
    if (hits.deepest(nodes[at]) >= Math.max(depth - 1, 1)) weight += weights[at];
  }
  return weight;
}

function chartNow() {
  if (trees.chart?.of !== tree) trees.chart = new ChartTree();
  return trees.chart;
}

// A time in seconds, to so many digits.
const inSeconds = (time, digits) => Number((time / 1e9).toFixed(digits));

// From when to when something is, to the microsecond unless told otherwise.
const wordsOfTime = (from, to, digits = 6) => `${inSeconds(from, digits)} – ${inSeconds(to, digits)} s`;

// How many digits show the limits of so many nanoseconds.
const digitsOfTime = (length) => Math.min(Math.max(11 - Math.floor(Math.log10(length)), 0), 9);
