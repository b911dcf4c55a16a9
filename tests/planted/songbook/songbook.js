'use strict';
// Prints the index of a choir's song book: the songs by title, the composers
// with their songs, and a list of the titles that sound alike. The catalogue
// is made up first and written to a file, as the library would hand it over.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const SONGS = 46000;
const FIRST = ['Änglar', 'Båten', 'Dans', 'Élégie', 'Fjällets', 'Höst', 'Ökande', 'Sommar', 'Vår', 'Åter'];
const SECOND = ['sång', 'visa', 'vals', 'hymn', 'polska', 'psalm', 'marsch', 'ballad'];
const COMPOSERS = ['Ahlström', 'Berg', 'Öhrn', 'Ek', 'Ångman', 'Lind', 'Åkesson', 'Zetterberg'];

/** A small generator of numbers, the same ones in each run. */
function* numbers(seed) {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state >>> 8;
  }
}

function writeCatalogue(file) {
  const dice = numbers(12);
  const pick = (list) => list[dice.next().value % list.length];
  const lines = [];
  for (let i = 0; i < SONGS; i++) {
    const title = `${pick(FIRST)} ${pick(SECOND)} nr ${1 + (dice.next().value % 400)}`;
    const composer = `${pick(COMPOSERS)}, ${String.fromCharCode(65 + (i % 26))}.`;
    lines.push([title, composer, 1 + (dice.next().value % 6), 900 + (i % 90)].join('\t'));
  }
  fs.writeFileSync(file, lines.join('\n'));
}

function parseSong(line) {
  const [title, composer, voices, page] = line.split('\t');
  return { title, composer, voices: Number(voices), page: Number(page) };
}

function readCatalogue(file) {
  return fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parseSong);
}

class Index {
  constructor(songs) {
    this.songs = songs;
  }

  /** The order of the printed index, as a Swedish reader expects it. */
  static compare(a, b) {
    return (
      a.title.localeCompare(b.title, 'sv', { numeric: true, sensitivity: 'base' }) ||
      a.page - b.page
    );
  }

  byTitle() {
    return [...this.songs].sort(Index.compare);
  }

  byComposer() {
    const groups = new Map();
    for (const song of this.songs) {
      const group = groups.get(song.composer);
      if (group) group.push(song);
      else groups.set(song.composer, [song]);
    }
    return groups;
  }

  /** How many songs there are for each number of voices. */
  voicings() {
    return this.songs.reduce((counts, { voices }) => {
      counts[voices] = (counts[voices] ?? 0) + 1;
      return counts;
    }, {});
  }
}

/** A rough key of how a title sounds. */
function soundKey(title) {
  return title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[aeiouy]+/g, 'a')
    .replace(/(.)\1+/g, '$1')
    .replace(/[^a-z0-9]/g, '');
}

function alike(songs) {
  const groups = new Map();
  for (const { title } of songs) {
    const key = soundKey(title);
    groups.set(key, (groups.get(key) ?? new Set()).add(title));
  }
  return [...groups.values()].filter((titles) => titles.size > 1);
}

function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length + 1 > width) lines.push('  ' + word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}

function layOut(index) {
  const lines = [];
  for (const song of index.byTitle()) {
    const entry = `${song.title} (${song.composer}) for ${song.voices} voices`;
    const wrapped = wrap(entry, 34);
    wrapped[wrapped.length - 1] = wrapped[wrapped.length - 1].padEnd(38, '.') + song.page;
    lines.push(...wrapped);
  }
  for (const [composer, songs] of index.byComposer()) {
    const pages = [...new Set(songs.map((song) => song.page))].sort((a, b) => a - b);
    lines.push(...wrap(`${composer} ${pages.join(' ')}`, 40));
  }
  return lines;
}

function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'songbook-'));
  try {
    const file = path.join(folder, 'catalogue.tsv');
    writeCatalogue(file);
    const index = new Index(readCatalogue(file));
    const lines = layOut(index);
    fs.writeFileSync(path.join(folder, 'index.txt'), lines.join('\n'));
    console.log(lines.slice(0, 4).join('\n'));
    console.log(`${lines.length} lines, voicings`, index.voicings());
    console.log(`${alike(index.songs).length} groups of titles sound alike`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

main();
