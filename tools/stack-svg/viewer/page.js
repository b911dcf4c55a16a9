// Makes the elements of the viewer, once; the other files fill them.

const VIEWS = [
  { id: 'flame', word: 'Flame', hint: 'Callees on their callers (1)' },
  { id: 'bottom-up', word: 'Bottom up', hint: 'Callers on what holds the weight (2)' },
  { id: 'sandwich', word: 'Sandwich', hint: 'Callers above one function, callees below (3)' },
  { id: 'table', word: 'Table', hint: 'All functions with their weights (4)' },
  ...(timeline ? [{ id: 'chart', word: 'Chart', hint: 'What ran when (5)' }] : []),
];

// The weights of two profiles that can be the width of boxes.
const WIDTHS = { both: 'before and after', before: 'before', after: 'after' };

const KEYS = [
  ['1 2 3 4', 'flame, bottom up, sandwich, table'],
  ...(timeline ? [['5', 'chart: a click zooms to the time of a frame, or chooses a lane']] : []),
  ['arrows', 'walk from frame to frame'],
  ['Enter, click', 'zoom in; in the sandwich, go to the function'],
  ['Ctrl-wheel, + −', 'zoom in and out, around the pointer'],
  ['drag, Shift-arrows', 'move the picture'],
  ['Escape', 'zoom out by one; end a search'],
  ['0', 'zoom out to the whole'],
  ['/ or Ctrl-F', 'search; /re/ is a regular expression; a capital tells cases apart'],
  ['n N', 'next and previous match'],
  ['i', 'turn it upside down'],
  ['o', 'heaviest frames first, or in the order of names'],
  ['f, right click', 'filter: keep, drop or hide the frame, hide its module, fold recursion'],
  ...(facts.split ? [['p', 'choose a profile']] : []),
  ...(isDiff ? [['d', 'boxes as wide as before, after or both']] : []),
  ['r', 'take the roots, such as threads, away, or put them back'],
  ...(hasInlined ? [['I', 'hide inlined functions, or show them']] : []),
  ...(facts.kinds ? [['k', 'go to the legend: Enter hides a kind of code, or keeps what ends in it']] : []),
  ...(strip ? [['t T', 'choose a time: arrows move its ends; T chooses all of it']] : []),
  ['u', 'take the last filter back'],
  ['w', 'save the folded stacks that are shown'],
  ['s', 'sandwich of the frame'],
  ['c C', 'copy the name, the stack'],
  ['?', 'show and hide these keys'],
];

// The margin on both sides, as in style.css.
const MARGIN = 12;

const page = makePage();

function titleOf() {
  if (isChart || timeline) return 'Flame Chart';
  return isDiff ? 'Flame Graph, before and after' : 'Flame Graph';
}

function makePage() {
  const app = make('div', ['app', isDiff && 'diff', facts.split && 'split'].filter(Boolean).join(' '));
  const bar = makeIn(app, 'header', 'bar');
  const heading = makeIn(bar, 'div', 'heading');
  makeIn(heading, 'h1', 'title', facts.title || titleOf());
  if (facts.subtitle) makeIn(heading, 'p', 'subtitle', facts.subtitle, { title: facts.subtitle });
  const search = makeSearch(bar);
  const profiles = makeProfiles(bar);
  const width = isDiff ? makeWidths(bar) : null;
  const tabs = makeIn(bar, 'div', 'tabs', '', { role: 'tablist', 'aria-label': 'View' });
  const tabOf = {};
  for (const { id, word, hint } of VIEWS) {
    tabOf[id] = makeIn(tabs, 'button', 'tab', word, { role: 'tab', title: hint, 'data-view': id });
    tabOf[id].ask = () => show(id);
  }
  const tool = (name, sign, short, word, key, ask) => {
    const button = makeIn(bar, 'button', `tool ${name}`, sign, { title: `${word} (${key})`, 'aria-label': word });
    makeIn(button, 'span', 'word', short);
    button.ask = ask;
    return button;
  };
  const flipper = tool('flip', '⇅', 'Flip', 'Upside down', 'i', flip);
  const order = tool('order', '◣', 'Order', 'Heaviest first', 'o', toggleOrder);
  const filter = tool('filter', '▽', 'Filter', 'Filter by the frame', 'f', openMenu);
  filter.setAttribute('aria-haspopup', 'menu');
  tool('save', '↓', 'Save', 'Save the folded stacks', 'w', save);
  tool('help', '?', 'Keys', 'Keys', '?', toggleKeys);
  const way = makeIn(app, 'div', 'way');
  const crumbs = makeIn(way, 'nav', 'crumbs', '', { 'aria-label': 'Zoom' });
  const steps = makeIn(way, 'div', 'steps', '', { role: 'group', 'aria-label': 'Steps' });
  const map = makeIn(way, 'div', 'map', '', { 'aria-hidden': 'true' });
  const canvas = makeIn(map, 'canvas', '');
  const window = makeIn(map, 'i', 'window');
  const strip = makeStrip(app);
  const content = makeIn(app, 'div', 'content');
  const axis = makeIn(content, 'div', 'axis', '', { 'aria-hidden': 'true' });
  const head = makeIn(content, 'div', 'table-head', '', { role: 'row' });
  const stage = makeIn(content, 'div', 'stage', '', { tabindex: '-1' });
  const frames = makeIn(stage, 'div', 'frames');
  const sum = makeIn(content, 'div', 'table-sum', '', { role: 'row' });
  const status = makeIn(app, 'div', 'status');
  const live = makeIn(app, 'div', 'live', '', { role: 'status', 'aria-live': 'polite' });
  const notes = makeNotes(app);
  const tip = makeIn(app, 'div', 'tip', '', { 'aria-hidden': 'true' });
  const menu = makeIn(app, 'div', 'menu', '', { role: 'menu', 'aria-label': 'Filter', tabindex: '-1' });
  menu.hidden = true;
  const keys = makeKeys(app);
  return {
    app, profiles, width, tabOf, flip: flipper, order, filter, ...search, crumbs, map, canvas, window, steps,
    strip, content, axis, head, stage, frames, sum, status, live, notes, tip, menu, keys,
  };
}

