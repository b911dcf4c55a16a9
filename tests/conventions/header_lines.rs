use std::process::{Command, Stdio};

use crate::needs::{SHELL, goes_without};
use crate::util::{
    FILTERS, TempFile, feed, filter, folded_writers, golden_files, golden_path, output, recording,
};

/// One of each header line, and stacks of weight 77.
const LINES: &str = "# event: cpu-clock
# unit: ns
# source: perf-data
# samples: 7 samples
# lost: 1 of 8 samples
# truncated: 2 of 7 samples
# broken: 0 of 7 samples
# nameless: 3 of 8,100 frames
# estimated: 0 of 7 samples
# program: app 7 (program)
# seconds: 9.57 s
# threads: 4 threads
# processors: 2 processors
# rate: 999 Hz
";
const STACKS: &str = "main;f 30\nmain;g 47\n";

/// What is true of some of the stacks.
const OF_SOME: &str = "# event: cpu-clock
# unit: ns
# source: perf-data
# program: app 7 (program)
# seconds: 9.57 s
# processors: 2 processors
# rate: 999 Hz
";

fn header(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output).into_owned();
    text.split_inclusive('\n').filter(|line| line.starts_with("# ")).collect()
}

#[test]
fn what_keeps_all_weight_keeps_all_header_lines_and_what_does_not_drops_some() {
    let before = [LINES, STACKS].concat();
    // What is known only at the end of a stream comes last.
    let (first, last) = LINES.split_at(LINES.find("# samples").expect("a line"));
    for input in [before, [first, STACKS, last].concat()] {
        for name in folded_writers() {
            let kept = if name == "stack-grep" { OF_SOME } else { LINES };
            assert_eq!(header(&feed(name, &[], &input).stdout), kept, "{name}: {input}");
        }
        for args in
            [&["f"][..], &["-v", "f"], &["-w", "[fg]"], &["--label", "tid=1", "-v", "-e", "f"]]
        {
            assert_eq!(header(&output("stack-grep", args, &input).stdout), OF_SOME, "{args:?}");
        }
    }
}

#[test]
fn filters_do_not_touch_header_lines_of_older_versions() {
    let old = "# unit: nanoseconds\n# samples: 7\n";
    for name in FILTERS {
        let kept = if name == "stack-grep" { "# unit: nanoseconds\n" } else { old };
        assert_eq!(header(&feed(name, &[], [old, STACKS].concat()).stdout), kept, "{name}");
    }
    for name in ["stack-merge", "stack-parse"] {
        let found = feed(name, &[], [old, STACKS].concat()).stdout;
        assert_eq!(header(&found), "# unit: ns\n# samples: 7 samples\n", "{name}");
    }
}

#[test]
fn the_lines_of_several_files_add_up() {
    let other = LINES.replace("# lost: 1 of 8", "# lost: 2 of 9");
    let [one, other] = [LINES, &other].map(|lines| TempFile::new([lines, STACKS].concat()));
    let expected = "# event: cpu-clock
# unit: ns
# source: perf-data
# samples: 14 samples
# lost: 3 of 17 samples
# truncated: 4 of 14 samples
# broken: 0 of 14 samples
# nameless: 6 of 16,200 frames
# estimated: 0 of 14 samples
# program: app 7 (program)
# processors: 2 processors
# rate: 999 Hz
";
    for name in ["stack-merge", "stack-parse"] {
        let found = feed(name, &[one.path(), other.path()], "").stdout;
        assert_eq!(header(&found), expected, "{name}");
    }
    // A file that says nothing makes unknown all that adds up or must be equal.
    let bare = TempFile::new(STACKS);
    let found = feed("stack-merge", &[one.path(), bare.path()], "").stdout;
    assert_eq!(header(&found), "# event: cpu-clock\n# unit: ns\n# source: perf-data\n");
    // Two files that cat joined, one of which has its numbers at the end.
    let joined = [LINES, STACKS, STACKS, LINES].concat();
    let merged = header(&feed("stack-merge", &[], joined).stdout);
    let of_one = expected.replace("# samples: 14 samples\n", "").replace("3 of 17", "2 of 16");
    let of_one =
        of_one.replace("# processors", "# seconds: 9.57 s\n# threads: 4 threads\n# processors");
    assert_eq!(merged, of_one);
}

