// Ways to sort.
"use strict";

function byAuthor(articles) {
  return [...articles].sort((a, b) => (a.author < b.author ? -1 : a.author > b.author ? 1 : a.number - b.number));
}

function merge(left, right) {
  const out = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    out.push(left[i] <= right[j] ? left[i++] : right[j++]);
  }
  return out.concat(left.slice(i), right.slice(j));
}

function mergeSort(numbers) {
  if (numbers.length < 2) {
    return numbers;
  }
  const middle = numbers.length >> 1;
  return merge(mergeSort(numbers.slice(0, middle)), mergeSort(numbers.slice(middle)));
}

function quickSort(numbers) {
  if (numbers.length < 2) {
    return numbers;
  }
  const [pivot, ...rest] = numbers;
  const low = rest.filter((number) => number < pivot);
  const high = rest.filter((number) => number >= pivot);
  return [...quickSort(low), pivot, ...quickSort(high)];
}

function siftDown(heap, start, end) {
  for (let at = start; 2 * at + 1 < end; ) {
    let child = 2 * at + 1;
    if (child + 1 < end && heap[child] < heap[child + 1]) {
      child++;
    }
    if (heap[at] >= heap[child]) {
      return;
    }
    [heap[at], heap[child]] = [heap[child], heap[at]];
    at = child;
  }
}

function heapSort(numbers) {
  const heap = numbers.slice();
  for (let start = heap.length >> 1; start >= 0; start--) {
    siftDown(heap, start, heap.length);
  }
  for (let end = heap.length - 1; end > 0; end--) {
    [heap[0], heap[end]] = [heap[end], heap[0]];
    siftDown(heap, 0, end);
  }
  return heap;
}

function groups(articles) {
  const found = {};
  for (const { author, number } of articles) {
    (found[author] = found[author] || []).push(number);
  }
  return Object.keys(found).length;
}

function sortAll(articles, dice) {
  const numbers = Array.from({ length: 300 }, () => dice.next());
  const sorted = [mergeSort(numbers), quickSort(numbers), heapSort(numbers)];
  return byAuthor(articles)[2].number + groups(articles) + (sorted[0][7] === sorted[2][7] ? sorted[1][9] % 100 : 0);
}

module.exports = { sortAll };
