// Names that fit into their boxes, as in fit.rs: shortened, or left out.

// Chinese, Japanese, Korean and emoji take two columns.
const isWide = (letter) => {
  const code = letter.codePointAt(0);
  return code >= 0x1100 && !(code >= 0x2010 && code <= 0x2027) && code !== 0x2212;
};
const columns = (text) => Array.from(text).reduce((sum, one) => sum + (isWide(one) ? 2 : 1), 0);
const fits = (text, room) => columns(text) <= room;

const PLAIN = /^[\x20-\x7e\u2026\u2212]*$/;

// A name cut to fewer letters than this is left out; with letters of two columns, to fewer columns.
const LEAST_LETTERS = 6;
const LEAST_OF_WIDE = 3;

// A name cut to fewer letters than this shows only its end.
const LEAST_OF_BOTH = 14;

// The name in `room` columns. The function's own name is kept longest, then the last name of its
// class, then the arguments of the class, then those of the function, then the outer modules; empty
// if there is too little room to be of use.
function fitted(text, room) {
  if (text.length <= room && PLAIN.test(text)) return text;
  if (fits(text, room)) return text;
  if (room < 2) return '';
  const parts = partsOf(text);
  const { modules, start, own, end } = parts;
  const tails = [...modules, start].filter((at) => at > 0).map((at) => text.slice(at));
  const tail = tails.find((one) => fits(one, room - 1));
  if (tail !== undefined) return `…${tail}`;
  const name = text.slice(own, end);
  return withoutArguments(text, parts, room) ?? withClassName(text, parts, room)
    ?? (fits(name, room - 1) ? dotted(name, own > 0) : cutName(name, room));
}

// The class and the own name, and as much of the arguments as fits.
function withoutArguments(text, { start, end }, room) {
  const kept = text.slice(start, end);
  const before = start > 0 ? '…' : '';
  const left = room - columns(before + kept);
  if (left < 0 || (left === 0 && before === '')) return null;
  if (left <= LEAST_LETTERS) return dotted(kept, start > 0);
  return `${before}${kept}${fitting(Array.from(text.slice(end)), left - 1)}…`;
}

// The last name of the class without arguments, and the own name: `…vector::push_back`. The name
// of the class itself is cut if enough of it is left.
function withClassName(text, { className: [from, to], classEnd, end }, room) {
  const word = text.slice(from, to);
  const name = text.slice(classEnd, end);
  const left = room - 1 - columns(name);
  if (fits(word, left)) {
    if (word === '') return null;
    return from > 0 ? `…${word}${name}` : `${word}…${name}`;
  }
  return left < LEAST_LETTERS ? null : `${fitting(Array.from(word), left)}…${name}`;
}

// A part of a name, with the dots where something was cut off.
const dotted = (part, isCutBefore) => (isCutBefore ? `…${part}` : `${part}…`);

// A name that is too long by itself: shortened in the middle, or to its end.
function cutName(name, room) {
  const letters = Array.from(name);
  const least = columns(name) > letters.length ? LEAST_OF_WIDE : LEAST_LETTERS;
  if (room < least) return '';
  const tail = room < LEAST_OF_BOTH ? room - 1 : Math.floor(room / 2);
  const behind = Array.from(fitting(letters.slice().reverse(), tail)).reverse().join('');
  return `${fitting(letters, room - 1 - tail)}…${behind}`;
}

// The first of these letters that fit.
function fitting(letters, room) {
  let left = room;
  const end = letters.findIndex((letter) => (left -= isWide(letter) ? 2 : 1) < 0);
  return letters.slice(0, end < 0 ? letters.length : end).join('');
}

// The name and the text after it; only the name if there is no room.
function fittedWith(name, said, room) {
  const left = room - said.length - 1;
  return left < LEAST_LETTERS ? fitted(name, room) : `${fitted(name, left)} ${said}`;
}

// The ends of words that are not functions: of clones, and of files.
const SUFFIX = /^(cold|py|js|rb|so|sh|exe|dll|func\d.*)$/s;

