// Computes where the boxes of a view are, in pixels.

// Narrower frames, in pixels, are drawn together, as one block.
const LEAST_WIDTH = 1;

// With more boxes in sight, narrow frames get wider, up to so many pixels.
const MOST_BOXES = 3000;
const WIDEST_NARROW = 8;

// No block is wider, so that a click on one always zooms in.
const WIDEST_BLOCK = 48;

// The least width of the current frame, so that it is always visible.
const CURRENT_WIDTH = 4;

// The kids of a branch that are at least in part between two weights.
function kidsWithin({ kids }, from, to) {
  const first = firstWhere(kids.length, (at) => kids[at].start + kids[at].size > from);
  const end = firstWhere(kids.length, (at) => kids[at].start >= to);
  return kids.slice(first, end);
}

// The first index below `count` for which `holds` is true; it is true for all later ones, too.
function firstWhere(count, holds) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Puts a narrow frame into a block: the last box of its row, or a new one, which is returned.
// A block ends where a frame is drawn, where there is a gap, and at fixed weights, so that it
// has the same frames wherever the picture is moved to.
function intoBlock(last, kid, scale) {
  const cell = Math.floor((kid.start * scale) / WIDEST_BLOCK);
  if (last?.frames && last.cell === cell && (kid.start - last.end) * scale < LEAST_WIDTH) {
    last.end = kid.start + kid.size;
    last.branches.push(kid);
    last.frames++;
    last.weight += kid.weight;
    return null;
  }
  const { start, size, weight, depth } = kid;
  return { frames: 1, branches: [kid], weight, start, end: start + size, row: depth, cell };
}

// The boxes of a branch and of all above it, as far as they are in the range, which has the whole
// width: each before those on top of it, from left to right. Frames in `kept` are drawn however
// narrow they are, others if they have the `least` width.
function boxesOf(zoom, { from, to }, width, kept, least) {
  const scale = width / (to - from);
  const boxes = [];
  const lastOfRow = [];
  const pending = [zoom];
  while (pending.length > 0) {
    const branch = pending.pop();
    const { start, size, depth: row } = branch;
    const isNarrow = branch !== zoom && size * scale < least && !kept.has(branch);
    const box = isNarrow ? intoBlock(lastOfRow[row], branch, scale) : { branch, start, end: start + size, row };
    if (box !== null) boxes.push(lastOfRow[row] = box);
    if (isNarrow) continue;
    const kids = kidsWithin(branch, from, to);
    while (kids.length > 0) pending.push(kids.pop());
  }
  for (const box of boxes) {
    // The cut edges of a box are out of sight.
    const left = Math.max((box.start - from) * scale, -CUT);
    const right = Math.min((box.end - from) * scale, width + CUT);
    box.x = left;
    box.width = right - left;
  }
  return boxes;
}

// How far a frame that continues outside of the range is drawn, in pixels.
const CUT = 3;

// The frames below the zoomed one, which have the whole width.
function ancestorsOf(zoom, width) {
  const boxOf = (branch) => ({ branch, x: 0, width, row: branch.depth, isBelow: true });
  return zoom.path().slice(0, -1).map(boxOf);
}

// The boxes of the view that is shown. If there are too many, narrow ones get wider.
function layout(width) {
  const kept = new Set(state.current?.path());
  let boxes = boxesOfView(state.zoom, shownRange(), width, kept, LEAST_WIDTH);
  for (let least = 2 * LEAST_WIDTH; least <= WIDEST_NARROW && areTooMany(boxes); least *= 2) {
    boxes = boxesOfView(state.zoom, shownRange(), width, kept, least);
  }
  return ancestorsOf(state.zoom, width).concat(boxes);
}

// Whether there are more boxes in sight than a browser draws at once.
function areTooMany(boxes) {
  if (isOnPaper || boxes.length <= MOST_BOXES) return false;
  const [first, last] = rowsOf(boxes);
  const [top, bottom] = rowsInSight();
  return boxes.length * Math.min(1, (bottom - top) / (last - first + 1)) > MOST_BOXES;
}

function boxesOfView(zoom, range, width, kept, least) {
  if (isInChart()) return boxesOfChart(range, width, kept, least);
  if (!isSandwich()) return boxesOf(zoom, range, width, kept, least);
  const callers = boxesOf(state.sandwich.callers, range, width, kept, least);
  const [root, ...callees] = boxesOf(state.sandwich.callees, range, width, kept, least);
  const above = callers.filter((box) => box.row > 0);
  for (const box of state.flipped ? callees : above) box.row = -box.row;
  return [root, ...above, ...callees];
}

// The first and the last row of boxes.
function rowsOf(boxes) {
  const rows = boxes.map(({ row }) => row);
  return [Math.min, Math.max].map((most) => rows.reduce((one, other) => most(one, other), 0));
}

// The step of an axis: 1, 2 or 5 times a power of ten, and at least 1.
function stepOf(weight, width) {
  const least = (weight / width) * 90;
  const power = 10 ** Math.floor(Math.log10(least));
  return Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((step) => step >= least));
}
