// The strip of time: what ran when, in which lane, such as a thread; and the part of the profile
// that is selected in it. strip.rs writes the numbers.

const strip = part('strip') === null ? null : readStrip();

function readStrip() {
  const { key, width, steps, others, untimed } = part('strip').dataset;
  const lanes = textOf('strip').split('\n').map((line) => {
    const [value, name, text] = line.split('\t');
    const numbers = new Numbers(text);
    return { value, name, weight: numbers.weight(), numbers, sums: null };
  });
  return {
    key, lanes, width: BigInt(width), steps: Number(steps), others: Number(others), hasUntimed: untimed !== '',
  };
}

// What is selected: a lane, and the steps from one to before another; null for all.
const ALL_OF_TIME = { lane: null, range: null };
let selection = ALL_OF_TIME;
// The self weights of the whole's frames in the selection, and the parts of trees that it leaves;
// null if all is selected.
let chosen = null;

const isSelection = () => selection.lane !== null || selection.range !== null;

// The weights of the steps of a lane, as numbers, which may not be exact.
function sumsOf(lane) {
  if (lane.sums !== null) return lane.sums;
  lane.sums = new Float64Array(strip.steps);
  for (let step = 0; lane.numbers.more(); step++) {
    step += lane.numbers.next();
    lane.sums[step] = Number(lane.numbers.weight());
  }
  return lane.sums;
}

// The weights by stack, lane and step; read when they are first needed. A group is for one frame
// and one lane; `ends` has the index after its last step.
let entries = null;

function readEntries() {
  const numbers = new Numbers(textOf('strip-data'));
  const [nodes, lanes, ends, steps, weights] = [[], [], [], [], []];
  let node = 0;
  while (numbers.more()) {
    node += numbers.next();
    nodes.push(node);
    lanes.push(numbers.next());
    let step = 0;
    for (let left = numbers.next(); left > 0; left--) {
      step += numbers.next();
      steps.push(step);
      weights.push(numbers.weight());
    }
    ends.push(steps.length);
  }
  return {
    nodes: Uint32Array.from(nodes), lanes: Uint32Array.from(lanes), ends: Uint32Array.from(ends),
    steps: Uint16Array.from(steps), weights: Weights.from(weights),
  };
}

// The self weights of the whole's frames in a lane and in a range of steps.
function ownWeights({ lane, range }) {
  entries ??= readEntries();
  const { nodes, lanes, ends, steps, weights } = entries;
  const wanted = lane === null ? -1 : strip.lanes.indexOf(lane);
  const [from, to] = range ?? [0, strip.steps];
  const own = new Weights(whole.count);
  let at = 0;
  for (let group = 0; group < ends.length; group++) {
    const end = ends[group];
    if (wanted >= 0 && lanes[group] !== wanted) {
      at = end;
      continue;
    }
    for (; at < end; at++) {
      if (steps[at] >= from && steps[at] < to) own[nodes[group]] += weights[at];
    }
  }
  return own;
}

// The part of a tree that is selected, which is made once.
function selectedOf(all) {
  if (chosen === null) return all;
  if (!chosen.parts.has(all)) chosen.parts.set(all, thinned(all, ownIn(all)));
  return chosen.parts.get(all);
}

// The self weights of a tree's frames in the selection.
function ownIn(all) {
  if (all === whole) return chosen.own;
  const leaves = leavesOf(all);
  const own = new Weights(all.count);
  for (let node = 1; node < whole.count; node++) if (leaves[node] !== 0) own[leaves[node]] += chosen.own[node];
  return own;
}

// For each frame of the whole, the frame of a tree with its self weight; 0 if it is left out.
function leavesOf(all) {
  if (all.leaves !== undefined) return all.leaves;
  const { from, leaves } = all.origin ?? {};
  all.leaves = from === undefined ? all.name.map((_, node) => node) : leavesOf(from).map((leaf) => leaves[leaf]);
  return all.leaves;
}

// The frames of a tree that weigh something with these self weights.
function thinned(from, own) {
  const { count, parent, name, depth } = from;
  const places = new Uint32Array(count);
  let kept = 0;
  for (let node = count - 1; node > 0; node--) {
    if (own[node] > 0) places[node] = 1;
    if (places[node] === 0) continue;
    places[parent[node]] = 1;
    kept++;
  }
  places[0] = 0;
  const frame = framesFor(kept + 1);
  frame.name[0] = NOBODY;
  frame.own[0] = own[0];
  for (let node = 1, place = 0; node < count; node++) {
    if (places[node] === 0) continue;
    places[node] = ++place;
    frame.name[place] = name[node];
    frame.parent[place] = places[parent[node]];
    frame.depth[place] = depth[node];
    frame.own[place] = own[node];
  }
  return { ...addUp(frame), isLabelled: from.isLabelled, origin: { from, leaves: places } };
}

