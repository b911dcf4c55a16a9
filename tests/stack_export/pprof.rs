//! The messages of pprof, decoded here and by Go's pprof.

use std::process::Command;

use prost::Message;
use regex::Regex;

use super::{HOSTILE, Weights, escaped_lines, export, recursive, weights, weights_of_stacks};
use crate::needs::goes_without;
use crate::util::{output, scratch, unpacked};

/// profile.proto, with the fields that our files may have.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Profile {
    #[prost(message, repeated, tag = "1")]
    pub(super) sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    pub(super) sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    pub(super) function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    pub(super) string_table: Vec<String>,
    #[prost(int64, tag = "9")]
    pub(super) time_nanos: i64,
    #[prost(int64, tag = "10")]
    pub(super) duration_nanos: i64,
    #[prost(int64, tag = "14")]
    pub(super) default_sample_type: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ValueType {
    #[prost(int64, tag = "1")]
    pub(super) kind: i64,
    #[prost(int64, tag = "2")]
    pub(super) unit: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    pub(super) value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    text: i64,
    #[prost(int64, tag = "3")]
    number: i64,
    #[prost(int64, tag = "4")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
    #[prost(int64, tag = "3")]
    column: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    pub(super) name: i64,
    #[prost(int64, tag = "4")]
    pub(super) filename: i64,
}

impl Profile {
    pub(super) fn decoded(packed: &[u8]) -> Profile {
        Profile::decode(&unpacked(packed)[..]).expect("a message")
    }

    pub(super) fn string(&self, place: i64) -> &str {
        &self.string_table[usize::try_from(place).expect("a place")]
    }

    /// The names of the frames of a sample, root first.
    fn stack(&self, sample: &Sample) -> Vec<String> {
        let name = |id: &u64| {
            let location = self.location.iter().find(|it| it.id == *id).expect("a location");
            let [line] = &location.line[..] else { panic!("one function") };
            let function = self.function.iter().find(|it| it.id == line.function_id);
            self.string(function.expect("a function").name).to_owned()
        };
        sample.location_id.iter().rev().map(name).collect()
    }

    /// The lines of a sample, root first: those of a location are joined by ` < `.
    pub(super) fn lines(&self, sample: &Sample) -> Vec<String> {
        let line = |line: &Line| {
            let function = self.function.iter().find(|it| it.id == line.function_id);
            let Function { name, filename, .. } = *function.expect("a function");
            let (name, file) = (self.string(name), self.string(filename));
            format!("{name} {file}:{}:{}", line.line, line.column)
        };
        let location = |id: &u64| {
            let location = self.location.iter().find(|it| it.id == *id).expect("a location");
            location.line.iter().map(line).collect::<Vec<_>>().join(" < ")
        };
        sample.location_id.iter().rev().map(location).collect()
    }

    /// The labels of a sample: `comm: "x"`, `tid: 4711`, `size: 12 bytes`.
    pub(super) fn labels(&self, sample: &Sample) -> Vec<String> {
        let label = |label: &Label| match (label.text, label.unit) {
            (0, 0) => format!("{}: {}", self.string(label.key), label.number),
            (0, unit) => {
                format!("{}: {} {}", self.string(label.key), label.number, self.string(unit))
            }
            (text, _) => format!("{}: {:?}", self.string(label.key), self.string(text)),
        };
        sample.label.iter().map(label).collect()
    }

    /// The stacks with their value at this index, root first.
    pub(super) fn stacks(&self, number: usize) -> Vec<(Vec<String>, u64)> {
        let all = self.sample.iter().map(|it| (self.stack(it), it.value[number].unsigned_abs()));
        all.filter(|(_, value)| *value > 0).collect()
    }
}

/// The stacks of a file with one type of sample.
pub(super) fn stacks(packed: &[u8]) -> Vec<(Vec<String>, u64)> {
    Profile::decoded(packed).stacks(0)
}

/// The output of Go's pprof for a file; an option selects it.
pub(super) fn go_pprof(name: &str, packed: &[u8], options: &[&str]) -> String {
    let file = scratch(&format!("{name}.pb.gz"), packed);
    let mut command = Command::new("go");
    command.args(["tool", "pprof", "-nodefraction=0", "-edgefraction=0", "-nodecount=100000"]);
    let output = command.args(options).arg(file).output().expect("go, of Debian's golang-go");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The rows of `-top`: `  5ns 27.78% 72.22%        7ns 38.89%  main`.
fn top(name: &str, packed: &[u8]) -> Weights {
    let printed = go_pprof(name, packed, &["-top", "-unit=ns"]);
    let row =
        Regex::new(r"(?m)^ *(\d+)(?:ns)? +\S+ +\S+ +(\d+)(?:ns)? +\S+  (.*)$").expect("a pattern");
    let number = |text: &str| -> u64 { text.parse().expect("a number") };
    let rows = row.captures_iter(&printed);
    rows.map(|it| (it[3].to_owned(), (number(&it[1]), number(&it[2])))).collect()
}

#[test]
fn a_decoder_finds_every_stack() {
    for folded in [&recursive()[..], HOSTILE] {
        let stacks = stacks(&export("pprof", &[], folded));
        assert_eq!(weights_of_stacks(&stacks), weights(folded));
        let lines = stacks.iter().map(|(stack, weight)| format!("{} {weight}\n", stack.join(";")));
        let mut lines: Vec<String> = lines.collect();
        lines.sort();
        assert_eq!(lines, escaped_lines(folded));
    }
}

#[test]
fn go_finds_the_weights_of_stack_top() {
    if goes_without(&[&["go"]]) {
        return;
    }
    let folded = recursive();
    let written = export("pprof", &["--unit", "ns"], &folded);
    assert_eq!(top("recursive", &written), weights(&folded));
    // Names that pprof would shorten if it took them for C++, and a large weight.
    let folded = b"main;operator new(unsigned long);std::map<int, a>::at 9007199254\n\
        main;f(int)::{lambda()#1} 5\nmain 0\n";
    let written = export("pprof", &["--unit", "ns"], folded);
    assert_eq!(top("names", &written), weights(folded));
    // It prints only the spaces inside names.
    let traces = go_pprof("hostile", &export("pprof", &[], HOSTILE), &["-traces"]);
    for name in weights(HOSTILE).keys().filter(|name| !name.starts_with(' ')) {
        assert!(traces.contains(&format!("  {name}\n")), "{name}: {traces}");
    }
}

#[test]
fn what_was_counted_without_a_stack_is_a_sample_without_locations() {
    let folded = b"tid=7\t 5\n[no stack] 3\nmain;[no stack] 4\n";
    let output_of = |args: &[&str], name: &str, input: &[u8]| output(name, args, input).stdout;
    let file = output_of(&["--to", "pprof"], "stack-export", folded);
    let profile = Profile::decoded(&file);
    let found: Vec<_> = profile.sample.iter().map(|it| (profile.stack(it), it.value[0])).collect();
    let no_stack = "[no stack]".to_owned();
    let expected = [(vec![], 5), (vec![], 3), (vec!["main".to_owned(), no_stack], 4)];
    assert_eq!(found, expected);
    let again = output_of(&["--labels", "tid", "--header"], "stack-parse", &file);
    let expected = "# event: samples\n# unit: count\n# source: pprof\n\
        # samples: 12 samples\n[no stack] 3\nmain;[no stack] 4\ntid=7\t[no stack] 5\n";
    assert_eq!(String::from_utf8_lossy(&again), expected);
}
