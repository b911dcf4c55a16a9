// Reads the numbers in this file, which picture.rs writes. Times and weights are
// BigInt: the seconds to paste must be exact.

const picture = document.currentScript.ownerSVGElement;

const part = (id) => picture.querySelector(`metadata[id="${id}"]`);
const linesOf = (id) => part(id).textContent.split('\n');
const facts = part('facts').dataset;

const hasNames = facts.by !== '';
const names = linesOf('names');
const rows = names.length;
const columns = Number(facts.columns);
const total = BigInt(facts.total);
const weights = linesOf('weights').map(readWeights);

// `3  12` is 3, 0, 12, and 0 from there on.
function readWeights(line) {
  const read = line.split(' ').map(BigInt);
  while (read.length < columns) read.push(0n);
  return read;
}

// Time goes from step to step: up each column, or where rows have names, from column
// to column.
const perColumn = hasNames ? 1 : rows;
const steps = columns * perColumn;
const stepOf = ({ column, row }) => (hasNames ? column : column * rows + row);

// When a step begins, in nanoseconds.
function startOf(step) {
  const [width, parts] = [BigInt(facts.width), BigInt(perColumn)];
  return (BigInt(step) * width + parts - 1n) / parts;
}

// The weight of all steps before each, so that the weight of a range is a difference.
const before = sumSteps();

function sumSteps() {
  const sums = [0n];
  for (let step = 0; step < steps; step++) {
    const column = Math.floor(step / perColumn);
    const own = hasNames
      ? weights.reduce((sum, line) => sum + line[column], 0n)
      : weights[step % rows][column];
    sums.push(sums[step] + own);
  }
  return sums;
}

const weightBetween = (first, last) => before[last + 1] - before[first];

// Nanoseconds in seconds: exact, without zeros at the end, as in common's seconds.rs.
function seconds(time) {
  const fraction = String(time % 1000000000n).padStart(9, '0').replace(/0+$/, '');
  const whole = String(time / 1000000000n);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

const inDigits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const inThree = new Intl.NumberFormat('en-US', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];

// A weight in words: `1.24 s`, `1,204 samples`.
function counted(weight) {
  if (facts.nanoseconds !== '0') {
    const time = Number(weight * BigInt(facts.nanoseconds));
    const [size, name] = TIMES.find(([size]) => time >= size) ?? [1, 'ns'];
    const format = size === 1 || time / size >= 999.5 ? inDigits : inThree;
    return `${format.format(time / size)} ${name}`;
  }
  return weight === 1n ? facts.one : `${inDigits.format(weight)} ${facts.unit}`.trim();
}

// A share of the whole in percent. A small one never reads as 0%.
function percent(weight) {
  if (weight === 0n) return '0%';
  const share = (100 * Number(weight)) / Number(total);
  return share < 0.005 ? '<0.01%' : `${share.toFixed(2)}%`;
}
