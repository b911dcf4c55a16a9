// Regular expressions. A bad one may run nearly for ever, so a worker runs them, which can be
// stopped. Where a page forbids workers, only those are run that cannot take long.

// How long a pattern may take, in milliseconds.
const PATIENCE = 1000;

const TOO_LONG = `ended: the pattern took over ${PATIENCE / 1000} s`;

const TOO_SLOW = 'too slow a pattern for a page without workers';

const finder = { worker: null, isForbidden: false, clock: 0, asked: null, ask: null };

// Runs in the worker. The first message has the names, with and without places, the others
// are patterns.
function findInWorker() {
  let lines = null;
  let functions = null;
  onmessage = ({ data }) => {
    if (lines === null) {
      [lines, functions] = data.map((text) => text.split('\n'));
      return postMessage('ready');
    }
    const regex = new RegExp(data.source, data.flags);
    const found = new Uint8Array(lines.length);
    for (let line = 0; line < lines.length; line++) {
      found[line] = regex.test(lines[line]);
      if (!found[line] && functions[line] !== '') found[line] = regex.test(functions[line]);
    }
    postMessage(found);
  };
}

// The name without its place, if the frame has one, since a pattern sees it first: `^read$` finds
// `read (file.c:12)`. Otherwise empty.
const namedAlone = (name) => (nameEnds[name] < markStarts[name] ? functionName(name) : '');

function startWorker() {
  const url = URL.createObjectURL(new Blob([`(${findInWorker})()`], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.isReady = false;
  worker.onerror = () => (worker.isReady ? failed('the pattern failed') : forbidWorker());
  worker.onmessage = ({ data }) => {
    if (data === 'ready') {
      URL.revokeObjectURL(url);
      worker.isReady = true;
      askWorker();
    } else {
      answer(data);
    }
  };
  worker.postMessage([bareNames.join('\n'), allNames.map(namedAlone).join('\n')]);
  return worker;
}

// Starts a worker unless there is one: starting takes longer than most patterns.
function readyWorker() {
  try {
    if (!finder.isForbidden) finder.worker ??= startWorker();
  } catch {
    finder.isForbidden = true;
  }
}

// Finds the names that a pattern matches, and puts them into the hits later.
function findPattern({ source, isExact }, hits) {
  const flags = isExact ? '' : 'i';
  try {
    new RegExp(source, flags);
  } catch {
    hits.error = 'no regular expression';
    return;
  }
  hits.error = 'searching…';
  if (finder.asked !== null) endWorker();
  finder.ask = { source, flags, hits };
  readyWorker();
  if (finder.isForbidden) findHere();
  else if (finder.worker.isReady) askWorker();
}

function askWorker() {
  if (finder.ask === null) return;
  const { source, flags } = finder.ask;
  [finder.asked, finder.ask] = [finder.ask, null];
  finder.worker.postMessage({ source, flags });
  finder.clock = setTimeout(() => failed(TOO_LONG), PATIENCE);
}

function failed(why) {
  const { hits } = finder.asked;
  endWorker();
  settle(hits, null, why);
}

function answer(found) {
  const { hits } = finder.asked;
  clearTimeout(finder.clock);
  finder.asked = null;
  settle(hits, found, '');
  askWorker();
}

function endWorker() {
  clearTimeout(finder.clock);
  finder.worker.terminate();
  [finder.worker, finder.asked] = [null, null];
}

function forbidWorker() {
  finder.isForbidden = true;
  finder.worker = null;
  findHere();
}

// Runs a pattern that cannot take long, here, at the next turn, since the caller's search is not
// complete yet.
function findHere() {
  const { source, flags, hits } = finder.ask ?? {};
  finder.ask = null;
  if (source === undefined) return;
  const longest = bareNames.reduce((most, { length }) => Math.max(most, length), 0);
  setTimeout(() => {
    if (worstOf(source, longest) > MOST_STEPS) settle(hits, null, TOO_SLOW);
    else foundHere(new RegExp(source, flags), hits);
  });
}

function foundHere(regex, hits) {
  const found = new Uint8Array(names.length);
  const end = performance.now() + PATIENCE;
  for (let name = 0; name < names.length; name++) {
    if (regex.test(bareNames[name]) || (namedAlone(name) !== '' && regex.test(namedAlone(name)))) found[name] = 1;
    if (performance.now() > end) return settle(hits, null, TOO_LONG);
  }
  settle(hits, found, '');
}

// More steps for one name than a machine makes in a second.
const MOST_STEPS = 1e9;

// References back, escapes, classes, groups, choices, repetitions, and other letters.
const TOKENS = new RegExp([
  /\\k<|\\[1-9]|\\.|\[(?:\\.|[^\]\\])*\]/, /\(\?(?:[:=!]|<[=!]|<\w+>)|[()|]/,
  /(?:[*+?]|\{\d+(?:,\d*)?\})\??|[^]/,
].map(({ source }) => source).join('|'), 'g');

// An upper bound of the steps that a pattern takes for one text: each repetition may end anywhere,
// and each choice may be made. There is no bound for a repetition of a repetition or of a choice,
// and for a reference back to a group.
function worstOf(source, length) {
  let steps = length + 1;
  // For each open group, whether it has a choice or a repetition.
  const open = [false];
  let wasOpen = false;
  for (const [token] of source.matchAll(TOKENS)) {
    if (/^\\[k1-9]/.test(token)) return Infinity;
    if (token[0] === '(') open.push(false);
    else if (token === ')') wasOpen = open.pop();
    if (token === '|') steps *= 2;
    const isRepeated = /^[*+?{]./.test(token) || /^[*+?]$/.test(token);
    if (isRepeated && wasOpen) return Infinity;
    if (isRepeated) steps *= token[0] === '?' ? 2 : length + 1;
    if (isRepeated || token === '|') open.fill(true);
    if (token !== ')') wasOpen = false;
  }
  return steps;
}

// Writes the result into the hits, and shows it if they are still wanted.
function settle(hits, found, error) {
  hits.error = error;
  if (found !== null) hits.names = found;
  hits.forget();
  if (state.hits === hits) showHits();
}
