// The steps by which a reader asks for a part of the profile. Each does exactly what a command does
// to the folded stacks: see commands.js.

// The steps, by their letter in the address.
const STEPS = {
  p: { word: 'Profile', isOf: 'name', apply: stacksOfRoot },
  o: { word: 'Only stacks with', isOf: 'name', apply: (from, name) => stacksWith(from, name, true) },
  w: { word: 'Without stacks with', isOf: 'name', apply: (from, name) => stacksWith(from, name, false) },
  h: { word: 'Hide', isOf: 'name', apply: (from, name) => hide(from, (one) => isSame(one, name)) },
  m: { word: 'Hide module', isOf: 'module', apply: (from, module) => hide(from, (one) => moduleOf[one] === module) },
  k: { word: 'Hide', isOf: 'kind', apply: hideKind },
  e: { word: 'Only stacks that end in', isOf: 'kind', apply: stacksEndingIn },
  i: { word: 'Without inlined functions', isOf: '', apply: (from) => hide(from, isInlined) },
  f: { word: 'Fold recursion', isOf: '', apply: foldRecursion },
  r: { word: 'Roots taken away', isOf: '', apply: withoutRoots },
};

// Whether two names are of one function, with any places and marks.
const isSame = (one, other) => one === other || functionOf[one] === functionOf[other];

// A step, with the number of a name or of a module, or with a kind of code, if it needs one.
const makeStep = (letter, what) => ({ letter, what, key: letter + what });

// A step in words, with its name in `room` letters.
const wordOfStep = ({ letter, what }, room = Infinity) => {
  const { word, isOf } = STEPS[letter];
  if (isOf === '') return word;
  if (isOf === 'kind') return `${word} ${entryOf(what).word}`;
  return `${word} ${fitted(isOf === 'name' ? functionName(what) || nameText(what) : modules[what], room)}`;
};

const isInlined = (name) => names[name].includes('_[i]', markStarts[name]);
const hasInlined = allNames.some(isInlined);

const placeOfFrame = (from) => (builder, parent, node) => builder.child(parent, from.name[node]);

// The stacks with a frame of this name, or those without.
function stacksWith(from, name, isWanted) {
  const keeps = new Uint8Array(from.count).fill(isWanted ? 0 : 1);
  for (let node = 1; node < from.count; node++) {
    keeps[node] = isSame(from.name[node], name) ? Number(isWanted) : keeps[from.parent[node]];
  }
  return rebuilt(from, keeps, placeOfFrame(from), (_, place) => place);
}

// The stacks whose root has this name.
function stacksOfRoot(from, name) {
  const keeps = new Uint8Array(from.count);
  for (let node = 1; node < from.count; node = from.end[node]) {
    if (isSame(from.name[node], name)) keeps.fill(1, node, from.end[node]);
  }
  return rebuilt(from, keeps, placeOfFrame(from), (_, place) => place);
}

// The stacks that end in a frame of this kind of code.
function stacksEndingIn(from, kind) {
  const isOfKind = frameIsOf(from, kind);
  const keeps = Uint8Array.from(from.name, (_, node) => Number(isOfKind(node)));
  return rebuilt(from, keeps, placeOfFrame(from), (_, place) => place);
}

// Whether a frame of a tree is of this kind. A root that is a label or a file is no code.
function frameIsOf(from, kind) {
  const entry = entryOf(kind);
  const areOf = names.map((_, name) => isOfEntry(name, entry));
  return (node) => node > 0 && areOf[from.name[node]] && !(from.isLabelled && from.depth[node] === 1);
}

function hideKind(from, kind) {
  return hideFrames(from, frameIsOf(from, kind));
}

function hide(from, isHidden) {
  const hidden = names.map((_, name) => isHidden(name));
  return hideFrames(from, (node) => hidden[from.name[node]]);
}

// Whether a step of this letter is for this word. Inlined functions are hidden by a step of their
// own.
const isKind = (letter, word) => entryOf(word) !== undefined && !(letter === 'k' && word === INLINED);

