// Articles, made of numbers that look random.
"use strict";

class Dice {
  constructor(seed) {
    this.state = (seed * 2654435761) >>> 0 || 1;
  }

  next() {
    let state = this.state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.state = state >>> 0;
    return this.state;
  }

  below(limit) {
    return this.next() % limit;
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}

const WORDS = "mayor river bridge strike goal match rain storm market price vote school train the a of".split(" ");
const AUTHORS = ["Kafka", "Tolstoi", "Woolf", "Camus", "Lem", "Saramago"];

class Article {
  constructor(number, author, title, text) {
    this.number = number;
    this.author = author;
    this.title = title;
    this.text = text;
  }
}

function sentence(dice) {
  const words = [];
  for (let i = 0, length = 4 + dice.below(8); i < length; i++) {
    words.push(dice.pick(WORDS));
  }
  return words.join(" ") + ". ";
}

function paragraph(dice) {
  let text = "";
  for (let i = 0; i < 8; i++) {
    text += sentence(dice);
  }
  return text;
}

function writeArticles(dice, count) {
  const articles = [];
  for (let number = 0; number < count; number++) {
    const title = `*${dice.pick(WORDS)}* and ${dice.pick(WORDS)}`;
    articles.push(new Article(number, dice.pick(AUTHORS), title, paragraph(dice)));
  }
  return articles;
}

module.exports = { Dice, writeArticles };
