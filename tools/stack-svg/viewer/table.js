// The table: every function with its weights. Only the rows in sight are made.

// By how much its share of the whole grew, in percent; or by how much its weight grew.
function changeOfShare({ before, after }) {
  if (!facts.comparison) return after - before;
  return 100 * (Number(after) / Number(tree.after[0]) - Number(before) / Number(tree.before[0]));
}

// Changes of shares are points.
const CHANGE = facts.comparison ? 'points' : 'change';

// What stack-top --sort own ranks.
const CHARGED = {
  id: 'charged', word: 'Charged', of: ({ charged }) => charged,
  hint: 'its own time and that of what others wrote and it called: the stacks whose deepest own code it is',
};

const COLUMNS = isDiff
  ? [
      { id: 'ownBefore', word: 'Self before', of: ({ own }) => own.before },
      { id: 'ownAfter', word: 'Self after', of: ({ own }) => own.after },
      { id: 'ownChange', word: `Self ${CHANGE}`, of: ({ own }) => changeOfShare(own), isChange: true },
      { id: 'before', word: 'Total before', of: ({ total }) => total.before },
      { id: 'after', word: 'Total after', of: ({ total }) => total.after },
      { id: 'change', word: `Total ${CHANGE}`, of: ({ total }) => changeOfShare(total), isChange: true },
    ]
  : [
      { id: 'own', word: 'Self', of: ({ own }) => own.weight },
      { id: 'share', word: 'Self %', of: ({ own }) => own.weight, isShare: true },
      { id: 'total', word: 'Total', of: ({ total }) => total.weight },
      { id: 'totalShare', word: 'Total %', of: ({ total }) => total.weight, isShare: true },
      ...(entryOf('own') ? [CHARGED] : []),
    ];

// What has become heavier, or what weighs most.
const FIRST_SORT = isDiff ? 'ownChange' : 'own';

const BY_NAME = { id: 'name', word: 'Function', of: (sums) => nameText(sums.name) };

const ROW_OF_TABLE = Math.max(ROW, Number(facts.letter) * 2);

// `name` is the function that the reader has chosen; `all` is of the part `scope`.
const table = { all: [], scope: null, rows: [], current: 0, name: NOBODY };

function drawTable() {
  fillContent();
  const all = sumsOfScope();
  const isFound = ({ name }) => state.hits === null || state.hits.has(name);
  const { of } = [...COLUMNS, BY_NAME].find(({ id }) => id === state.sort.column);
  const sign = state.sort.isRising ? 1 : -1;
  // As stack-diff: first what noise does not explain, and changes by their size.
  const isNoise = ({ name }) => isDiff && !changed.has(name);
  const { isChange } = COLUMNS.find(({ id }) => id === state.sort.column) ?? {};
  const size = (sums) => (isChange && of(sums) < 0 ? -of(sums) : of(sums));
  const bySize = (one, other) => sign * compare(size(one), size(other)) || one.name - other.name;
  const order = isDiff ? (one, other) => isNoise(one) - isNoise(other) || bySize(one, other) : bySize;
  table.rows = all.filter(isFound).sort(order);
  table.most = COLUMNS.map(mostOfColumn);
  table.current = Math.max(0, table.rows.findIndex(({ name }) => name === table.name));
  drawTableHead();
  page.frames.style.height = `${table.rows.length * ROW_OF_TABLE}px`;
  // The rows that exist are only a part of the table.
  setAll(page.content, { role: 'table', 'aria-label': 'Functions', 'aria-rowcount': table.rows.length + 2 });
  page.frames.setAttribute('role', 'rowgroup');
  page.frames.removeAttribute('aria-label');
  drawTableRows();
  drawTableSum();
  drawMap();
}

// The largest weight in a column with bars.
function mostOfColumn({ isShare, of }) {
  if (!isShare) return 0;
  return table.rows.reduce((most, row) => (of(row) > most ? of(row) : most), ZERO);
}

function drawTableHead() {
  const focused = page.head.contains(document.activeElement) ? document.activeElement.dataset.column : null;
  page.head.replaceChildren();
  for (const { id, word, hint } of [...COLUMNS, BY_NAME]) {
    const isSorted = id === state.sort.column;
    const rises = state.sort.isRising;
    const cell = makeIn(page.head, 'div', `cell ${id}`, '', {
      role: 'columnheader',
      'aria-sort': isSorted ? (rises ? 'ascending' : 'descending') : 'none',
    });
    const arrow = isSorted ? (rises ? ' ↑' : ' ↓') : '';
    const button = makeIn(cell, 'button', 'sort', word + arrow, { 'data-column': id, ...(hint && { title: hint }) });
    button.ask = () => sortBy(id);
    if (id === focused) button.focus();
  }
}

