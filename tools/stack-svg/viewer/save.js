// Saves the stacks that are shown as a file of folded lines.

const PART = 1 << 20;

// Collects bytes in parts of a file.
class FileParts {
  constructor() {
    this.parts = [];
    this.bytes = new Uint8Array(PART);
    this.used = 0;
  }

  add(bytes) {
    if (this.used + bytes.length > this.bytes.length) {
      this.parts.push(this.bytes.subarray(0, this.used));
      this.bytes = new Uint8Array(Math.max(PART, bytes.length));
      this.used = 0;
    }
    this.bytes.set(bytes, this.used);
    this.used += bytes.length;
  }

  blob() {
    return new Blob([...this.parts, this.bytes.subarray(0, this.used)], { type: 'text/plain' });
  }
}

// The stacks as folded lines, in the order of the flame graph; in a flame chart,
// in that of time.
function foldedStacks() {
  const file = new FileParts();
  const bytes = names.map(() => null);
  const { ownBefore, ownAfter } = tree;
  // What is not yet written of a flame chart.
  const rest = tree.own.slice();
  let path = new Uint8Array(4096);
  // The open frames, and where the name of each ends in the path.
  const open = [];
  const ends = [];
  const write = (counts) => {
    if (open.length === 0 || counts.every((count) => !count)) return;
    file.add(path.subarray(0, ends.at(-1)));
    file.add(encoder.encode(` ${counts.join(' ')}\n`));
  };
  const close = (before) => {
    while (open.length > 0 && before >= tree.end[open.at(-1)]) {
      const node = open.at(-1);
      write(isDiff ? [ownBefore[node], ownAfter[node]] : [rest[node]]);
      open.pop();
      ends.pop();
    }
  };
  for (let node = 1; node < tree.count; node++) {
    close(node);
    if (isChart && open.length > 0) {
      write([tree.gap[node]]);
      rest[open.at(-1)] -= tree.gap[node];
    }
    const name = (bytes[tree.name[node]] ??= bytesOf(tree.name[node]));
    const start = open.length === 0 ? 0 : ends.at(-1) + 1;
    while (start + name.length >= path.length) path = longer(path);
    if (start > 0) path[start - 1] = 0x3b;
    path.set(name, start);
    open.push(node);
    ends.push(start + name.length);
  }
  close(tree.count);
  return file.blob();
}

function save() {
  const link = makeIn(page.app, 'a');
  link.href = URL.createObjectURL(foldedStacks());
  link.download = `${/([^/]+?)(\.\w+)?$/.exec(location.pathname)?.[1] ?? 'stacks'}.folded`;
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  say(`saved: ${link.download}`);
}
