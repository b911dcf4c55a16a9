// The map: the whole view, small, with a mark on the part that is shown.

const map = { drawn: '', boxes: [] };

// The least height of a row of the map, in pixels.
const LEAST_ROW = 0.8;

function drawMap() {
  // The strip is the map of the chart.
  const isShown = isZoomed() && !isInChart();
  page.map.classList.toggle('on', isShown);
  if (!isShown) return;
  const [width, height] = [page.map.clientWidth, page.map.clientHeight];
  const root = rootOf(state.view);
  const paper = getComputedStyle(page.app).backgroundColor;
  const drawn = [state.view, state.focus, state.flipped, width, height, paper].join();
  if (map.root !== root || map.drawn !== drawn) {
    Object.assign(map, { root, drawn });
    paintMap(root, width, height);
  }
  const { from, to } = shownRange();
  page.window.style.left = `${((from - root.start) / root.size) * 100}%`;
  page.window.style.width = `${((to - from) / root.size) * 100}%`;
}

function paintMap(root, width, height) {
  const { canvas } = page;
  const sharp = window.devicePixelRatio || 1;
  [canvas.width, canvas.height] = [width * sharp, height * sharp];
  const boxes = boxesOfView(root, { from: root.start, to: root.start + root.size }, width, new Set(), LEAST_WIDTH);
  const [first, last] = rowsOf(boxes);
  // For a very deep view, the rows next to the root are drawn.
  const row = Math.min(Math.max(height / (last - first + 1), LEAST_ROW), 4);
  const context = canvas.getContext('2d');
  context.scale(sharp, sharp);
  for (const box of boxes) {
    const { branch, x, width: wide, row: at } = box;
    context.fillStyle = branch === undefined ? colorOfBlock(box) : colorOf(branch);
    const top = isUp() ? height - (at - first + 1) * row : (at - first) * row;
    context.fillRect(x, top, wide, row);
  }
}

// Moves what is under the pointer to the middle of the view.
function onMap(event) {
  if (event.type === 'pointerdown') page.map.setPointerCapture(event.pointerId);
  else if (event.buttons === 0) return;
  const { left, width } = page.map.getBoundingClientRect();
  const root = rootOf(state.view);
  const middle = root.start + ((event.clientX - left) / width) * root.size;
  const { from, to } = shownRange();
  const half = (to - from) / 2;
  setRange(middle - half, middle + half);
  rangeMoved();
}

function listenToMap() {
  listen(page.map, { pointerdown: onMap, pointermove: onMap });
}