function drawTableRows() {
  const first = Math.floor(page.stage.scrollTop / ROW_OF_TABLE) - 5;
  const last = first + (isOnPaper ? ROWS_OF_PAPER + 5 : Math.ceil(page.stage.clientHeight / ROW_OF_TABLE) + 10);
  const hadFocus = page.frames.contains(document.activeElement);
  const drawn = document.createDocumentFragment();
  const room = roomOfNames();
  for (let at = Math.max(0, first); at < Math.min(last, table.rows.length); at++) {
    drawn.append(rowOf(table.rows[at], at, room));
  }
  page.frames.classList.remove('boxes');
  page.frames.replaceChildren(drawn);
  [shown.from, shown.to] = [first, last];
  const current = page.frames.querySelector('.current');
  if (hadFocus) current?.focus({ preventScroll: true });
  markEdges();
}

function rowOf(sums, at, room) {
  const isCurrent = at === table.current;
  const row = make('div', isCurrent ? 'row current' : 'row', '', {
    role: 'row', 'aria-rowindex': at + 2, tabindex: isCurrent ? 0 : -1,
  });
  row.at = at;
  if (isDiff && !changed.has(sums.name)) {
    row.classList.add('noise');
    row.title = 'noise explains the change';
  }
  row.style.top = `${at * ROW_OF_TABLE}px`;
  row.style.height = `${ROW_OF_TABLE}px`;
  for (const [place, column] of COLUMNS.entries()) {
    // The weight that was cut off is exact: other weights may lack a part of it.
    const text = (isCut(sums.name) ? '' : atLeast) + cellText(column, sums);
    const cell = makeIn(row, 'div', `cell ${column.id}`, text, { role: 'cell' });
    if (column.isShare) makeIn(cell, 'i', 'gauge').style.setProperty('--share', Number(column.of(sums)) / Number(table.most[place]));
  }
  const square = nameCell(row, nameText(sums.name), room);
  square.style.backgroundColor = colorOf({ name: sums.name, ...sums.total });
  row.style.setProperty('--tint', isDiff ? square.style.backgroundColor : colorOfClass(sums.name));
  return row;
}

// How many letters of a name there is room for, beside its square.
function roomOfNames() {
  const { clientWidth } = page.head.lastChild;
  const square = 0.8 * facts.letter + 6;
  return Math.floor((clientWidth - (page.head.clientWidth - page.stage.clientWidth) - 20 - square) / LETTER);
}

// Screen readers and copies get the whole name; a long one is seen as its label.
function nameCell(row, name, room) {
  const cell = makeIn(row, 'div', 'cell name', '', { role: 'cell', title: name });
  const square = makeIn(cell, 'i', 'square');
  makeIn(cell, 'span', '', name);
  const label = fitted(name, room);
  if (label !== name) cell.dataset.label = label;
  return square;
}

function cellText(column, sums) {
  const value = column.of(sums);
  if (column.isShare) return percent(value, scope().weight);
  if (!column.isChange) return number(value);
  const size = facts.comparison ? Math.abs(value).toFixed(2) : number(value < 0 ? -value : value);
  if (Number(size) === 0) return size;
  return (value > 0 ? '+' : '−') + size;
}

// The self weights of all rows sum up to the zoomed part.
function drawTableSum() {
  const own = noWeights();
  for (const key of Object.keys(own)) own[key] = table.rows.reduce((sum, row) => sum + row.own[key], ZERO);
  const charged = COLUMNS.includes(CHARGED) ? table.rows.reduce((sum, row) => sum + row.charged, ZERO) : ZERO;
  const isAll = table.rows.length === table.all.length;
  page.sum.replaceChildren();
  for (const column of COLUMNS) {
    const hasSum = ['charged', 'share'].includes(column.id) || column.id.startsWith('own');
    makeIn(page.sum, 'div', `cell ${column.id}`, hasSum ? cellText(column, { own, charged }) : '', { role: 'cell' });
  }
  const count = many(table.rows.length, 'functions');
  makeIn(page.sum, 'div', 'cell name', isAll ? `all ${count}` : `${count} found`, { role: 'cell' });
}

function goToRow(at) {
  table.current = Math.max(0, Math.min(at, table.rows.length - 1));
  table.name = currentName();
  reveal(table.current);
  drawTableRows();
  page.frames.querySelector('.current')?.focus({ preventScroll: true });
  showStatus();
}

// Scrolls to a row of the table. Rows at the edges fade, so there is one more on each side.
function reveal(row) {
  const top = row * ROW_OF_TABLE;
  const { scrollTop, clientHeight } = page.stage;
  const least = top + 2 * ROW_OF_TABLE - clientHeight;
  page.stage.scrollTop = Math.min(Math.max(scrollTop, least), top - ROW_OF_TABLE);
}

function sortBy(column) {
  const isSame = state.sort.column === column;
  state.sort = { column, isRising: isSame ? !state.sort.isRising : column === 'name' };
  render();
  remember();
}
