//! Closures and iterators, which are inlined into each other.

use std::hint::black_box;

#[inline(never)]
fn leaf(n: u64) -> u64 {
    (0..n).fold(0, |sum, i| black_box(sum ^ i.wrapping_mul(31)))
}

#[inline(never)]
fn squares(numbers: &[u64]) -> u64 {
    numbers
        .iter()
        .filter(|n| **n % 3 != 0)
        .map(|n| leaf(*n).wrapping_add(leaf(n / 2)))
        .max()
        .unwrap_or(0)
}

#[inline(never)]
fn sorted(numbers: &mut [u64]) -> u64 {
    numbers.sort_by_key(|n| leaf(n / 64));
    numbers.first().copied().unwrap_or(0)
}

fn main() {
    let mut numbers: Vec<u64> = (0..300).map(|i| 40_000 + i * 7919 % 1000).collect();
    let mut sum = 0u64;
    for _ in 0..60 {
        sum = sum.wrapping_add(squares(&numbers));
        sum = sum.wrapping_add(sorted(&mut numbers));
    }
    assert!(sum > 0);
}
