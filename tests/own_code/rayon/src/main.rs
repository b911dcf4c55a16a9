//! A program whose work is done in closures and in functions, on rayon's threads.

use rayon::prelude::*;
use std::collections::HashMap;

struct Counts {
    words: HashMap<String, u64>,
}

impl Counts {
    /// Too long to be inlined into rayon's functions.
    #[inline(never)]
    fn of(text: &str) -> Counts {
        let mut words = HashMap::new();
        for word in text.split_whitespace() {
            *words.entry(word.to_owned()).or_insert(0) += hash_word(word) % 3 + 1;
        }
        Counts { words }
    }
}

fn hash_word(word: &str) -> u64 {
    word.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte as u64))
}

#[inline(never)]
fn sort_all(mut words: Vec<(String, u64)>) -> Vec<(String, u64)> {
    words.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    words
}

#[inline(never)]
fn score(seed: u64) -> f64 {
    let roots = (1..2000u64).map(|it| ((seed * it % 977) as f64).sqrt());
    roots.filter(|it| *it > 3.0).map(|x| x * 0.5).sum()
}

fn main() {
    let text: String = (0..200_000u64).map(|n| format!("w{} ", n * n % 9973)).collect();
    let mut total = 0.0;
    for round in 0..8 {
        let counts: Vec<Counts> = (0..4).into_par_iter().map(|_| Counts::of(&text)).collect();
        let words = counts.into_iter().flat_map(|counts| counts.words).collect();
        let sorted = sort_all(words).len() as u64;
        total += (0..4000u64).into_par_iter().map(|n| score(n + round + sorted)).sum::<f64>();
    }
    println!("{total}");
}
