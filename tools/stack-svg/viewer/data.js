// Reads the profile from the text in this file, which embed.rs writes.

const picture = document.currentScript.ownerSVGElement;

// Whether the picture is a document of its own, not a part of a page; and how many
// pictures of ours stand before it in the page.
const isAlone = picture === document.documentElement;
const nth = isAlone ? 0 : [...document.querySelectorAll('svg.stack-svg')].indexOf(picture);

// No two elements of a page have the same id.
const suffix = nth > 0 ? `-${nth + 1}` : '';
if (nth > 0) for (const element of picture.querySelectorAll('[id]')) element.id += suffix;

const part = (id) => picture.querySelector(`metadata[id="${id}${suffix}"]`);
const textOf = (id) => part(id).textContent;
const facts = part('facts').dataset;

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_';
const valueOf = new Uint8Array(128);
for (let value = 0; value < DIGITS.length; value++) valueOf[DIGITS.charCodeAt(value)] = value;

// Reads numbers in base 32, one after the other.
class Numbers {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  more() {
    return this.at < this.text.length;
  }

  // The end of the text reads as 0: there may be no frames at all.
  next() {
    let number = 0;
    let scale = 1;
    while (this.more()) {
      const value = valueOf[this.text.charCodeAt(this.at++)];
      number += (value & 31) * scale;
      if (value < 32) break;
      scale *= 32;
    }
    return number;
  }
}

// Names with their marks, such as _[k] for the kernel. Everywhere else a name is
// its number here; the whole, which is no frame, has the number NOBODY.
const names = textOf('names').split('\n');
const NOBODY = -1;

// What stack-collapse-frames leaves of a stack of which it hides every frame.
const HIDDEN = names.includes('[hidden]') ? names.indexOf('[hidden]') : names.push('[hidden]') - 1;
// The numbers of all names.
const allNames = names.map((_, name) => name);

// What was cut off stands in a frame of its own.
const isCut = (name) => names[name] === '[cut]';

const bareNames = names.map((name) => name.replace(/_\[[kjiw]\]$/, '') || '[empty name]');
const nameText = (name) => (name === NOBODY ? 'all' : bareNames[name]);

// Frames are numbers, too: a parent before its children, 0 is the whole.
const isChart = facts.chart !== '';
const isDiff = facts.diff !== '';
const whole = readTree(new Numbers(textOf('frames-data')));
// What the views show: the whole, or what steps.js leaves of it.
let tree = whole;
const colorsOfNames = readColors(textOf('colors'));
// For each name its module, a number of `modules`.
const [moduleNumbers, ...modules] = textOf('modules').split('\n');
const moduleOf = readModules(new Numbers(moduleNumbers));
const changeColors = facts.changes.split(' ');

function readTree(numbers) {
  const frame = { name: [NOBODY], parent: [0], depth: [0], own: [], ownBefore: [], gap: [0] };
  let last = 0;
  const readWeights = (node) => {
    frame.own.push(numbers.next());
    if (isChart && node > 0) frame.gap.push(numbers.next());
    if (isDiff) frame.ownBefore.push(numbers.next());
  };
  readWeights(0);
  for (let node = 1; numbers.more(); node++) {
    let parent = last;
    for (let up = numbers.next(); up > 0; up--) parent = frame.parent[parent];
    frame.parent.push(parent);
    frame.depth.push(frame.depth[parent] + 1);
    frame.name.push(numbers.next());
    readWeights(node);
    last = node;
  }
  return addUp(frame);
}

// Computes the total weights from the self weights.
function addUp(frame) {
  const { parent, own, gap } = frame;
  const count = own.length;
  const total = Float64Array.from(own);
  const before = isDiff ? Float64Array.from(frame.ownBefore) : new Float64Array(count);
  // For each frame, the index behind its last descendant.
  const end = new Uint32Array(count);
  for (let node = count - 1; node > 0; node--) {
    const below = parent[node];
    total[below] += total[node];
    before[below] += before[node];
    if (end[node] === 0) end[node] = node + 1;
    if (end[below] === 0) end[below] = end[node];
  }
  end[0] = count;
  const start = new Float64Array(count);
  const next = new Float64Array(count);
  next[0] = isChart ? 0 : own[0];
  for (let node = 1; node < count; node++) {
    start[node] = next[parent[node]] + (isChart ? gap[node] : 0);
    next[parent[node]] = start[node] + total[node];
    next[node] = start[node] + (isChart ? 0 : own[node]);
  }
  return { ...frame, count, total, before, end, start };
}

function readColors(text) {
  const [list, numbers] = text.split('\n');
  const colors = list.split(' ');
  const reader = new Numbers(numbers);
  const colorOf = (name) => (reader.more() ? colors[reader.next()] : facts.hidden);
  return names.map(colorOf);
}

function readModules(numbers) {
  const moduleOrHidden = () => (numbers.more() ? numbers.next() : modules.push('[hidden]') - 1);
  return names.map(moduleOrHidden);
}
