//! What is printed at the end: the own functions with the most weight, and what they call.

use std::io::{self, BufRead, BufReader, IsTerminal, Read};

use common::folded::FoldedLine;
use common::io::Screen;
use common::names::{CodeKind, FrameParts, fitted, printable_name};
use common::numbers::share;
use common::own_code::{Charged, NOT_OWN, OwnCode};
use common::stacks::StackCounts;
use console::truncate_str;

/// How many functions are named.
const FUNCTIONS: usize = 3;

/// What has a smaller part of the weight than one in this many is not named.
const LEAST_PART: u64 = 50;

/// The most letters of a function, and of one that it calls: on a terminal, a line must fit.
const LETTERS: [usize; 2] = [60, 40];
const LETTERS_ON_TERMINAL: [usize; 2] = [36, 24];

/// The lines for folded stacks, the heaviest function first.
pub(crate) fn lines(stacks: impl Read) -> io::Result<Vec<String>> {
    let (mut counts, mut all) = (StackCounts::default(), 0u64);
    for line in BufReader::new(stacks).split(b'\n') {
        let line = line?;
        let Ok(line) = FoldedLine::parse(&line) else { continue };
        // What does not fit is left out of the shares as well.
        if let Some(sum) = all.checked_add(line.count) {
            all = sum;
            counts.add(line.stack, line.count);
        }
    }
    let name = |frame: &[u8]| FrameParts::of(frame).name.to_vec();
    let letters = if io::stdout().is_terminal() { LETTERS_ON_TERMINAL } else { LETTERS };
    Ok(of_rows(&OwnCode::of(&counts.into_sorted(), name), all, letters))
}

fn of_rows(own: &OwnCode, all: u64, [letters, of_callee]: [usize; 2]) -> Vec<String> {
    let shown = |name: &[u8]| fitted(&printable_name(name), letters);
    // What the runtime and the kernel do is no answer below any library.
    if own.kind == CodeKind::Library {
        return vec!["no function is known to be own code: --own PATTERN says what is".to_owned()];
    }
    let mut rows: Vec<(&Vec<u8>, &Charged)> = own.rows.iter().collect();
    rows.sort_unstable_by(|(a, one), (b, other)| other.weight.cmp(&one.weight).then(a.cmp(b)));
    let is_named = |(_, it): &(&Vec<u8>, &Charged)| it.weight >= all.div_ceil(LEAST_PART).max(1);
    let rows = rows.into_iter().filter(is_named).take(FUNCTIONS);
    rows.map(|(name, charged)| {
        let weight = share(charged.weight, all);
        let where_it_is = match name == NOT_OWN {
            true => format!("{weight} in stacks without own code"),
            false => format!("{weight} in {}", shown(name)),
        };
        match charged.lines_and_calls(all, of_callee) {
            details if details.is_empty() => where_it_is,
            details => format!("{where_it_is}: {details}"),
        }
    })
    .collect()
}

/// Prints lines of the answer: on standard output where that is a terminal, else on standard error,
/// since standard output is the program's.
pub(crate) fn print(lines: &[String]) {
    let screen = Screen::of_stdout();
    for line in lines {
        if io::stdout().is_terminal() {
            println!("{}", truncate_str(line, screen.columns.unwrap_or(usize::MAX), "\u{2026}"));
        } else {
            common::io::say(env!("CARGO_BIN_NAME"), line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_functions_are_named_with_their_lines_and_what_they_call() {
        let stacks = "# unit: samples\n\
             main (a.c:9)_[o];append (src/a.c:2)_[o]_[i];fdatasync_[l] 60\n\
             main (a.c:9)_[o];append (src/a.c:3)_[o]_[i];write_[l];vfs_write_[k] 15\n\
             start_thread_[l];futex_[k] 20\n\
             main (a.c:9)_[o] 4\n\
             main (a.c:9)_[o];rare (a.c:7)_[o] 1\n";
        let expected = [
            "75.00% in append: a.c:2 (60.00%), :3 (15.00%), calls fdatasync (60.00%), write (15.00%)",
            "20.00% in stacks without own code",
            "4.00% in main: a.c:9 (4.00%)",
        ];
        assert_eq!(lines(stacks.as_bytes()).expect("text"), expected);
        assert!(lines(&b""[..]).expect("text").is_empty());
        let of_library = lines(&b"java;std::sort 3\n"[..]).expect("text");
        assert_eq!(of_library, ["no function is known to be own code: --own PATTERN says what is"]);
    }
}
