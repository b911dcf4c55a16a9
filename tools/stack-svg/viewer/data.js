// Reads the profile from the text in this file, which embed.rs writes.

const picture = document.currentScript.ownerSVGElement;

// Whether the picture is a document of its own, not a part of a page; and how many of our pictures
// come before it in the page.
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

// Weights are numbers, or BigInts if numbers would not be exact.
const isLarge = facts.large !== '';
const Weights = isLarge ? BigUint64Array : Float64Array;
const ZERO = isLarge ? 0n : 0;

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
    const { text } = this;
    let value = valueOf[text.charCodeAt(this.at++)];
    let number = value & 31;
    for (let scale = 32; value > 31; scale *= 32) {
      value = valueOf[text.charCodeAt(this.at++)];
      number += (value & 31) * scale;
    }
    return number;
  }

  weight() {
    if (!isLarge) return this.next();
    let number = 0n;
    for (let bits = 0n; this.more(); bits += 5n) {
      const value = valueOf[this.text.charCodeAt(this.at++)];
      number += BigInt(value & 31) << bits;
      if (value < 32) break;
    }
    return number;
  }
}

// Names with their marks, such as _[k] for the kernel. Everywhere else a name is its number here;
// the whole, which is not a frame, has the number NOBODY.
const names = textOf('names').split('\n');
const NOBODY = -1;

// What stack-collapse-frames writes for a stack if it hides every frame.
const HIDDEN = names.includes('[hidden]') ? names.indexOf('[hidden]') : names.push('[hidden]') - 1;
// The numbers of all names.
const allNames = names.map((_, name) => name);

// What was cut off is a frame of its own.
const isCut = (name) => names[name] === '[cut]';

// For each frame where its name ends and where its marks start: a place may be between
// them. As in frame_parts.rs.
const nameEnds = new Uint32Array(names.length);
const markStarts = new Uint32Array(names.length);
names.forEach((text, name) => {
  const hasParts = text.endsWith(')') || text.endsWith(']');
  markStarts[name] = hasParts ? text.length - /(?:_\[[klojiw]\])*$/.exec(text)[0].length : text.length;
  nameEnds[name] = hasParts ? endOfName(text.slice(0, markStarts[name])) : text.length;
});

// The place starts at the last ` (` such that each `)` in the path has its `(` in the path.
function endOfName(text) {
  const path = /^(.*):[0-9]+\)$/s.exec(text)?.[1] ?? '';
  let closed = 0;
  for (let at = path.length - 1; at > 0; at--) {
    if (path[at] === ')') closed++;
    else if (path[at] === '(' && closed > 0) closed--;
    else if (path[at] === '(' && path[at - 1] === ' ') return at - 1;
  }
  return text.length;
}

// The name alone, and with its marks, as patterns of the tools see it.
const functionName = (name) => names[name].slice(0, nameEnds[name]);
const markedName = (name) => functionName(name) + names[name].slice(markStarts[name]);

// For each name the first one of the same function: steps go by functions.
const firstNames = new Map();
const functionOf = allNames.map((name) => {
  const text = functionName(name);
  if (!firstNames.has(text)) firstNames.set(text, name);
  return firstNames.get(text);
});

const bareNames = names.map((name, at) => name.slice(0, markStarts[at]) || '[empty name]');
const nameText = (name) => (name === NOBODY ? 'all' : bareNames[name]);

// Frames are numbers, too: a parent before its children, 0 is the whole.
const isChart = facts.chart !== '';
const isDiff = facts.diff !== '';
const whole = readTree(new Numbers(textOf('tree')));
// Whether its roots are no frames, but values of a label, or files.
whole.isLabelled = facts.split !== '' && facts.split !== 'root';
// What the views show: the whole, or what steps.js leaves of it.
let tree = whole;
// For each name its color, and the one of its kind or module.
const [colorsOfNames, classesOfNames] = readColors(textOf('colors'));
// For each name its module, a number of `modules`.
const [moduleNumbers, ...modules] = textOf('modules').split('\n');
const moduleOf = readModules(new Numbers(moduleNumbers));
const changeColors = facts.changes.split(' ');
// The functions that changed by more than noise explains.
const changed = new Set((facts.changed.match(/\S+/g) ?? []).map((name) => (name === 'all' ? NOBODY : Number(name))));

function readTree(numbers) {
  const frame = framesFor(Number(facts.frames) + 1);
  const { name, parent, depth, own, ownBefore, gap } = frame;
  // The last frame of each level.
  const last = [0];
  name[0] = NOBODY;
  for (let node = 0, level = 0; node < name.length; node++) {
    // As embed.rs writes them.
    const code = node > 0 ? numbers.next() : 1;
    if (node > 0) {
      level += (code & 2) === 0 ? 1 : 1 - numbers.next();
      parent[node] = last[level - 1];
      depth[node] = level;
      last[level] = node;
      name[node] = code >> 2;
    }
    if ((code & 1) !== 0) own[node] = numbers.weight();
    if (isChart && node > 0) gap[node] = numbers.weight();
    if (isDiff) ownBefore[node] = numbers.weight();
  }
  return addUp(frame);
}

// Room for `count` frames.
function framesFor(count) {
  return {
    name: new Int32Array(count),
    parent: new Uint32Array(count),
    depth: new Uint32Array(count),
    own: new Weights(count),
    ownBefore: new Weights(isDiff ? count : 0),
    gap: new Weights(isChart ? count : 0),
  };
}

// Computes the total weights from the self weights. With two profiles, `own` are the sums of both,
// or those of the one that is shown.
function addUp(frame) {
  const { depth, own, ownBefore } = frame;
  const count = own.length;
  const ownAfter = frame.ownAfter ?? ownBefore.map((before, node) => own[node] - before);
  const [total, before, after] = [own, ownBefore, ownAfter].map((weights) => weights.slice());
  // For each frame, the index after its last descendant.
  const end = new Uint32Array(count);
  // The open frames: the last of each level.
  const open = [0];
  for (let node = 1, level = 0; node <= count; node++) {
    const next = node < count ? depth[node] : 0;
    for (; level >= next; level--) {
      const done = open[level];
      end[done] = node;
      if (level === 0) break;
      const above = open[level - 1];
      total[above] += total[done];
      if (!isDiff) continue;
      before[above] += before[done];
      after[above] += after[done];
    }
    level = next;
    open[level] = node;
  }
  // The weights of each frame by itself, and with all frames on top of it.
  const self = { weight: own, before: ownBefore, after: ownAfter };
  const all = { weight: total, before, after };
  return { ...frame, count, self, all, total, before, after, ownAfter, end, deepest: open.length - 1 };
}

// The tree in which boxes are as wide as their weight in one of two profiles, `before` or `after`,
// or in both.
function treeByWidth(from, width) {
  return width === 'both' ? from : addUp({ ...from, own: from.self[width] });
}

function readColors(text) {
  const [list, classes, numbers] = text.split('\n').map((line) => line.split(' '));
  const reader = new Numbers(numbers[0]);
  // A color ends with the number of its class.
  const found = names.map(() => (reader.more() ? list[reader.next()] : facts.hidden));
  const classOf = (color) => (color.length > 7 ? classes[new Numbers(color.slice(7)).next()] : color);
  return [found.map((color) => color.slice(0, 7)), found.map(classOf)];
}

function readModules(numbers) {
  const moduleOrHidden = () => (numbers.more() ? numbers.next() : modules.push('[hidden]') - 1);
  return names.map(moduleOrHidden);
}