// Makes a selection the base of all steps; returns whether it has any weight.
function setSelection(next) {
  const isAll = next.lane === null && next.range === null;
  const own = isAll ? whole.own : ownWeights(next);
  if (!own.some((weight) => weight > 0)) return false;
  [selection, chosen] = [next, isAll ? null : { own, parts: new Map() }];
  return true;
}

// Shows what ran in a lane and in a range of steps.
function select(next) {
  const before = [selection, chosen];
  const words = wordsOfSelection(next).join(', ');
  const isThere = setSelection(next);
  if (isThere && treeAfter(state.steps).total[0] > 0) {
    takeSteps(state.steps);
    announce(`${words || 'all of the time'}: ${counted(tree.total[0])}`);
    return;
  }
  [selection, chosen] = before;
  drawSelection();
  say(isThere ? 'no stack would be left' : `nothing ran: ${words}`);
}

const clearTime = () => isSelection() && select(ALL_OF_TIME);

// The start of a step in seconds: exact, without zeros at the end, as in common's seconds.rs.
function secondsAt(step) {
  const time = BigInt(step) * strip.width;
  const fraction = String(time % 1000000000n).padStart(9, '0').replace(/0+$/, '');
  const seconds = String(time / 1000000000n);
  return fraction === '' ? seconds : `${seconds}.${fraction}`;
}

const wordsOfRange = ([from, to]) => `${secondsAt(from)} – ${secondsAt(to)} s`;

// The label that lanes are values of, such as tid.
const keyOfLanes = () => strip.key.replace(/^label:/, '');

function wordsOfLane({ name }) {
  return name.startsWith('[no ') || strip.key === 'root' ? name : `${keyOfLanes()} ${name}`;
}

function wordsOfSelection({ lane, range }) {
  return [range && wordsOfRange(range), lane && wordsOfLane(lane)].filter(Boolean);
}

// The commands that choose the same lines. Times before the first sample are in step 0.
function commandOfSelection() {
  if (!isSelection()) return [];
  const { lane, range } = selection;
  const labels = [];
  if (range !== null && range[0] > 0) labels.push(`'since>=${secondsAt(range[0])}'`);
  if (range !== null) labels.push(`'since<${secondsAt(range[1])}'`);
  else if (strip.hasUntimed) labels.push("'since<inf'");
  const [kind, value] = [lane?.value[0], lane?.value.slice(1)];
  if (kind === '=') labels.push(quotedIfNeeded(`${keyOfLanes()}=${patternOf(value)}`));
  const root = kind === '/' ? [`--root ${quoted(`^${patternOf(value)}$`)}`] : [];
  const parts = [...labels.map((label) => `--label ${label}`), ...root];
  const none = kind === '-' ? [`stack-grep -v --label '${keyOfLanes()}=(?s-u:.*)'`] : [];
  return [...(parts.length > 0 ? [`stack-grep ${parts.join(' ')}`] : []), ...none];
}

const quotedIfNeeded = (word) => (/^[\w=.:-]+$/.test(word) ? word : quoted(word));

// Words for the address: in seconds, so that a link still works if steps have another width.
function addSelection(words) {
  if (selection.range !== null) words.set('since', selection.range.map(secondsAt).join('-'));
  if (selection.lane !== null) words.set('lane', selection.lane.value);
}

// The selection of an address, as far as it is in this profile.
function restoreSelection(words) {
  if (strip === null) return;
  const value = words.get('lane');
  const lane = strip.lanes.find((one) => one.value === value && one.value !== '+') ?? null;
  const limits = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(words.get('since') ?? '');
  const next = { lane, range: limits && rangeOf(Number(limits[1]), Number(limits[2])) };
  if (!setSelection(next)) setSelection(ALL_OF_TIME);
}

// The steps that hold these times in seconds; null if all or none do.
function rangeOf(from, to) {
  const stepAt = (seconds) => (seconds * 1e9) / Number(strip.width);
  const nearest = (step) => (Math.abs(step - Math.round(step)) < 1e-6 ? Math.round(step) : step);
  return stepsBetween(Math.floor(nearest(stepAt(from))), Math.ceil(nearest(stepAt(to))));
}

// The steps from one to before another, within the strip; null if these are all.
function stepsBetween(from, to) {
  const first = Math.min(Math.max(from, 0), strip.steps - 1);
  const end = Math.min(Math.max(to, first + 1), strip.steps);
  return first === 0 && end === strip.steps ? null : [first, end];
}
