// Numbers and names as people read them.

const grouped = new Intl.NumberFormat('en-US').format;

// How many ns the units of time have.
const NANOSECONDS = { n: 1, u: 1e3, µ: 1e3, m: 1e6, s: 1e9 };
const isTime = /^([nuµm]?s|(nano|micro|milli)?seconds?)$/.test(facts.unit);
const isBytes = /^(bytes?|B)$/.test(facts.unit);

// A weight as in numbers.rs: `1.24 s`, `3.1 MiB`, `12,345`.
function number(weight) {
  if (weight < 0) return `-${number(-weight)}`;
  if (isTime) return inTime(Number(weight) * NANOSECONDS[facts.unit.replace('micro', 'u')[0]]);
  return isBytes ? inBytes(Number(weight)) : grouped(weight);
}

function inTime(all) {
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']];
  // What rounds to 1000 ms is 1.00 s.
  const [size, name] = units.find(([least]) => all >= least * 0.9995) ?? [1, 'ns'];
  const part = all / size;
  if (size === 1) return `${all} ns`;
  if (part >= 999.5) return `${grouped(Math.round(part))} s`;
  return `${part.toFixed(part >= 99.95 ? 0 : part >= 9.995 ? 1 : 2)} ${name}`;
}

function inBytes(weight) {
  let [part, at] = [weight, 0];
  for (; part >= 1023.95; part /= 1024) at++;
  return at === 0 ? `${weight} B` : `${part.toFixed(1)} ${' KMGTPE'[at]}iB`;
}

// Comes before a weight if a part of it may have been cut off.
const atLeast = facts.cut ? '≥ ' : '';

function counted(weight) {
  if (isTime || isBytes) return number(weight);
  const unit = facts.unit || 'counts';
  return `${number(weight)} ${Number(weight) === 1 ? singular(unit) : unit}`;
}

// `2 frames`, `1 frame`.
const many = (count, word) => `${grouped(count)} ${count === 1 ? singular(word) : word}`;

// A word for one of what another word counts, as in numbers.rs.
const singular = (word) => (word.length > 2 ? word.replace(/(ss|x|ch|sh)es$|([^s])s$/, '$1$2') : word);

// The words for the marks of names.
const MARKS = { k: 'kernel', l: 'library', j: 'JIT', i: 'inlined', w: 'waker' };
const hasWakers = names.some((text, name) => text.includes('_[w]', markStarts[name]));

function markOf(name) {
  // `main;wait;--;wake_[w];server_[w]`
  if (hasWakers && names[name] === '--') return 'what follows ended the wait';
  const marks = names[name]?.slice(markStarts[name]).match(/[a-z]/g) ?? [];
  return marks.map((mark) => MARKS[mark]).filter(Boolean).join(', ');
}

// The name and its mark, as it is read aloud.
const spokenName = ({ word, name }) => [word, markOf(name)].filter(Boolean).join(', ');

// A share in percent. A small one never reads as 0%, and a part never as 100%.
function percent(part, whole) {
  const share = (100 * Number(part)) / Number(whole);
  if (!part) return '0%';
  if (share < 0.05) return '<0.1%';
  if (share >= 99.95 && part < whole) return '>99.9%';
  return `${share.toFixed(1)}%`;
}

// The weight in the second profile that is equal to a weight of 1 in the first, as in change.rs.
const scaleOfBefore = facts.comparison ? Number(whole.after[0]) / Number(whole.before[0]) : 1;

// The change from before to after as a share of before.
function change(before, after) {
  if (!after) return 'gone';
  if (!before) return 'new';
  const first = Number(before) * scaleOfBefore;
  const more = (100 * (Number(after) - first)) / first;
  if (Math.abs(more) < 0.05) return '±0%';
  return more < 0 ? `−${(-more).toFixed(1)}%` : `+${more.toFixed(1)}%`;
}

// As in change.rs; grey if noise explains the change.
function changeColor({ name, before, after }) {
  const middle = (changeColors.length - 1) / 2;
  if (!changed.has(name)) return changeColors[middle];
  const [first, second] = [Number(before) * scaleOfBefore, Number(after)];
  const share = (second - first) / (second + first);
  const steps = Math.abs(share) < 0.02 ? 0 : Math.ceil(Math.abs(share) * middle);
  return changeColors[middle + Math.sign(share) * steps];
}
