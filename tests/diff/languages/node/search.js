// An index of words, a tree of letters, a graph of links.
"use strict";

function words(text) {
  return text.match(/[a-z]+/g) || [];
}

function buildIndex(articles) {
  const index = new Map();
  for (const article of articles) {
    for (const word of words(article.text)) {
      let places = index.get(word);
      if (!places) {
        index.set(word, (places = new Set()));
      }
      places.add(article.number);
    }
  }
  return index;
}

class Node {
  constructor() {
    this.children = {};
    this.count = 0;
  }
}

function insertWord(root, word) {
  let node = root;
  for (let at = 0; at < word.length; at++) {
    const letter = word[at];
    node = node.children[letter] || (node.children[letter] = new Node());
  }
  node.count++;
}

function countNodes(node) {
  let count = 1;
  for (const letter in node.children) {
    count += countNodes(node.children[letter]);
  }
  return count;
}

function buildTree(articles) {
  const root = new Node();
  for (const article of articles) {
    words(article.text).forEach((word) => insertWord(root, word));
  }
  return root;
}

function links(dice, count) {
  const graph = [];
  for (let from = 0; from < count; from++) {
    graph.push([dice.below(count), dice.below(count), dice.below(count)]);
  }
  return graph;
}

function reach(graph) {
  const away = new Array(graph.length).fill(-1);
  const waiting = [0];
  away[0] = 0;
  for (let at = 0; at < waiting.length; at++) {
    for (const to of graph[waiting[at]]) {
      if (away[to] < 0) {
        away[to] = away[waiting[at]] + 1;
        waiting.push(to);
      }
    }
  }
  return Math.max(...away);
}

function rank(graph) {
  let ranks = new Float64Array(graph.length).fill(1);
  for (let step = 0; step < 5; step++) {
    const next = new Float64Array(graph.length).fill(0.15);
    graph.forEach((targets, from) => targets.forEach((to) => (next[to] += (0.85 * ranks[from]) / 3)));
    ranks = next;
  }
  return ranks[3];
}

function indexArticles(articles, dice) {
  const graph = links(dice, 300);
  return buildIndex(articles).size + countNodes(buildTree(articles)) + reach(graph) + rank(graph);
}

module.exports = { indexArticles };
