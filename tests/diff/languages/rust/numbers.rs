//! Numbers: matrices, primes, sorting.

use crate::Random;

#[inline(never)]
fn multiply(left: &[f64], right: &[f64], size: usize) -> Vec<f64> {
    let mut product = vec![0.0; size * size];
    for row in 0..size {
        for middle in 0..size {
            for column in 0..size {
                product[row * size + column] +=
                    left[row * size + middle] * right[middle * size + column];
            }
        }
    }
    product
}

#[inline(never)]
fn sieve(limit: usize) -> usize {
    let mut crossed = vec![false; limit];
    let mut count = 0;
    for number in 2..limit {
        if !crossed[number] {
            count += 1;
            (2 * number..limit).step_by(number).for_each(|other| crossed[other] = true);
        }
    }
    count
}

#[inline(never)]
fn heap_sort(numbers: &mut [u64]) {
    for start in (0..numbers.len() / 2).rev() {
        sift_down(numbers, start);
    }
    for end in (1..numbers.len()).rev() {
        numbers.swap(0, end);
        sift_down(&mut numbers[..end], 0);
    }
}

#[inline(never)]
fn sift_down(numbers: &mut [u64], mut start: usize) {
    loop {
        let mut child = 2 * start + 1;
        if child >= numbers.len() {
            return;
        }
        if child + 1 < numbers.len() && numbers[child] < numbers[child + 1] {
            child += 1;
        }
        if numbers[start] >= numbers[child] {
            return;
        }
        numbers.swap(start, child);
        start = child;
    }
}

#[inline(never)]
fn quick_sort(numbers: &mut [u64]) {
    if numbers.len() < 2 {
        return;
    }
    let pivot = numbers[numbers.len() / 2];
    let (mut low, mut high) = (0, numbers.len() - 1);
    loop {
        while numbers[low] < pivot {
            low += 1;
        }
        while numbers[high] > pivot {
            high -= 1;
        }
        if low >= high {
            break;
        }
        numbers.swap(low, high);
        low += 1;
        high -= 1;
    }
    let (left, right) = numbers.split_at_mut(low);
    quick_sort(left);
    quick_sort(right);
}

#[inline(never)]
fn median(numbers: &[u64]) -> u64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

#[inline(never)]
fn collatz(most: u64) -> u64 {
    (1..most)
        .map(|start| {
            let (mut number, mut steps) = (start, 0);
            while number != 1 {
                number = if number % 2 == 0 { number / 2 } else { 3 * number + 1 };
                steps += 1;
            }
            steps
        })
        .max()
        .unwrap_or(0)
}

#[inline(never)]
fn greatest_divisors(numbers: &[u64]) -> u64 {
    numbers
        .windows(2)
        .map(|pair| {
            let (mut a, mut b) = (pair[0], pair[1]);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        })
        .sum()
}

pub fn measure(random: &mut Random) -> u64 {
    let numbers: Vec<u64> = (0..3000).map(|_| random.next() >> 30).collect();
    let matrix: Vec<f64> = numbers.iter().take(48 * 48).map(|&it| it as f64).collect();
    let product = multiply(&matrix, &matrix, 48);
    let (mut one, mut other) = (numbers.clone(), numbers.clone());
    heap_sort(&mut one);
    quick_sort(&mut other);
    let found = median(&numbers) + collatz(1200) + greatest_divisors(&numbers[..500]);
    found + product[7] as u64 % 1000 + sieve(20000) as u64 + u64::from(one == other)
}
