//! A library's night: makes texts, counts and compresses them, draws a fractal, writes a report.
//! Usage: library [ROUNDS]; with SLOWER=1 in the environment `escape_time` does 30 % more.

mod compress;
mod fractal;
mod index;
mod numbers;
mod text;

use std::env;

/// Some numbers that look random.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

fn night(seed: u64, repeats: usize) -> u64 {
    let mut random = Random::new(seed);
    let pages: Vec<String> = (0..12).map(|_| text::page(&mut random)).collect();
    let mut sum = 0;
    for page in &pages {
        sum += text::study(page);
        sum += compress::round_trip(page.as_bytes());
    }
    sum += index::search(&pages, &mut random);
    sum += numbers::measure(&mut random);
    sum + fractal::draw(40, 24, repeats)
}

fn main() {
    let rounds = env::args().nth(1).map_or(400, |it| it.parse().expect("a number"));
    let repeats = if env::var("SLOWER").as_deref() == Ok("1") { 104 } else { 80 };
    let sum = (0..rounds)
        .fold(0, |sum: u64, round| sum.wrapping_mul(31).wrapping_add(night(round + 1, repeats)));
    println!("{sum}");
}
