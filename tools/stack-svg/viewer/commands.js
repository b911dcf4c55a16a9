// The commands that do to folded stacks what the steps do here.

// Escaped for the regex crate and for regular expressions of this language.
const literal = (text) => text.replace(/[\\.+*?()|[\]{}^$#&~-]/g, '\\$&');

// A pattern for a part of names. Bytes that cannot be shown are written as digits.
function patternOf(text) {
  const parts = text.split(ESCAPES);
  return parts.map((part, at) => (at % 2 === 1 ? `(?-u:${part})` : literal(part))).join('');
}

// A word quoted for a shell.
const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

// The longest pattern of one option: a system may refuse a longer word.
const LONGEST_PATTERN = 30000;

// Patterns that together match the names of a module and no others: a short one, if it does so with
// the names in this profile, or else the names.
function patternsOfModule(module) {
  const text = patternOf(modules[module]);
  const short = [
    modules[module] === '[kernel]' && '_\\[k\\]$',
    `^${text}$`,
    `^${text}[.:!\`]`,
    `^${text}\\.[^A-Z]`,
    `^${text}(\\.|::)[^.:]*$`,
  ];
  const matchesIt = (pattern) => {
    const regex = new RegExp(pattern);
    // A pattern with a mark sees marks.
    const seen = pattern.includes('_\\[') ? markedName : functionName;
    return allNames.every((name) => regex.test(seen(name)) === (moduleOf[name] === module));
  };
  const found = !ESCAPES.test(modules[module]) && short.filter(Boolean).find(matchesIt);
  return found ? [found] : listsOf(allNames.filter((name) => moduleOf[name] === module));
}

function listsOf(ofModule) {
  const lists = [];
  let length = LONGEST_PATTERN;
  for (const pattern of new Set(ofModule.map((name) => patternOf(markedName(name))))) {
    length += pattern.length;
    if (length >= LONGEST_PATTERN) {
      lists.push([]);
      length = pattern.length;
    }
    lists.at(-1).push(pattern);
  }
  return lists.map((list) => `^(${list.join('|')})$`);
}

// Puts the values of the label above the stacks, as in the picture, before the first step that
// sees roots.
function commandOfSplit(at) {
  const first = state.steps.findIndex(({ letter }) => 'prke'.includes(letter));
  return SPLIT_LABEL && at === first ? `stack-merge --by-label ${SPLIT_LABEL} | ` : '';
}

// What the whole profile is called where its kinds of code are needed and only a part of it comes.
const WHOLE_FILE = 'profile.folded';

// The kinds of code are those of the whole profile. They are known from it as it comes, unless a
// step or a selection comes before.
function kindsOf(at) {
  const isFirst = at === 0 && commandOfSelection().length === 0;
  return isFirst && !whole.isLabelled ? '' : ` --kinds-of ${WHOLE_FILE}`;
}

// A pattern for this function alone.
const exactly = (name) => quoted(`^${patternOf(functionName(name))}$`);

const MARK_OF_INLINED = String.raw`'_\[i\](_\[.\])*$'`;

function commandOf({ letter, what }, at) {
  switch (letter) {
    case 'p': return `stack-grep --root ${exactly(what)}`;
    case 'o': return `stack-grep ${exactly(what)}`;
    case 'w': return `stack-grep -v ${exactly(what)}`;
    case 'h': return `stack-collapse-frames --drop ${exactly(what)}`;
    case 'r': return "LC_ALL=C sed 's/^[^;]*;//'";
    case 'i': return `stack-collapse-frames --drop ${MARK_OF_INLINED}`;
    case 'k': return `stack-collapse-frames --drop-kind ${what}${kindsOf(at)}`;
    case 'e': return `stack-grep --leaf ${what === INLINED ? MARK_OF_INLINED : `--kind ${what}${kindsOf(at)}`}`;
    case 'm': return `stack-collapse-frames --drop ${patternsOfModule(what).map(quoted).join(' --drop ')}`;
    default: return 'stack-fold-towers --max-period 1';
  }
}

function commandOfSteps() {
  const commands = [...commandOfSelection()];
  state.steps.forEach((step, at) => {
    const { letter, what } = step;
    // Kinds that are hidden one after the other are hidden by one command, which sees all frames.
    if (letter === 'k' && state.steps[at - 1]?.letter === 'k') commands.push(`${commands.pop()} --drop-kind ${what}`);
    else commands.push(commandOfSplit(at) + commandOf(step, at));
  });
  return commands.join(' | ');
}

// Shows the source of a function, of the stacks that the steps leave.
const commandOfSource = (name) => (
  [commandOfSteps(), `stack-source -e ${exactly(name)}`].filter(Boolean).join(' | ')
);