// The stacks without some frames; the weight of these goes to their callers.
function hideFrames(from, isHidden) {
  const place = placeOfFrame(from);
  const placeOf = (builder, parent, node) => (
    isHidden(node) ? builder.share(parent) : place(builder, parent, node)
  );
  const leafOf = (builder, leaf, node) => {
    if (node === 0 || !isEmpty(builder, leaf)) return leaf;
    return builder.child(builder.share(0), HIDDEN);
  };
  return rebuilt(from, null, placeOf, leafOf);
}

// The stacks without their root frames, such as threads. A root with nothing above it stays.
function withoutRoots(from) {
  const isRoot = (node) => from.depth[node] === 1;
  const place = placeOfFrame(from);
  const placeOf = (builder, parent, node) => (isRoot(node) ? builder.share(0) : place(builder, parent, node));
  const leafOf = (builder, leaf, node) => (isRoot(node) ? builder.child(builder.share(0), from.name[node]) : leaf);
  return { ...rebuilt(from, null, placeOf, leafOf), isLabelled: false };
}

// Whether a folded line would have no text for the stack of this frame.
function isEmpty({ frame }, node) {
  return node === 0 || (frame.depth[node] === 1 && names[frame.name[node]] === '');
}

// Merges calls of a function by itself into the first one.
function foldRecursion(from) {
  const bases = basesOfNames();
  const place = placeOfFrame(from);
  const isAgain = (name, caller) => caller !== NOBODY && bases[name] === bases[caller];
  const placeOf = (builder, parent, node) => (
    isAgain(from.name[node], builder.frame.name[parent]) ? builder.share(parent) : place(builder, parent, node)
  );
  const leafOf = (builder, leaf, node) => {
    if (node === 0) return leaf;
    if (!isEmpty(builder, leaf)) {
      // The leaf is what ran, so it keeps its own place and marks.
      const [kept, own] = [builder.frame.name[leaf], from.name[node]];
      const isLeaf = names[kept].slice(nameEnds[kept]) === names[own].slice(nameEnds[own]);
      return isLeaf ? leaf : builder.child(builder.share(builder.frame.parent[leaf]), own);
    }
    // A line needs some text, so `;` stays as it is.
    let last = leaf;
    for (let depth = 1; depth < from.depth[node]; depth++) {
      last = builder.child(builder.share(last), from.name[node]);
    }
    return last;
  };
  return rebuilt(from, null, placeOf, leafOf);
}

// For each name, the first one of the same function, whatever the height of its tower, as in
// `add (x4+)`.
function basesOfNames() {
  if (!names.some((name) => name.includes('+)'))) return functionOf;
  const firsts = new Map();
  return allNames.map((name) => {
    const text = functionName(name);
    const [, before, height] = /^(.*) \(x(\d+)\+\)$/s.exec(text) ?? [];
    const base = height !== undefined && Number(height) < 2 ** 32 ? before : text;
    if (!firsts.has(base)) firsts.set(base, name);
    return firsts.get(base);
  });
}

// The trees that the steps leave of the whole, as far as they were made: one for each step.
const made = [];

// What the steps leave of the selection: that part of what they leave of the whole.
function treeAfter(steps) {
  let from = whole;
  steps.forEach(({ letter, what, key }, at) => {
    if (made[at]?.key !== key) {
      made.splice(at, made.length, { key, tree: STEPS[letter].apply(from, what) });
    }
    from = made[at].tree;
  });
  return selectedOf(from);
}

// Whether a step would do the same to the stacks that were cut off as its command does. They may
// have a frame that is hidden or folded. They may have a function, too, unless all that was cut off
// is on top of its frames.
function isSure(letter, what) {
  if (STEPS[letter].isOf === 'kind' && !areLabelsApart()) return false;
  if (facts.cut === '' || letter === 'p' || letter === 'r') return true;
  if (letter !== 'o' && letter !== 'w') return false;
  for (let node = 1; node < whole.count; node++) {
    if (isSame(whole.name[node], what)) node = whole.end[node] - 1;
    else if (isCut(whole.name[node])) return false;
  }
  return true;
}

