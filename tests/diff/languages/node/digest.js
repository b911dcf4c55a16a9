// Checksums and packing.
"use strict";

const TABLE = fillTable();

function fillTable() {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    let value = i;
    for (let bit = 0; bit < 8; bit++) {
      value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    }
    table[i] = value;
  }
  return table;
}

function crc(bytes) {
  let value = -1;
  for (let at = 0; at < bytes.length; at++) {
    value = TABLE[(value ^ bytes[at]) & 255] ^ (value >>> 8);
  }
  return ~value >>> 0;
}

function adler(bytes) {
  let a = 1;
  let b = 0;
  for (let at = 0; at < bytes.length; at++) {
    a = (a + bytes[at]) % 65521;
    b = (b + a) % 65521;
  }
  return (b * 65536 + a) >>> 0;
}

function fnv(text) {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  }
  return hash >>> 0;
}

function packRuns(bytes) {
  const out = [];
  for (let at = 0; at < bytes.length; ) {
    let end = at + 1;
    while (end < bytes.length && bytes[end] === bytes[at]) {
      end++;
    }
    out.push(end - at, bytes[at]);
    at = end;
  }
  return out;
}

function packWords(text) {
  const known = new Map();
  let out = "";
  for (const word of text.split(" ")) {
    if (known.has(word)) {
      out += `#${known.get(word)}`;
    } else {
      known.set(word, known.size);
      out += word;
    }
  }
  return out;
}

function frequencies(bytes) {
  const counts = new Uint32Array(256);
  bytes.forEach((byte) => counts[byte]++);
  return counts;
}

function entropy(bytes) {
  let sum = 0;
  for (const count of frequencies(bytes)) {
    sum -= count ? (count / bytes.length) * Math.log2(count / bytes.length) : 0;
  }
  return sum;
}

function hexadecimal(bytes) {
  return Array.from(bytes.subarray(0, 60), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function digest(article) {
  const bytes = Buffer.from(article.text);
  const sums = crc(bytes) + adler(bytes) + fnv(article.text);
  return sums + packRuns(bytes).length + packWords(article.text).length + entropy(bytes) + hexadecimal(bytes).length;
}

function digestAll(articles) {
  return articles.reduce((sum, article) => sum + digest(article), 0);
}

module.exports = { digestAll };
