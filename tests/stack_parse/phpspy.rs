//! What phpspy prints: samples in parts, of one line, and what is missing.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::random::Random;
use crate::util::{filter, output, recording, stderr};

/// The stacks and their counts, as this test writes the samples.
type Counts = BTreeMap<String, u64>;

/// Random samples of random depth, as phpspy writes them: some whole, with a blank line after them,
/// or as lines with tabs; or in numbered parts, of which up to three samples come at once.
fn written(random: &mut Random, is_line: bool, is_numbered: bool) -> (String, Counts) {
    let (mut text, mut counts) = (String::new(), Counts::new());
    // The records of the samples under way, in parts, the next part last.
    let mut open: Vec<(usize, usize, Vec<Vec<String>>)> = Vec::new();
    let mut left = 60;
    while left > 0 || !open.is_empty() {
        if left > 0 && (open.is_empty() || is_numbered && open.len() < 3 && random.below(2) == 0) {
            left -= 1;
            let depth = 1 + random.below(9);
            let names: Vec<String> = (0..depth).map(|_| format!("f{}", random.below(3))).collect();
            *counts.entry(names.join(";")).or_default() += 1;
            let leaf_first = names.iter().rev().enumerate();
            let record = |(at, name): (usize, &String)| {
                format!("{at} {name} /srv/my app/{name}.php:{}", 1 + at)
            };
            let records: Vec<String> = leaf_first.map(record).collect();
            let size = if is_numbered && !is_line { 1 + random.below(4) } else { depth };
            let mut parts: Vec<Vec<String>> =
                records.chunks(size).map(<[String]>::to_vec).collect();
            parts.reverse();
            open.push((60 - left, 0, parts));
        }
        let which = random.below(open.len());
        let (id, at, parts) = &mut open[which];
        let all = *at + parts.len();
        let mut records = parts.pop().expect("a part");
        if is_numbered {
            records.push(format!("# trace_id = {id}.{at}/{all}"));
        }
        *at += 1;
        let is_last = parts.is_empty();
        let between = if is_line { "\t" } else { "\n" };
        records.iter().for_each(|record| write!(text, "{record}{between}").expect("memory"));
        if is_last {
            text.push('\n');
            open.remove(which);
        }
    }
    (text, counts)
}

fn counts_of(folded: &str) -> Counts {
    let lines = folded.lines().map(|line| line.rsplit_once(' ').expect("a count"));
    lines.map(|(stack, count)| (stack.to_owned(), count.parse().expect("a number"))).collect()
}

#[test]
fn samples_are_whole_however_their_parts_come() {
    for seed in 0..40 {
        let mut random = Random(seed);
        for (is_line, is_numbered) in [(false, false), (false, true), (true, false), (true, true)] {
            let (text, expected) = written(&mut random, is_line, is_numbered);
            let folded = filter("stack-parse", &["--format", "phpspy"], &text);
            assert_eq!(counts_of(&folded), expected, "{seed} {is_line} {is_numbered}");
        }
    }
}

#[test]
fn a_part_that_is_missing_is_named() {
    let text = "0 a /t.php:1\n1 b /t.php:2\n# trace_id = 1.0/3\n2 c /t.php:3\n# trace_id = 1.2/3\n\n\
                0 d /t.php:1\n# trace_id = 2.0/1\n\n0 e /t.php:1\n# trace_id = 3.0/2\n";
    let output = output("stack-parse", &[], text);
    let folded = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    assert_eq!(folded, "[truncated];b;a 1\n[truncated];e 1\nd 1\n");
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("<stdin>:5: expected part 1 of the sample"), "{said}");
}

#[test]
fn what_was_cut_has_no_callers() {
    let old = String::from_utf8(recording("formats/phpspy/old.txt")).expect("UTF-8");
    assert_eq!(
        filter("stack-parse", &[], &old),
        "<main>;Cache::get;Memcached::get 1\n<main>;sleep 1\n\
         [truncated];Cache::get;Memcached::get 1\n"
    );
    let ends_within = "0 f /t.php:1\n1 <main> /t.php:2\n\n0 f /t.php:1\n1 g /t.php:5\n";
    assert_eq!(filter("stack-parse", &[], ends_within), "<main>;f 1\n[truncated];g;f 1\n");
}

#[test]
fn times_processes_and_requests_are_known() {
    let text = recording("formats/phpspy/request.txt");
    let rows = filter(
        "stack-parse",
        &["--per-sample", "--srcline", "--labels", "pid,time,uri,mem"],
        &text,
    );
    let first = "pid=4711\ttime=1795348314.599187000\turi=/orders\tmem=2097152\t\
        <main> (/srv/my app/index.php:9);{closure:/srv/my app/index.php:4} (/srv/my app/index.php:4);\
        Db::query (/srv/app/Db.php:12);usleep 1";
    let mut found = rows.lines().next().expect("a row").split('\t').collect::<Vec<_>>();
    let mut expected = first.split('\t').collect::<Vec<_>>();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}