#[test]
fn stack_parse_drops_what_it_cannot_know_of_a_slice() {
    let input = [LINES, "since=0\tmain 30\nsince=2\tmain 47\n"].concat();
    let sliced = output("stack-parse", &["-f", "folded", "--from", "1"], input).stdout;
    assert_eq!(header(&sliced), OF_SOME.replace("# seconds: 9.57 s\n", ""));
}

#[test]
fn two_profiles_in_one_file_have_two_numbers() {
    let [before, after] = [7, 9].map(|samples| {
        TempFile::new(format!("# unit: ns\n# samples: {samples} samples\nmain 7000\n"))
    });
    let pairs = filter("stack-diff", &["--folded", before.path(), after.path()], "");
    assert_eq!(pairs, "# unit: ns\n# samples: 7 and 9 samples\nmain 7000 7000\n");
}

/// Whether some awk may read this word as a number other than 0.
fn may_be_number(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
        || word.starts_with("nan")
        || word.starts_with("inf")
}

#[test]
fn no_header_line_of_any_format_ends_in_a_number() {
    let mut lines = 0;
    for format in golden_files("formats") {
        let is_expected = |name: &String| name.ends_with(".folded");
        for name in golden_files(&format!("formats/{format}")).into_iter().filter(is_expected) {
            let folded = recording(&format!("formats/{format}/{name}"));
            let folded = String::from_utf8_lossy(&folded).into_owned();
            for line in folded.lines().filter(|line| line.starts_with("# ")) {
                let last = line.split_ascii_whitespace().next_back().expect("a word");
                assert!(!may_be_number(last), "{format}/{name}: {line}");
                lines += 1;
            }
        }
    }
    assert!(lines > 500, "{lines}");
}

/// The sum of the last words of all lines, by each awk that is here.
fn sums_of_awk(text: &str) -> Vec<(&'static str, String)> {
    let awks = [&["awk"][..], &["mawk"], &["gawk"], &["original-awk"], &["busybox", "awk"]];
    let sum = |awk: &&'static [&'static str]| {
        let mut command = Command::new(awk[0]);
        command.args(&awk[1..]).arg("{ sum += $NF } END { print sum }");
        let file = TempFile::new(text);
        command.stdin(std::fs::File::open(file.path()).expect("our file")).stderr(Stdio::null());
        let found = command.output().ok().filter(|found| found.status.success())?;
        Some((awk[0], String::from_utf8_lossy(&found.stdout).trim().to_owned()))
    };
    awks.iter().filter_map(sum).collect()
}

#[test]
fn awk_sums_the_weight_of_a_file_with_header_lines() {
    if goes_without(&[SHELL]) {
        return;
    }
    for event in ["cpu-clock", "7", "r1a8", "0x10", "nan", "infinity", "page faults 2", "-1", "1e3"]
    {
        let script = format!("demo 7 1.0: 5 {event}: \n\t 10 f (/d)\n\n");
        let script = match event.contains(' ') {
            true => format!("# event: {event}\n# samples: 3\nmain 5\n"),
            false => script,
        };
        let folded = output("stack-parse", &["--header", "--weight", "period"], &script);
        let folded = String::from_utf8_lossy(&folded.stdout).into_owned();
        if event.contains(' ') {
            assert!(folded.contains("(event)\n"), "{folded}");
        }
        for (awk, sum) in sums_of_awk(&folded) {
            assert_eq!(sum, "5", "{awk}: {folded}");
        }
    }
    for (awk, sum) in sums_of_awk(&[LINES, STACKS].concat()) {
        assert_eq!(sum, "77", "{awk}");
    }
    let path = golden_path("formats/pprof/go-cpu.pb.gz");
    let path = path.to_str().expect("UTF-8");
    let folded = filter("stack-parse", &["--header", "--event", "samples", path], "");
    for (awk, sum) in sums_of_awk(&folded) {
        assert_eq!(sum, "128", "{awk}: {folded}");
    }
}
