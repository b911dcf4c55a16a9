// The legend: what colours mean, and which part of what is shown is of each.

// The entries, as the footer has them: each with its colour in the data.
const legend = { entries: [], of: null, lit: null };

// For each name, the number of its entry.
let entryOfName = null;

function makeLegend(notes) {
  for (const line of textOf('legend').split('\n').filter(Boolean)) {
    const [color, word] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
    const element = makeIn(notes, 'span', 'kind', word, isDiff ? {} : { tabindex: '0' });
    const square = make('i', 'square');
    square.color = color;
    element.prepend(square);
    const entry = { color, element, share: makeIn(element, 'span', 'share') };
    if (!isDiff) {
      listen(element, {
        pointerenter: () => light(color), focus: () => light(color),
        pointerleave: () => light(null), blur: () => light(null),
      });
    }
    legend.entries.push(entry);
  }
  legend.narrow = makeIn(notes, 'span', 'kind', 'narrow frames, together');
  legend.narrow.prepend(make('i', 'square narrow'));
}

// Lights the boxes of one kind: all others are faded.
function light(color) {
  legend.lit = color;
  if (state.view !== 'table') markHits();
}

// Whether a frame whose kind has this colour is of another kind than the one that is lit.
const isUnlit = (color) => legend.lit !== null && color !== legend.lit;

// Says for each kind the share of the weight that ends in it. A kind that is not there has no entry.
function drawLegend() {
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

// The self weights below a frame by kind, and whether it has any frame of the kind.
function sumsOfKinds(top) {
  const { entries } = legend;
  const numbers = new Map(entries.map(({ color }, at) => [color, at]));
  entryOfName ??= Uint8Array.from(names, (_, name) => numbers.get(classesOfNames[name]) ?? entries.length);
  const [sums, areThere] = [new Float64Array(entries.length + 1), new Uint8Array(entries.length + 1)];
  const { name, own, end, total } = tree;
  for (let node = Math.max(top, 1); node < end[top]; node++) {
    if (total[node] <= 0) continue;
    const entry = entryOfName[name[node]];
    areThere[entry] = 1;
    sums[entry] += Number(own[node]);
  }
  return { sums, areThere };
}
