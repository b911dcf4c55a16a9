// Search: in all names, drawn or not.

const LONGEST_QUERY = 500;

let smallNames = null;

// Parses a query: text, or a regular expression as /re/. Case matters only if
// the query has a capital letter.
function parsed(query) {
  const pattern = /^\/(.+)\/(i?)$/s.exec(query);
  const source = pattern === null ? query : pattern[1];
  const isExact = /\p{Lu}/u.test(source.replace(/\\[a-zA-Z]/g, '')) && !pattern?.[2];
  return { source, isExact, isPattern: pattern !== null };
}

function textMatcher({ source, isExact }) {
  if (isExact) return (name) => bareNames[name].includes(source);
  // Faster than one name after another.
  smallNames ??= bareNames.join('\n').toLowerCase().split('\n');
  const small = source.toLowerCase();
  return (name) => smallNames[name].includes(small);
}

// The frames that a query finds. A broken pattern finds none, and is reported. A pattern runs
// elsewhere, see pattern.js; `error` says so until the frames are known.
class Hits {
  constructor(query) {
    this.query = query.slice(0, LONGEST_QUERY);
    this.error = '';
    this.names = new Uint8Array(names.length);
    this.forget();
    const search = parsed(this.query);
    // The worker is ready when the reader has typed the pattern.
    if (query[0] === '/') readyWorker();
    if (search.isPattern) return findPattern(search, this);
    const matches = textMatcher(search);
    for (let name = 0; name < names.length; name++) if (matches(name)) this.names[name] = 1;
  }

  // Forgets what depends on the tree that is shown, or on the names that are found.
  forget() {
    this.reached = null;
    this.under = null;
    this.depths = null;
  }

  has(name) {
    return name !== NOBODY && this.names[name] === 1;
  }

  // Whether the frame or one of its ancestors that are shown is found.
  reach(node) {
    const top = outermost();
    if (this.reached === null || this.top !== top) {
      this.reached = new Uint8Array(tree.count);
      this.top = top;
      for (let at = Math.max(top, 1); at < tree.end[top]; at++) {
        const above = at === top ? 0 : this.reached[tree.parent[at]];
        this.reached[at] = this.names[tree.name[at]] | above;
      }
    }
    return this.reached[node] === 1;
  }

  // The depth of the last frame of a stack that is found; 0 if none is.
  deepest(node) {
    if (this.depths === null) {
      this.depths = new Uint32Array(tree.count);
      for (let at = 1; at < tree.count; at++) {
        this.depths[at] = this.has(tree.name[at]) ? tree.depth[at] : this.depths[tree.parent[at]];
      }
    }
    return this.depths[node];
  }

  // The weight of the stacks through a frame in which it or a descendant is
  // found, each stack counted once.
  below(node) {
    if (this.under === null) {
      this.under = new Weights(tree.count);
      for (let at = tree.count - 1; at > 0; at--) {
        if (this.has(tree.name[at])) this.under[at] = tree.total[at];
        this.under[tree.parent[at]] += this.under[at];
      }
    }
    return this.under[node];
  }
}
