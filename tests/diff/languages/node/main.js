// A newspaper's night: articles are written, set, indexed and packed, and a puzzle is checked.
// Usage: main.js [ROUNDS]; with SLOWER=1 in the environment relax does 30 % more.
"use strict";
const { Dice, writeArticles } = require("./articles.js");
const { setArticles } = require("./markup.js");
const { indexArticles } = require("./search.js");
const { digestAll } = require("./digest.js");
const { sortAll } = require("./sorting.js");
const { solvePuzzle } = require("./puzzle.js");

function night(seed, repeats) {
  const dice = new Dice(seed);
  const articles = writeArticles(dice, 20);
  let sum = setArticles(articles);
  sum += indexArticles(articles, dice);
  sum += digestAll(articles);
  sum += sortAll(articles, dice);
  return sum + solvePuzzle(dice, repeats);
}

function main() {
  const rounds = Number(process.argv[2] || 1100);
  const repeats = process.env.SLOWER === "1" ? 650 : 500;
  let sum = 0;
  for (let round = 1; round <= rounds; round++) {
    sum = (sum * 31 + night(round, repeats)) % 1000003;
  }
  console.log(Math.floor(sum));
}

main();
