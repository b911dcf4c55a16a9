// From articles to HTML, and through JSON.
"use strict";

function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function emphasize(text) {
  return text.replace(/\*([^*]+)\*/g, "<em>$1</em>");
}

function capitalize(text) {
  return text.split(". ").map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join(". ");
}

function wrap(text, width) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line.length + word.length >= width) {
      lines.push(line);
      line = "";
    }
    line += word + " ";
  }
  lines.push(line);
  return lines;
}

function justify(line, width) {
  const gaps = width - line.trim().length;
  return " ".repeat(Math.max(0, gaps >> 1)) + line.trim();
}

function toHtml(article) {
  const lines = wrap(capitalize(article.text), 40).map((line) => justify(line, 40));
  return `<h1>${emphasize(escapeHtml(article.title))}</h1>\n<p>${lines.join("\n")}</p>`;
}

function tokens(html) {
  const found = [];
  for (let at = 0; at < html.length; ) {
    const end = html[at] === "<" ? html.indexOf(">", at) + 1 : html.indexOf("<", at);
    found.push(html.slice(at, end < 0 ? html.length : end));
    at = end <= 0 ? html.length : end;
  }
  return found;
}

function depth(list) {
  let deepest = 0;
  let now = 0;
  for (const token of list) {
    if (token.startsWith("</")) {
      now--;
    } else if (token.startsWith("<")) {
      now++;
    }
    deepest = Math.max(deepest, now);
  }
  return deepest;
}

function throughJson(articles) {
  const text = JSON.stringify(articles);
  return JSON.parse(text).length + text.length;
}

function setArticles(articles) {
  let sum = throughJson(articles);
  for (const article of articles) {
    const html = toHtml(article);
    sum += html.length + depth(tokens(html));
  }
  return sum;
}

module.exports = { setArticles };
