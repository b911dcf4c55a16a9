// The time that is selected, and the cell under the mouse or the arrow keys.

const [veil, selected, cursor] = makeLayer();

const state = {
  // The step where the selection began, and where it ends for now; null without one.
  anchor: null,
  head: null,
  // Whether one click was made, and the next one is the end.
  isHalf: false,
  // The cell that the arrow keys lead to; null before they are used.
  at: null,
};

// The first and the last step.
function range() {
  const { anchor, head } = state;
  return anchor === null ? null : [Math.min(anchor, head), Math.max(anchor, head)];
}

function command([first, last]) {
  return `stack-parse --from ${seconds(startOf(first))} --to ${seconds(startOf(last + 1))}`;
}

function showSelection() {
  const chosen = range();
  const shape = chosen === null ? '' : outline(...chosen);
  selected.setAttribute('d', shape);
  // All but the selection.
  veil.setAttribute('d', shape === '' ? '' : box(0, 0, columns, rows) + shape);
  page.status.replaceChildren();
  if (chosen === null) {
    makeIn(page.status, 'span', '', HINT);
    return;
  }
  const weight = weightBetween(...chosen);
  makeIn(page.status, 'b', '', timeOf(...chosen));
  makeIn(page.status, 'span', '', counted(weight));
  makeIn(page.status, 'span', '', `${percent(weight)} of all`);
  makeIn(page.status, 'code', '', command(chosen));
  makeIn(page.status, 'button', 'copy', 'Copy', { type: 'button', title: 'Copy the options (c)' });
  if (state.isHalf) makeIn(page.status, 'span', '', 'now click on its end');
}

const timeOf = (first, last) => `${seconds(startOf(first))} – ${seconds(startOf(last + 1))} s`;

// The outline of a range of steps, which may begin and end within a column.
function outline(first, last) {
  const [left, right] = [first, last].map((step) => Math.floor(step / perColumn));
  if (hasNames) return box(left, 0, right + 1, rows);
  const bottom = rows - (first % rows);
  const top = rows - 1 - (last % rows);
  if (left === right) return box(left, top, left + 1, bottom);
  const corners = [
    [left, bottom], [left, 0], [right, 0], [right, top],
    [right + 1, top], [right + 1, rows], [left + 1, rows], [left + 1, bottom],
  ];
  return `M${corners.map((corner) => corner.join(' ')).join('L')}Z`;
}

const box = (left, top, right, bottom) => `M${left} ${top}H${right}V${bottom}H${left}Z`;

// The cell under the mouse, or the nearest.
function cellAt({ clientX, clientY }) {
  const place = page.stage.getBoundingClientRect();
  const within = (at, size, count) => Math.min(count - 1, Math.max(0, Math.floor((at / size) * count)));
  const y = within(clientY - place.top, place.height, rows);
  return { column: within(clientX - place.left, place.width, columns), row: yOf(y) };
}

// A click, or the start of a drag.
function press(step) {
  if (!state.isHalf) state.anchor = step;
  state.head = step;
  showSelection();
}

// The mouse was let go: a drag has its end, and so has a second click.
function release(step) {
  const isClick = step === state.anchor && !state.isHalf;
  state.head = step;
  state.isHalf = isClick;
  showSelection();
}

function clearSelection() {
  Object.assign(state, { anchor: null, head: null, isHalf: false });
  showSelection();
}

// What the cell is: its time, weight and share, and the row's name.
function wordsOf(cell) {
  const step = stepOf(cell);
  const weight = weights[cell.row][cell.column];
  const numbers = `${counted(weight)}, ${percent(weight)} of all`;
  return { title: hasNames ? names[cell.row] : timeOf(step, step), numbers, time: timeOf(step, step) };
}

function showTip(cell, x, y) {
  const { title, numbers, time } = wordsOf(cell);
  page.tip.replaceChildren();
  makeIn(page.tip, 'b', '', title);
  if (hasNames) makeIn(page.tip, 'div', '', time);
  makeIn(page.tip, 'span', '', numbers);
  const { clientWidth, clientHeight } = page.app;
  const { offsetWidth, offsetHeight } = page.tip;
  const left = Math.max(0, Math.min(x + 14, clientWidth - offsetWidth - 4));
  const top = y > clientHeight / 2 ? y - offsetHeight - 14 : y + 18;
  page.tip.style.left = `${left}px`;
  page.tip.style.top = `${Math.max(0, top)}px`;
  page.tip.classList.add('on');
}

function hideTip() {
  page.tip.classList.remove('on');
}
