//! `--outliers`: the outlier among many profiles.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::{stderr, stdout};
use crate::place::Place;
use crate::random::Random;
use crate::util::output;

/// The number of hosts in a draw.
const HOSTS: usize = 500;

/// The number of draws, and in how many of them the odd host must come first.
const DRAWS: u64 = 20;
const ENOUGH: usize = 19;

/// The stacks of a program: callers of 300 functions, whose weights follow Zipf's law.
struct Program {
    stacks: Vec<String>,
    /// Sums of the weights up to each stack.
    sums: Vec<f64>,
}

impl Program {
    fn new() -> Program {
        let stack = |function: usize| format!("main;caller_{};f_{function}", function % 80);
        let weights = (0..300).map(|function| 1.0 / (function + 1) as f64);
        let sums = weights.scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        Program { stacks: (0..300).map(stack).collect(), sums: sums.collect() }
    }

    /// The folded lines of a host. Each of its samples is drawn; the odd host has 3 % in a function
    /// that no other has. `vary` is how much functions differ from host to host.
    fn host(&self, random: &mut Random, is_odd: bool, vary: f64) -> String {
        let fraction = |random: &mut Random| (random.next() >> 11) as f64 / (1u64 << 53) as f64;
        let samples = 300 + random.below(9_700);
        let factors: Vec<f64> =
            self.stacks.iter().map(|_| 1.0 + vary * (2.0 * fraction(random) - 1.0)).collect();
        let mut counts = vec![0u64; self.stacks.len()];
        let mut odd = 0;
        let all = self.sums.last().copied().unwrap_or_default();
        let mut left = samples;
        while left > 0 {
            if is_odd && fraction(random) < 0.03 {
                odd += 1;
                left -= 1;
                continue;
            }
            let at = fraction(random) * all;
            let stack = self.sums.partition_point(|sum| *sum <= at).min(counts.len() - 1);
            // Rejects some draws of functions that are rarer on this host.
            if fraction(random) * (1.0 + vary) <= factors[stack] {
                counts[stack] += 1;
                left -= 1;
            }
        }
        let mut text = String::new();
        for (stack, count) in self.stacks.iter().zip(counts).filter(|(_, count)| *count > 0) {
            writeln!(text, "{stack} {count}").expect("memory");
        }
        if odd > 0 {
            writeln!(text, "main;caller_7;leak {odd}").expect("memory");
        }
        text
    }
}

#[test]
fn the_odd_host_of_500_is_first() {
    let program = Program::new();
    let mut found = 0;
    for draw in 0..DRAWS {
        let mut random = Random(draw + 1);
        let place = Place::new("hosts");
        let odd = random.below(HOSTS);
        let paths: Vec<String> = (0..HOSTS)
            .map(|host| {
                let path = place.folder.join(format!("host-{host:03}.folded"));
                // In half of the draws, functions vary from host to host.
                let vary = if draw % 2 == 0 { 0.0 } else { 0.05 };
                fs::write(&path, program.host(&mut random, host == odd, vary)).expect("a folder");
                path.to_str().expect("UTF-8").to_owned()
            })
            .collect();
        let args: Vec<&str> =
            ["--outliers", "--json"].into_iter().chain(paths.iter().map(String::as_str)).collect();
        let answer = output("stack-diff", &args, "");
        let json: Value = serde_json::from_slice(&answer.stdout).expect("JSON");
        let first = &json["profiles"][0];
        let is_found = first["profile"] == *paths[odd] && first["listed"] == true;
        found += usize::from(is_found && first["functions"][0]["function"] == "leak");
        assert_eq!(json["profiles"].as_array().map(Vec::len), Some(HOSTS));
        // Hardly any other host is reported as odd.
        let listed = json["profiles"].as_array().expect("a list");
        let listed = listed.iter().filter(|it| it["listed"] == true).count();
        assert!(listed <= 3, "draw {draw}: {listed} are listed");
    }
    assert!(found >= ENOUGH, "{found} of {DRAWS}");
}

#[test]
fn the_table_names_the_functions() {
    let place = Place::new("table");
    let text = |more: &str| format!("main;parse 4000\nmain;read 5000\nmain;write 1000\n{more}");
    let paths: Vec<String> = (0..5)
        .map(|host| {
            let path = place.folder.join(format!("host-{host}"));
            let more = if host == 3 { "main;leak 300\n" } else { "" };
            fs::write(&path, text(more)).expect("our own folder");
            path.to_str().expect("UTF-8").to_owned()
        })
        .collect();
    let with = |args: &[&str]| {
        let paths = paths.iter().map(String::as_str);
        let args: Vec<&str> = args.iter().copied().chain(paths).collect();
        output("stack-diff", &args, "")
    };
    let table = stdout(&with(&["--outliers"]));
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("PROFILE ") && lines[0].ends_with("  FUNCTIONS"), "{table}");
    assert!(lines[1].starts_with(&paths[3]) && lines[1].contains("* "), "{table}");
    assert!(lines[1].contains("  leak +2.91% self"), "{table}");
    assert!(table.contains("* chance does not explain it: 1 of 5 profiles\n"), "{table}");
    let tsv = stdout(&with(&["--outliers", "--tsv"]));
    let row: Vec<&str> = tsv.lines().nth(1).expect("a row").split('\t').collect();
    assert_eq!(
        (row[0], row[1], row[3], row[4], row[5]),
        (&*paths[3], "10300", "1", "leak", "self")
    );
    let markdown = stdout(&with(&["--outliers", "--markdown"]));
    assert!(
        markdown.starts_with("| profile | samples | errors | functions |\n|---|"),
        "{markdown}"
    );
    for args in [&["--outliers", "--fail-over", "2%"][..], &["--outliers", "--folded"]] {
        assert_eq!(with(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn values_of_a_label_are_profiles() {
    let mut text = String::new();
    for thread in 0..6 {
        let leak = if thread == 4 { 500 } else { 0 };
        writeln!(text, "tid={thread}\tmain;read {}\ntid={thread}\tmain;parse 5000", 5000 - leak)
            .expect("memory");
        if leak > 0 {
            writeln!(text, "tid={thread}\tmain;leak {leak}").expect("memory");
        }
    }
    let first = |args: &[&str], text: &str| {
        let table = stdout(&output("stack-diff", args, text));
        table.lines().nth(1).unwrap_or_default().to_owned()
    };
    assert!(first(&["--outliers", "--split", "tid", "-"], &text).starts_with("4 "));
    let roots = text.replace("tid=", "thread-").replace('\t', ";");
    assert!(first(&["--outliers", "--split", "root", "-"], &roots).starts_with("thread-4 "));
}

#[test]
fn two_profiles_are_too_few() {
    let found = output("stack-diff", &["--outliers", "-"], "main;f 3\n");
    assert_eq!(found.status.code(), Some(2));
    let said = "stack-diff: --outliers: expected three profiles or more, found 1\n";
    assert_eq!((stderr(&found), stdout(&found)), (said.to_owned(), String::new()));
    let found = output("stack-diff", &["-", "-", "-"], "main;f 3\n");
    let said = "stack-diff: expected two profiles, BEFORE and AFTER, found 3\n";
    assert_eq!(stderr(&found), said);
}
