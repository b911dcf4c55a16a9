// A puzzle of numbers in a grid: what takes the longest.
"use strict";

const SIZE = 32;

// The hot function: each number becomes the mean of those around it.
function relax(cells, next, repeats) {
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (let row = 1; row < SIZE - 1; row++) {
      for (let column = 1; column < SIZE - 1; column++) {
        const at = row * SIZE + column;
        next[at] = (cells[at - 1] + cells[at + 1] + cells[at - SIZE] + cells[at + SIZE] + cells[at]) / 5;
      }
    }
    const kept = cells;
    cells = next;
    next = kept;
  }
  return cells[(SIZE * SIZE) >> 1];
}

function newGrid(dice) {
  return Float64Array.from({ length: SIZE * SIZE }, () => dice.below(100));
}

function rowSums(cells) {
  const sums = [];
  for (let row = 0; row < SIZE; row++) {
    sums.push(cells.subarray(row * SIZE, (row + 1) * SIZE).reduce((sum, cell) => sum + cell, 0));
  }
  return sums;
}

function solvePuzzle(dice, repeats) {
  const cells = newGrid(dice);
  const largest = Math.max(...rowSums(cells));
  return largest + relax(cells, new Float64Array(SIZE * SIZE), repeats);
}

module.exports = { solvePuzzle };
