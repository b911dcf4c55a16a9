'use strict';
// Takes in scanned pages over a socket. A page arrives as one message: the
// length of its head, the head (JSON) and the grey values of its dots. Each
// page is checked, its contrast is measured and a small preview is kept.
// A scanner in the same program sends a few large pages to it on localhost.

const net = require('node:net');
const { once } = require('node:events');
const { setImmediate: breathe } = require('node:timers/promises');

const PAGES = 11;
const WIDTH = 3400;
const HEIGHT = 4600;
const PREVIEW = 16;

/** Draws a page: paper with noise and dark lines of text. */
function draw(number) {
  const dots = Buffer.allocUnsafe(WIDTH * HEIGHT);
  let state = number + 1;
  for (let y = 0, at = 0; y < HEIGHT; y++) {
    const text = y % 90 < 30 + number;
    for (let x = 0; x < WIDTH; x++, at++) {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      const noise = (state >>> 16) & 31;
      dots[at] = text && ((x >> 4) * 7 + number) % 5 < 3 ? 20 + noise : 220 + noise;
    }
  }
  return dots;
}

/** A checksum of the dots, every 16th of them. */
function checksum(dots) {
  let low = 1;
  let high = 0;
  for (let at = 0; at < dots.length; at += 16) {
    low = (low + dots[at]) % 65521;
    high = (high + low) % 65521;
  }
  return high * 65536 + low;
}

function contrast(dots) {
  const counts = new Uint32Array(256);
  for (let at = 0; at < dots.length; at++) counts[dots[at]]++;
  const level = (share) => {
    let seen = 0;
    return counts.findIndex((count) => (seen += count) >= share * dots.length);
  };
  return level(0.95) - level(0.05);
}

/** Makes the page smaller, each dot the mean of a square. */
function preview(dots, width, height) {
  const small = Buffer.alloc(Math.floor(width / PREVIEW) * Math.floor(height / PREVIEW));
  let to = 0;
  for (let top = 0; top + PREVIEW <= height; top += PREVIEW) {
    for (let left = 0; left + PREVIEW <= width; left += PREVIEW) {
      let sum = 0;
      for (let y = top; y < top + PREVIEW; y += 2) {
        for (let x = left; x < left + PREVIEW; x += 2) sum += dots[y * width + x];
      }
      small[to++] = sum / (PREVIEW * PREVIEW / 4);
    }
  }
  return small;
}

/** Puts the pieces that a socket delivers together to pages. */
class Receiver {
  constructor(onPage) {
    this.onPage = onPage;
    this.head = null;
    this.pending = Buffer.alloc(0);
  }

  take(piece) {
    this.pending = Buffer.concat([this.pending, piece]);
    for (;;) {
      if (!this.head && !this.readHead()) return;
      const { length } = this.head;
      if (this.pending.length < length) return;
      this.onPage(this.head, this.pending.subarray(0, length));
      this.pending = this.pending.subarray(length);
      this.head = null;
    }
  }

  readHead() {
    if (this.pending.length < 4) return false;
    const end = 4 + this.pending.readUInt32BE(0);
    if (this.pending.length < end) return false;
    this.head = JSON.parse(this.pending.toString('utf8', 4, end));
    this.pending = this.pending.subarray(end);
    return true;
  }
}

/** Keeps what is known of the pages that came in. */
class Archive {
  pages = [];

  add(head, dots) {
    if (checksum(dots) !== head.checksum) throw new Error(`page ${head.number} is damaged`);
    this.pages.push({
      number: head.number,
      contrast: contrast(dots),
      preview: preview(dots, head.width, head.height),
    });
  }

  print() {
    for (const { number, contrast, preview } of this.pages) {
      const mean = preview.reduce((sum, dot) => sum + dot, 0) / preview.length;
      console.log(`page ${number}: contrast ${contrast}, mean grey ${mean.toFixed(1)}`);
    }
  }
}

async function scan(port) {
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  for (let number = 0; number < PAGES; number++) {
    const dots = draw(number);
    const head = Buffer.from(JSON.stringify({
      number, width: WIDTH, height: HEIGHT, length: dots.length, checksum: checksum(dots),
    }));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(head.length);
    socket.write(length);
    socket.write(head);
    if (!socket.write(dots)) await once(socket, 'drain');
    await breathe();
  }
  socket.end();
}

async function main() {
  const archive = new Archive();
  const server = net.createServer((socket) => {
    const receiver = new Receiver((head, dots) => archive.add(head, dots));
    socket.on('data', (piece) => receiver.take(piece));
    socket.on('end', () => server.close());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await scan(server.address().port);
  await once(server, 'close');
  archive.print();
}

main();
