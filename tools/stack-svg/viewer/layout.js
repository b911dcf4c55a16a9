// Where the branches of a tree go, in pixels; nothing is made here.

// What is narrower is drawn as a part of a block that stands for many.
const LEAST_WIDTH = 1;

// A frame that the reader walked to is seen, however narrow it is.
const CURRENT_WIDTH = 4;

// The boxes of a branch over the whole width, of what it stands on, and of all
// on it that is wide enough. `kept` are branches to draw in any case.
function boxesOf(zoom, width, kept) {
  const boxes = [];
  for (let below = zoom.parent; below !== null; below = below.parent) {
    boxes.push({ branch: below, x: 0, width, row: below.depth, isBelow: true });
  }
  const scale = width / zoom.weight;
  const pending = [zoom];
  while (pending.length > 0) {
    const branch = pending.pop();
    const x = (branch.start - zoom.start) * scale;
    boxes.push({ branch, x, width: branch.weight * scale, row: branch.depth });
    let crowd = null;
    for (const kid of branch.kids) {
      if (kid.weight * scale >= LEAST_WIDTH || kept.has(kid)) {
        pending.push(kid);
        crowd = null;
        continue;
      }
      if (crowd === null) {
        crowd = { crowd: 0, parent: branch, weight: 0, start: kid.start, row: kid.depth };
        boxes.push(crowd);
      }
      crowd.crowd++;
      crowd.weight += kid.weight;
      crowd.end = kid.start + kid.weight;
    }
  }
  for (const box of boxes) {
    if (box.crowd === undefined) continue;
    box.x = (box.start - zoom.start) * scale;
    // In a chart, there may be time between those of a crowd.
    box.width = (box.end - box.start) * scale;
  }
  return boxes.filter((box) => box.crowd === undefined || box.width >= LEAST_WIDTH);
}

// The boxes of the view that is shown.
function layout(width) {
  const kept = new Set(state.current === null ? [] : state.current.path());
  if (state.view !== 'sandwich') return boxesOf(state.zoom, width, kept);
  const callers = boxesOf(state.sandwich.callers.root, width, kept);
  const callees = boxesOf(state.sandwich.callees.root, width, kept);
  const above = callers.filter((box) => box.row > 0);
  for (const box of above) box.row = -box.row;
  return above.concat(callees);
}

// Steps of an axis that read well: 1, 2 or 5 times a power of ten, all whole.
function stepOf(weight, width) {
  const least = (weight / width) * 90;
  const power = 10 ** Math.floor(Math.log10(least));
  return Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((step) => step >= least));
}
