// Event handlers.

// Where something is within the page, which may itself be within another page.
function within({ clientX, clientY }) {
  const place = page.app.getBoundingClientRect();
  return [clientX - place.left, clientY - place.top];
}

page.stage.addEventListener('pointerdown', (event) => {
  if (event.button !== 0) return;
  page.stage.setPointerCapture(event.pointerId);
  showCursor(null);
  press(stepOf(cellAt(event)));
});

page.stage.addEventListener('pointermove', (event) => {
  const cell = cellAt(event);
  if (page.stage.hasPointerCapture(event.pointerId) || state.isHalf) {
    state.head = stepOf(cell);
    showSelection();
  }
  showTip(cell, ...within(event));
});

page.stage.addEventListener('pointerup', (event) => {
  if (page.stage.hasPointerCapture(event.pointerId)) release(stepOf(cellAt(event)));
});

page.stage.addEventListener('pointerleave', hideTip);

page.status.addEventListener('click', (event) => {
  if (event.target.localName === 'button') copy();
});

async function copy() {
  const chosen = range();
  if (chosen === null) return;
  const isDone = await copyText(command(chosen), page.app);
  const button = page.status.querySelector('button');
  if (button !== null) button.textContent = isDone ? 'Copied' : 'The browser does not let this page copy';
}

// Shows the cell that the arrow keys lead to.
function showCursor(cell) {
  state.at = cell;
  if (cell === null) return cursor.setAttribute('d', '');
  const y = yOf(cell.row);
  cursor.setAttribute('d', box(cell.column, y, cell.column + 1, y + 1));
  const [map, app] = [page.stage, page.app].map((one) => one.getBoundingClientRect());
  const [x, top] = [map.left + (map.width * (cell.column + 1)) / columns, map.top + (map.height * (y + 1)) / rows];
  if (hasNames) page.labels.children[cell.row].scrollIntoView({ block: 'nearest' });
  showTip(cell, x - app.left, top - app.top);
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Up on the screen is later where rows are fractions of time.
function walk([right, down], isLonger) {
  const clamp = (at, count) => Math.min(count - 1, Math.max(0, at));
  let cell = { column: 0, row: 0 };
  if (state.at !== null) {
    const { column, row } = state.at;
    cell = { column: clamp(column + right, columns), row: clamp(row + (hasNames ? down : -down), rows) };
  }
  if (isLonger && state.anchor === null) press(stepOf(state.at ?? cell));
  showCursor(cell);
  if (isLonger || state.isHalf) {
    state.head = stepOf(cell);
    state.isHalf &&= !isLonger;
    showSelection();
  }
}

page.app.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  if (key in ARROWS && event.target === page.stage) walk(ARROWS[key], event.shiftKey);
  else if ((key === 'Enter' || key === ' ') && event.target === page.stage && state.at !== null) {
    press(stepOf(state.at));
    release(stepOf(state.at));
  } else if (key === 'Escape') clearSelection();
  else if (key === 'c') copy();
  else return;
  event.preventDefault();
});

page.stage.addEventListener('blur', () => {
  showCursor(null);
  hideTip();
});

showPage();
showSelection();