function makeWidths(bar) {
  const list = makeIn(bar, 'select', 'width', '', { 'aria-label': 'Width', title: 'Width of the boxes (d)' });
  for (const [value, word] of Object.entries(WIDTHS)) makeIn(list, 'option', '', `Width: ${word}`, { value });
  return list;
}

function makeSearch(bar) {
  const search = makeIn(bar, 'label', 'search');
  const query = makeIn(search, 'input', 'query', '', {
    type: 'search', placeholder: 'Search functions  /', 'aria-label': 'Search', spellcheck: 'false',
    autocomplete: 'off', maxlength: String(LONGEST_QUERY),
  });
  const found = makeIn(search, 'span', 'found-numbers');
  const matched = makeIn(found, 'span', 'matched');
  const functions = makeIn(found, 'span', 'functions');
  return { query, matched, functions };
}

// What colours mean, and what the picture holds.
function makeNotes(app) {
  const notes = makeIn(app, 'footer', 'notes');
  makeLegend(notes);
  const others = timeline && strip.others > 0 && `${grouped(strip.others)} more lanes are not in the chart`;
  const texts = [facts.totals, many(tree.count - 1, 'frames'), facts.comparison, facts.cut, others, facts.trust, facts.command];
  for (const text of texts.filter(Boolean)) makeIn(notes, 'span', 'note', text, text === facts.trust && { title: facts.doubts });
  return notes;
}

function makeKeys(app) {
  const keys = makeIn(app, 'div', 'keys', '', {
    role: 'dialog', 'aria-label': 'Keys', tabindex: '-1',
  });
  keys.hidden = true;
  makeIn(keys, 'h2', '', 'Keys');
  const list = makeIn(keys, 'dl');
  for (const [key, what] of KEYS) {
    makeIn(list, 'dt', '', key);
    makeIn(list, 'dd', '', what);
  }
  return keys;
}

function showPage() {
  page.app.style.fontSize = `${facts.letter}px`;
  showOver(picture, page.app);
  fillWindow();
  // Otherwise a phone would show the picture as wide as a large screen, and small.
  if (isAlone) {
    const content = 'width=device-width, initial-scale=1';
    picture.append(make('meta', '', '', { name: 'viewport', content }));
  }
  // A scroll bar replaces the margin.
  const { offsetWidth, clientWidth } = page.stage;
  page.stage.style.marginRight = `${Math.max(0, MARGIN - (offsetWidth - clientWidth))}px`;
}

function fillWindow() {
  const height = picture.getAttribute('height');
  picture.removeAttribute('viewBox');
  setAll(picture, { width: facts.width || '100%', height: isAlone ? '100%' : Math.max(height, 300) });
}

let toast = 0;
let announcement = 0;

// Gives a text to a screen reader, unless a newer one comes at once.
function announce(text) {
  clearTimeout(announcement);
  announcement = setTimeout(() => (page.live.textContent = text), 400);
}

// Shows a message for a moment, in place of the numbers.
function say(text) {
  announce(text);
  page.status.textContent = text;
  page.status.classList.add('said');
  clearTimeout(toast);
  toast = setTimeout(() => page.status.classList.remove('said'), 1500);
}
