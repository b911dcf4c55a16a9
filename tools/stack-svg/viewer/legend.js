// The legend: what colours mean, which part of what is shown is of each, and what can be done with
// a kind of code.

// The entries, as the footer has them: each with its colour in the data, and `kind`, what options
// of the tools call it, if it is a kind of code. Inlined functions, of any kind, are one more entry.
const legend = { entries: [], of: null, lit: null };

const INLINED = 'inlined';
const ARGUMENTS = { 'own code': 'own', 'no symbol': 'no-symbol' };

// For each name, the number of its entry, and whether it is inlined.
let entryOfName = null;
let areInlined = null;

function makeLegend(notes) {
  for (const line of textOf('legend').split('\n').filter(Boolean)) {
    const [color, word] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
    makeEntry(notes, word, facts.kinds ? ARGUMENTS[word] ?? word : null, color);
  }
  if (facts.kinds && hasInlined) makeEntry(notes, INLINED, INLINED, null);
  legend.narrow = makeIn(notes, 'span', 'kind', 'narrow frames, together');
  legend.narrow.prepend(make('i', 'square narrow'));
}

function makeEntry(notes, word, kind, color) {
  const text = kind === INLINED ? 'of them inlined' : word;
  const element = makeIn(notes, kind ? 'button' : 'span', 'kind', text, isDiff || kind ? {} : { tabindex: '0' });
  const square = make('i', color ? 'square' : 'square pale');
  square.color = color;
  element.prepend(square);
  const entry = { word, kind, color, element, share: makeIn(element, 'span', 'share') };
  legend.entries.push(entry);
  if (kind) {
    element.setAttribute('aria-haspopup', 'menu');
    element.ask = () => openMenuOfKind(entry);
  }
  if (!isDiff) {
    listen(element, {
      pointerenter: () => light(entry), focus: () => light(entry),
      pointerleave: () => light(null), blur: () => light(null),
    });
  }
}

const entryOf = (kind) => legend.entries.find((entry) => entry.kind === kind);

const isOfEntry = (name, { kind, color }) => (
  kind === INLINED ? name !== NOBODY && isInlined(name) : classesOfNames[name] === color
);

// Lights the boxes of one entry: all others are faded.
function light(entry) {
  legend.lit = entry;
  if (state.view !== 'table') markHits();
}

// Whether an entry is lit that this frame is not of.
const isUnlit = (name) => legend.lit !== null && !isOfEntry(name, legend.lit);

// Goes to the legend by a key.
const goToLegend = () => legend.entries.find(({ element }) => !element.hidden)?.element.focus();

// A tree of so many frames is drawn before they are summed by kind.
const MANY_FRAMES = 1e6;

// Says for each kind the share of the weight that ends in it. A kind that is not there has no entry.
function drawLegend() {
  if (tree.count > MANY_FRAMES && legend.of !== tree) soon(fillLegend);
  else fillLegend();
}

function fillLegend() {
  legend.narrow.hidden = state.view === 'table' || !shown.boxes.some(({ frames, isOfOne }) => frames > 1 && !isOfOne);
  if (isDiff || legend.entries.length === 0) return;
  const { node } = scope();
  if (legend.of === tree && legend.node === node) return;
  Object.assign(legend, { of: tree, node });
  const { sums, areThere } = sumsOfKinds(node);
  legend.entries.forEach(({ element, share }, at) => {
    element.hidden = areThere[at] === 0;
    share.textContent = ` ${percent(sums[at], Number(tree.total[node]))}`;
  });
}

// The self weights below a frame by entry, and whether it has any frame of the entry.
function sumsOfKinds(top) {
  const { entries } = legend;
  const numbers = new Map(entries.map(({ color }, at) => [color, at]));
  entryOfName ??= Uint8Array.from(names, (_, name) => numbers.get(classesOfNames[name]) ?? entries.length);
  const inlined = entries.findIndex(({ kind }) => kind === INLINED);
  if (inlined >= 0) areInlined ??= Uint8Array.from(names, (_, name) => Number(isInlined(name)));
  const [sums, areThere] = [new Float64Array(entries.length + 1), new Uint8Array(entries.length + 1)];
  const { name, own, total, end: { [top]: end } } = tree;
  for (let node = Math.max(top, 1); node < end; node++) {
    if (total[node] <= 0) continue;
    const weight = Number(own[node]);
    const entry = entryOfName[name[node]];
    areThere[entry] = 1;
    sums[entry] += weight;
    if (inlined < 0 || areInlined[name[node]] === 0) continue;
    areThere[inlined] = 1;
    sums[inlined] += weight;
  }
  return { sums, areThere };
}
