// Computes the boxes of the flame chart: blocks that are wide enough, and those that are not, drawn
// together at their depth.

// The least width of a block that is drawn alone, as a multiple of that of frames in other views.
const WIDER = 3;

// The least width of a box: it must be visible.
const HAIR = 1;

// The boxes of the chart, of the lanes that are in sight.
function boxesOfChart({ from, to }, width, kept, least) {
  const { lanes } = chartNow();
  const scale = width / (to - from);
  const boxes = [];
  const [first, last] = isOnPaper ? [0, Infinity] : rowsInSight();
  for (const lane of lanes) {
    boxes.push({ branch: lane, start: from, end: to, row: lane.row });
    const isInSight = lane.row <= last && lane.row + lane.rows >= first;
    if (!isInSight && !kept.has(lane)) continue;
    for (const box of new Blocks(lane, from, to, scale, kept, WIDER * least).boxes()) boxes.push(box);
  }
  for (const box of boxes) placeBox(box, from, scale, width);
  return boxes;
}

function placeBox(box, from, scale, width) {
  // The cut edges of a box are out of sight.
  box.x = Math.max((box.start - from) * scale, -CUT);
  box.width = Math.max(Math.min((box.end - from) * scale, width + CUT) - box.x, HAIR);
}

// The rows that are drawn: those in sight, and some beyond them for scrolling.
function rowsInSight() {
  const first = Math.floor(page.stage.scrollTop / shown.row) - SPARE;
  return [first, first + Math.ceil(page.stage.clientHeight / shown.row) + 2 * SPARE];
}

// The blocks of a lane that are in a range of time.
class Blocks {
  constructor(lane, from, to, scale, kept, least) {
    Object.assign(this, { lane, from, to, scale, kept, least });
    // For each depth the first sample of the open block, and the last box.
    this.firsts = [];
    this.lastBoxes = [];
    // For each depth the blocks whose parent is open.
    this.kids = [];
    this.wide = [];
    this.narrow = [];
  }

  // Each before those on top of it, from left to right, and then the narrow ones.
  boxes() {
    const { count, depths, shared } = this.lane.samples;
    for (let at = 0; at < count; at++) {
      this.close(shared[at], at);
      while (this.firsts.length < depths[at]) this.firsts.push(at);
    }
    this.close(0, count);
    for (const kid of this.kids[0] ?? []) kid.parent = this.lane;
    this.wide.sort((one, other) => one.start - other.start || one.row - other.row);
    return [...this.wide, ...this.narrow];
  }

  // Ends all open blocks but the first `open`, before a sample.
  close(open, last) {
    const { starts, ends } = this.lane.samples;
    while (this.firsts.length > open) {
      const level = this.firsts.length;
      const first = this.firsts.pop();
      const [start, end] = [starts[first], ends[last - 1]];
      if (end >= this.from && start <= this.to && level <= this.lane.rows) this.add(level, first, last, start, end);
      else this.kids[level] = [];
    }
  }

  add(level, first, last, start, end) {
    const { lane } = this;
    const [depth, row] = [level + 1, lane.row + level];
    const isKept = () => this.kept.size > 0 && this.kept.has(lane.blocks.get(lane.tree.keyOf(lane, depth, first)));
    if ((end - start) * this.scale < this.least && !isKept()) {
      return this.addNarrow({ lane, depth, row, first, last, start, end });
    }
    const branch = lane.tree.block(lane, depth, first, last);
    for (const kid of this.kids[level] ?? []) kid.parent = branch;
    this.kids[level] = [];
    (this.kids[level - 1] ??= []).push(branch);
    this.wide.push(this.lastBoxes[level] = { branch, start, end, row });
  }

  // Puts a narrow block to the last ones of its row, or into a box of its own. Those of one
  // function get four times as wide as others, and there is a box for each visible gap.
  addNarrow(block) {
    const { lane, depth, first, last, start, end } = block;
    const weight = lane.samples.sums[last] - lane.samples.sums[first];
    const [name, longest] = [nameAt(lane, depth - 1, first), end - start];
    const cell = Math.floor((start * this.scale) / WIDEST_BLOCK);
    const box = this.lastBoxes[depth - 1];
    const isNear = box?.frames && (start - box.end) * this.scale < this.least;
    const isOfOne = box?.isOfOne !== false && box?.name === name;
    const isInCell = isOfOne ? box.cell >> 2 === cell >> 2 : box?.cell === cell;
    if (!isNear || !isInCell) {
      this.narrow.push(this.lastBoxes[depth - 1] = { ...block, cell, frames: 1, weight, name, longest, isOfOne: true });
      return;
    }
    box.isOfOne = isOfOne;
    if (longest > box.longest) Object.assign(box, { longest, name });
    box.frames++;
    box.weight += weight;
    Object.assign(box, { last, end });
  }
}
