//! Callgrind's format, read here and by callgrind_annotate.

use std::process::Command;

use super::{HOSTILE, Weights, export, recursive, weights};
use crate::needs::goes_without;
use crate::util::{output, scratch};

/// The sum of self weights: the lines of costs after `fn=`.
pub(super) fn self_weights(written: &[u8]) -> u128 {
    let text = String::from_utf8_lossy(written);
    let mut lines = text.lines();
    let mut sum = 0;
    while lines.any(|line| line.starts_with("fn=")) {
        let costs =
            lines.clone().take_while(|line| line.starts_with(|it: char| it.is_ascii_digit()));
        let cost = |line: &str| line.split(' ').nth(1).expect("a cost").parse::<u128>();
        sum += costs.map(|line| cost(line).expect("a number")).sum::<u128>();
    }
    sum
}

/// The weight of each function from callgrind_annotate: `8 (44.44%)  ???:main`.
pub(super) fn annotated(name: &str, written: &[u8], is_inclusive: bool) -> Vec<(Vec<u8>, u64)> {
    let file = scratch(&format!("{name}.callgrind"), written);
    let inclusive = if is_inclusive { "--inclusive=yes" } else { "--inclusive=no" };
    let output = Command::new("callgrind_annotate")
        .args(["--threshold=100", "--auto=no", inclusive])
        .arg(file)
        .output()
        .expect("callgrind_annotate, of Debian's valgrind");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let rows = output.stdout.split(|&byte| byte == b'\n');
    rows.filter_map(|row| {
        let place = row.windows(6).position(|part| part == b"  ???:")?;
        let number = String::from_utf8_lossy(&row[..place]);
        let number = number.split('(').next().unwrap_or_default().trim().replace(',', "");
        let number = if number == "." { 0 } else { number.parse().expect("a number") };
        Some((row[place + 6..].to_vec(), number))
    })
    .filter(|(name, _)| name != b"[all]")
    .collect()
}

fn assert_annotated(name: &str, folded: &[u8], expected: &[(Vec<u8>, (u64, u64))]) {
    let written = export("callgrind", &[], folded);
    for is_inclusive in [false, true] {
        let mut found = annotated(name, &written, is_inclusive);
        found.sort();
        let of = |(own, total): (u64, u64)| if is_inclusive { total } else { own };
        let expected: Vec<_> = expected.iter().map(|(name, it)| (name.clone(), of(*it))).collect();
        assert_eq!(found, expected, "{name}");
    }
}

fn by_bytes(weights: Weights) -> Vec<(Vec<u8>, (u64, u64))> {
    weights.into_iter().map(|(name, weights)| (name.into_bytes(), weights)).collect()
}

#[test]
fn callgrind_annotate_finds_the_weights_of_stack_top() {
    if goes_without(&[&["callgrind_annotate"]]) {
        return;
    }
    let folded = recursive();
    assert_annotated("recursive", &folded, &by_bytes(weights(&folded)));
    // A function that is the root of one stack and is called in another, in a cycle with its
    // caller.
    let cycle = b"a;b;a 1\nb;a;b;c 2\na 4\n";
    assert_annotated("cycle", cycle, &by_bytes(weights(cycle)));
}

#[test]
fn callgrind_annotate_reads_hostile_names_as_they_are() {
    if goes_without(&[&["callgrind_annotate"]]) {
        return;
    }
    let found = annotated("hostile", &export("callgrind", &[], HOSTILE), false);
    for line in HOSTILE.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let (stack, count) = line.split_at(line.len() - 2);
        let leaf = stack.rsplit(|&byte| byte == b';').next().expect("a leaf");
        // It strips spaces at the start of names.
        let leaf = leaf.trim_ascii_start();
        let weight = u64::from(count[1] - b'0');
        assert!(found.contains(&(leaf.to_vec(), weight)), "{}", leaf.escape_ascii());
    }
}

/// A reader that skips spaces would see functions without a name.
#[test]
fn names_of_spaces_are_unknown() {
    let written = export("callgrind", &[], b"main;  ;f 2\n");
    let again = output("stack-parse", &["--root", "none"], written);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(again.stdout, b"[all];main;[unknown];f 2\n");
}