// Whether a word is the name of a function, and not a closure or the hash of a symbol of Rust.
const NAME = /^(?!h[\da-f]{16}$)[a-z_~$*(\u0080-\uffff]/i;

// An operator of C++, a separator, and the path of a file.
const OPERATOR = /operator(\(\)|\[\]|[<>=!+\-*/%^&|~,]+)/y;
const SEPARATOR = /(?:::|\.)(?=[^])/y;
const PATH = /:\/| \/| node:| file:/y;

const isAt = (pattern, text, at) => {
  pattern.lastIndex = at;
  return pattern.test(text);
};

const knownParts = new Map();

// The parts of a name, computed once: every draw needs them.
function partsOf(text) {
  if (!knownParts.has(text)) knownParts.set(text, findParts(text));
  return knownParts.get(text);
}

// Where the parts of a name begin and end, as in name_parts.rs: where it can be cut in front,
// its class and the last name of that, the function's own name, and the end of that.
function findParts(text) {
  const parts = componentsOf(text);
  const own = parts.findLastIndex((_, at) => isNamed(parts, at));
  if (own < 0) return { modules: [], start: 0, className: [0, 0], classEnd: 0, own: 0, end: text.length };
  const { start: from, word } = parts[own];
  const class_ = own === 0 ? from : parts[own - 1].start;
  const start = startOfClass(text, class_, from);
  const classEnd = class_ + text.slice(class_, from).replace(/[:.]+$/, '').length;
  const className = nameOfClass(text, class_, start, classEnd);
  // A return type comes before the name, and is not one of its modules.
  const typed = parts.slice(0, own).findLastIndex((one) => one.word.includes(' '));
  const starts = parts.slice(Math.max(typed, 0), own).map((one) => one.start + one.word.lastIndexOf(' ') + 1);
  const modules = starts.filter((at) => at > 0 && at < start);
  return { modules, start, className, classEnd, own: from, end: from + word.trimEnd().length };
}

// The text is cut at each `::` and `.` outside of brackets, up to the path of a file.
function componentsOf(text) {
  const parts = [];
  const open = [];
  let [start, end, at] = [0, -1, 0];
  const push = () => parts.push({ start, word: text.slice(start, end < 0 ? at : end) });
  while (at < text.length && (open.length > 0 || !isAt(PATH, text, at))) {
    if (at === start && isAt(OPERATOR, text, at)) {
      at = OPERATOR.lastIndex;
    } else if (open.length === 0 && at > start && isAt(SEPARATOR, text, at)) {
      push();
      start = at = SEPARATOR.lastIndex;
      end = -1;
    } else {
      if (open.length === 0 && at > start && end < 0 && '(<[{'.includes(text[at])) end = at;
      stepTo(text, at++, open);
    }
  }
  push();
  return parts;
}

// Opens or closes a bracket. `->`, and `>` within other brackets, are not brackets.
function stepTo(text, at, open) {
  const letter = text[at];
  if ('(<[{'.includes(letter)) open.push(letter);
  else if (letter === '>' && text[at - 1] !== '-' && open.at(-1) === '<') open.pop();
  else if (')]}'.includes(letter)) while (open.pop() === '<');
}

function isNamed(parts, at) {
  const { word } = parts[at];
  const isClone = /^\d/.test(parts[at + 1]?.word);
  const isOfClosure = word === 'operator()' && parts[at - 1]?.word[0] === '{';
  return NAME.test(word) && !(at > 0 && (isClone || SUFFIX.test(word))) && !isOfClosure;
}

// Where the class begins, after its modules and a type before it.
function startOfClass(text, from, own) {
  const part = text.slice(from, own);
  if (part[0] !== '<') return from + /^[^<([]*[/ ]|/.exec(part)[0].length;
  return from + /^<([^< (>]*::)?/.exec(part)[0].length;
}

// Where the last name of a class begins and ends, without its arguments.
function nameOfClass(text, from, start, end) {
  const part = text.slice(from, end);
  if (part[0] === '<') {
    // `<a::Vec<T> as Drop>` of Rust.
    return nameOfType(part.slice(1).replace(/>$/, '')).map((at) => from + 1 + at);
  }
  // `(*conn)` of Go.
  const before = text.startsWith('(*', start) && start < end ? 2 : 0;
  const word = text.slice(start + before, end);
  const open = word.search(/[<([{]/);
  const length = open < 0 ? word.search(/\)/) : open;
  if (length === 0) return [start, end];
  return length < 0 ? [start + before, end] : [start + before, start + before + length];
}

// The last name of a type of Rust: `Vec` of `&mut a::Vec<T> as Drop` and `impl Drop for a::Vec<T>`.
function nameOfType(text) {
  const as = findOutside(text, ' as ');
  const end = as < 0 ? text.length : as;
  const isFor = findOutside(text.slice(0, end), ' for ');
  const type = isFor < 0 ? 0 : isFor + ' for '.length;
  const start = type + /^(?:impl |dyn |mut |const |&|\*)*/.exec(text.slice(type, end))[0].length;
  const path = /^[^ <([{]*/.exec(text.slice(start, end))[0].replace(/(?:::)+$/, '');
  if (path === '') return [start, end];
  const last = path.lastIndexOf('::');
  return [start + (last < 0 ? 0 : last + 2), start + path.length];
}

// Where the first such word outside of brackets is; -1 if there is none.
function findOutside(text, word) {
  const open = [];
  for (let at = 0; at < text.length; at++) {
    stepTo(text, at, open);
    if (open.length === 0 && text.startsWith(word, at)) return at;
  }
  return -1;
}
