//! Texts and their words.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::Random;

const SYLLABLES: [&str; 12] =
    ["ba", "ke", "lo", "mi", "nu", "ra", "se", "to", "vi", "wu", "za", "chen"];

fn word(random: &mut Random) -> String {
    (0..1 + random.below(3)).map(|_| SYLLABLES[random.below(SYLLABLES.len())]).collect()
}

fn sentence(random: &mut Random) -> String {
    let words: Vec<String> = (0..4 + random.below(9)).map(|_| word(random)).collect();
    let mut text = words.join(" ");
    text.push('.');
    text
}

#[inline(never)]
pub fn page(random: &mut Random) -> String {
    let mut page = String::new();
    for number in 0..70 {
        write!(page, "{number}: {}\n", sentence(random)).expect("a string takes all");
    }
    page
}

#[inline(never)]
fn count_words(page: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in page.split_ascii_whitespace() {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

#[inline(never)]
fn most_common<'a>(counts: &HashMap<&'a str, usize>) -> Vec<(&'a str, usize)> {
    let mut sorted: Vec<_> = counts.iter().map(|(&word, &count)| (word, count)).collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    sorted.truncate(20);
    sorted
}

#[inline(never)]
fn title_case(page: &str) -> String {
    let mut start = true;
    page.chars()
        .map(|letter| {
            let title = if start { letter.to_ascii_uppercase() } else { letter };
            start = letter == ' ';
            title
        })
        .collect()
}

#[inline(never)]
fn escape(page: &str) -> String {
    page.replace(": ", "&#58; ").replace('\n', "<br>")
}

#[inline(never)]
fn by_length(page: &str) -> BTreeMap<usize, Vec<&str>> {
    let mut lengths: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for line in page.lines() {
        lengths.entry(line.len()).or_default().push(line);
    }
    lengths
}

#[inline(never)]
fn parse_numbers(page: &str) -> u64 {
    page.lines().filter_map(|line| line.split(':').next()?.parse::<u64>().ok()).sum()
}

#[inline(never)]
fn palindromes(page: &str) -> usize {
    page.split(' ').filter(|word| word.bytes().eq(word.bytes().rev())).count()
}

pub fn study(page: &str) -> u64 {
    let common: usize = most_common(&count_words(page)).iter().map(|it| it.1 * it.0.len()).sum();
    let long =
        by_length(page).into_iter().map(|(length, lines)| length * lines.len()).sum::<usize>();
    let texts = title_case(page).len() + escape(page).len() + palindromes(page);
    (common + long + texts) as u64 + parse_numbers(page)
}