// Whether no root that is a label or a file has the name of a frame, whose kind of code it would have.
function areLabelsApart() {
  if (!whole.isLabelled) return true;
  const roots = new Set();
  for (let node = 1; node < whole.count; node = whole.end[node]) roots.add(whole.name[node]);
  return whole.name.every((name, node) => whole.depth[node] < 2 || !roots.has(name));
}

// Shows what these steps leave of the profile.
function takeSteps(steps, width = state.width) {
  const next = treeAfter(steps);
  if (next.total[0] === ZERO) return say('no stack would be left');
  const path = scope().path().slice(1);
  const name = selectedName();
  state.steps = steps;
  growFrom(next, width);
  enterView(state.view, nearest(path), name, state.focus);
  remember(true);
}

const chooseWidth = (width) => takeSteps(state.steps, width);

// Makes the views show another tree. A profile that weighs nothing cannot be drawn.
function growFrom(next, width) {
  const isThere = Object.hasOwn(WIDTHS, width) && next[width]?.[0] > 0;
  state.width = isThere ? width : 'both';
  tree = treeByWidth(next, state.width);
  state.hits?.forget();
  plantTrees();
}

// The branch of the flame graph with those frames of a path that are still there.
function nearest(path) {
  let branch = trees.flame.root;
  for (const { name } of path) branch = branch.kids.find((kid) => kid.name === name) ?? branch;
  return branch;
}

const addStep = (letter, what) => takeSteps([...state.steps, makeStep(letter, what)]);

// With so many roots, if none of them has so large a part, roots are not shown at first: each would
// be a sliver.
const MANY_ROOTS = 100;
const LARGE_ROOT = 0.05;

// A root with more self weight is a function, not a thread or a host.
const MOST_OF_OWN = 0.01;

// The steps that are taken when a profile is opened, as words of the address.
function firstSteps() {
  const profiles = isChart ? [] : profilesOf(whole);
  const all = Number(whole.total[0]);
  const isSliver = ([, weight]) => Number(weight) < LARGE_ROOT * all;
  if (profiles.length < MANY_ROOTS || !profiles.every(isSliver)) return '';
  let own = 0;
  for (let node = 1; node < whole.count; node = whole.end[node]) own += Number(whole.own[node]);
  return own < MOST_OF_OWN * all ? 'r' : '';
}

// Takes a step that needs no name, or takes it back.
function toggleStep(asked) {
  const others = state.steps.filter(({ letter }) => letter !== asked);
  if (others.length < state.steps.length) takeSteps(others);
  else if (isSure(asked, '')) addStep(asked, '');
}

const takeBack = (at) => takeSteps(state.steps.filter((_, other) => other !== at));

// The steps as words of the address.
function wordsOfSteps() {
  const wordOf = ({ letter, what }) => {
    const { isOf } = STEPS[letter];
    if (isOf === '' || isOf === 'kind') return letter + what;
    // A module is named by its first function.
    const name = isOf === 'name' ? what : moduleOf.indexOf(what);
    return letter + wordFor(name, allNames, itself);
  };
  return state.steps.map(wordOf).join('.');
}

// The steps that the words of an address name, as far as this profile has them.
function stepsOf(words) {
  const steps = words.split('.').filter(Boolean).map((word) => {
    const letter = word[0];
    const isOf = STEPS[letter]?.isOf;
    if (isOf === '') return makeStep(letter, '');
    if (isOf === 'kind') return isKind(letter, word.slice(1)) ? makeStep(letter, word.slice(1)) : null;
    const name = ofWord(word.slice(1), allNames, itself);
    if (isOf === undefined || name === undefined) return null;
    return makeStep(letter, isOf === 'name' ? name : moduleOf[name]);
  });
  return steps.filter((step) => step !== null && isSure(step.letter, step.what));
}
