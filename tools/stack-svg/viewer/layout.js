// Computes where the boxes of a view stand, in pixels.

// Narrower frames, in pixels, are drawn together, as one group.
const LEAST_WIDTH = 1;

// The least width of the current frame, so that it is always visible.
const CURRENT_WIDTH = 4;

// The boxes of the zoomed branch, which has the whole width, of its ancestors,
// and of its descendants that are wide enough. `kept` are drawn in any case.
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
    let group = null;
    for (const kid of branch.kids) {
      if (kid.weight * scale >= LEAST_WIDTH || kept.has(kid)) {
        pending.push(kid);
        group = null;
        continue;
      }
      if (group === null) {
        group = { frames: 0, parent: branch, weight: 0, start: kid.start, row: kid.depth };
        boxes.push(group);
      }
      group.frames++;
      group.weight += kid.weight;
      group.end = kid.start + kid.weight;
    }
  }
  for (const box of boxes) {
    if (box.frames === undefined) continue;
    box.x = (box.start - zoom.start) * scale;
    // In a flame chart, there may be gaps between the frames of a group.
    box.width = (box.end - box.start) * scale;
  }
  return boxes.filter((box) => box.frames === undefined || box.width >= LEAST_WIDTH);
}

// The boxes of the view that is shown.
function layout(width) {
  const kept = new Set(state.current === null ? [] : state.current.path());
  if (state.view !== 'sandwich') return boxesOf(state.zoom, width, kept);
  const callers = boxesOf(state.sandwich.callers.root, width, kept);
  const callees = boxesOf(state.sandwich.callees.root, width, kept);
  const above = callers.filter((box) => box.row > 0);
  for (const box of state.flipped ? callees : above) box.row = -box.row;
  return above.concat(callees);
}

// The step of an axis: 1, 2 or 5 times a power of ten, and at least 1.
function stepOf(weight, width) {
  const least = (weight / width) * 90;
  const power = 10 ** Math.floor(Math.log10(least));
  return Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((step) => step >= least));
}
