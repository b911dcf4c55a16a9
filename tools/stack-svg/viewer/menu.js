// What the reader can ask about a function, as a menu; and the steps taken so far.

const MENU = [
  ['o', 'Only stacks with it'],
  ['w', 'Without these stacks'],
  ['h', 'Hide it'],
  ['m', 'Hide its module'],
  ['f', 'Fold recursion'],
];

// Opens the menu for the current function, at a point of the window or else below
// its button.
function openMenu(point) {
  const name = currentName();
  fillMenu(name === NOBODY ? 'No function is selected' : nameText(name));
  const items = MENU.map(([letter, word]) => makeItem(letter, word, name));
  if (!items.every(Boolean)) tellOfCut();
  makeListing(name);
  showMenu(point ?? page.filter.getBoundingClientRect());
}

// Opens the menu of an entry of the legend, above it.
function openMenuOfKind({ word, kind, element }) {
  fillMenu(word);
  const [letter, what] = kind === INLINED ? ['i', ''] : ['k', kind];
  const hide = addItem(`Hide ${word}`, () => addStep(letter, what));
  const keep = addItem(`Only stacks that end in ${word}`, () => addStep('e', kind));
  [hide.disabled, keep.disabled] = [!isSure(letter, what), !isSure('e', kind)];
  if (keep.disabled && facts.cut) tellOfCut();
  const { x, y } = element.getBoundingClientRect();
  showMenu({ x, y: y - page.menu.offsetHeight - 8 });
}

function fillMenu(word) {
  page.menu.replaceChildren();
  page.menu.hidden = false;
  makeIn(page.menu, 'h2', '', inLines(word, MENU_WIDTH), { title: word });
}

const tellOfCut = () => (
  makeIn(page.menu, 'p', 'why', 'The other numbers would be wrong: --max-frames has cut the picture.')
);

function showMenu({ x, y, height = 0 }) {
  placeOver(page.menu, x, y + height + 4);
  (page.menu.querySelector('.item:enabled') ?? page.menu).focus();
}

// Adds an item to the menu.
function addItem(word, ask) {
  const item = makeIn(page.menu, 'button', 'item', word, { role: 'menuitem', tabindex: '-1' });
  item.ask = ask;
  return item;
}

// Adds a step to the menu; returns whether a cut allows it.
function makeItem(letter, word, name) {
  const { isOf } = STEPS[letter];
  const what = isOf === 'name' ? name : isOf === 'module' ? moduleOf[name] : '';
  const module = isOf === 'module' ? modules[what] : 'none';
  const text = isOf === 'module' && module ? `${word}, ${inLines(module, MENU_WIDTH)}` : word;
  const item = addItem(text, () => addStep(letter, what));
  const isRight = isSure(letter, what);
  item.disabled = !isRight || (isOf !== '' && name === NOBODY) || !module;
  return isRight;
}

// Adds an item that copies the command for the source of a function, if its lines are known.
function makeListing(name) {
  if (name === NOBODY || nameEnds[name] === markStarts[name]) return;
  const command = commandOfSource(name);
  addItem('Its source lines: copy the command', () => copy(command)).title = command;
}

function closeMenu() {
  if (page.menu.hidden) return;
  page.menu.hidden = true;
  page.frames.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
}

function onKeyInMenu(event) {
  const items = [...page.menu.querySelectorAll('.item:enabled')];
  const by = { ArrowDown: 1, ArrowUp: items.length - 1 }[event.key];
  if (event.key === 'Escape' || event.key === 'Tab') closeMenu();
  else if (by === undefined) return;
  else items[(items.indexOf(document.activeElement) + by) % items.length]?.focus();
  event.preventDefault();
}

function onContextMenu(event) {
  const branch = boxUnder(event)?.branch;
  const row = event.target.closest('.row');
  if (branch === undefined && row === null) return;
  event.preventDefault();
  if (row !== null) goToRow(row.at);
  else goTo(branch);
  openMenu({ x: event.clientX, y: event.clientY });
}

// As many letters as a name in a step has room for, as in style.css.
const ROOM_IN_STEP = 24;

// A step in words; if roots were taken away, how many, and the key that puts them back.
function wordInPage(step, at) {
  if (step.letter !== 'r') return wordOfStep(step, ROOM_IN_STEP);
  const before = treeAfter(state.steps.slice(0, at));
  let roots = 0;
  for (let node = 1; node < before.count; node = before.end[node]) roots += Number(before.total[node] > 0);
  return `${many(roots, 'roots')} taken away: r puts them back`;
}

// A step, and a button that takes it back.
function drawStep(word, name, ask) {
  const chip = makeIn(page.steps, 'span', 'step');
  makeIn(chip, 'span', '', word, { title: name });
  makeIn(chip, 'button', 'back', '✕', { 'aria-label': `Take back: ${name}` }).ask = ask;
}

// The selection and the steps that were taken, each with a button that takes it back, and the
// command that does the same.
function drawSteps() {
  markProfile();
  if (isDiff) page.width.value = state.width;
  page.steps.hidden = state.steps.length === 0 && !isSelection();
  page.steps.replaceChildren();
  if (page.steps.hidden) return;
  const { lane, range } = selection;
  if (range !== null) drawStep(wordsOfRange(range), wordsOfRange(range), () => select({ lane, range: null }));
  if (lane !== null) drawStep(wordsOfLane(lane), wordsOfLane(lane), () => select({ lane: null, range }));
  state.steps.forEach((step, at) => drawStep(wordInPage(step, at), wordOfStep(step), () => takeBack(at)));
  const share = `${percent(treeAfter(state.steps).total[0], whole.total[0])} of ${counted(whole.total[0])} left`;
  makeIn(page.steps, 'span', 'left', share);
  const command = commandOfSteps();
  makeIn(page.steps, 'code', 'command', command);
  const hint = command.includes(WHOLE_FILE) ? `\n${WHOLE_FILE} is the whole profile` : '';
  const button = makeIn(page.steps, 'button', 'copy', 'Copy command', { title: command + hint });
  button.ask = () => copy(command);
}
