//! A C++ program, compiled by `g++ -O2 -g`, with many inlined functions. The weights of its lines
//! were computed from the addresses that perf prints, by nm and llvm-symbolizer.

use std::collections::BTreeMap;
use std::fs;

use common::names::{FrameParts, base_of_place};
use tempfile::TempDir;

use crate::util::{filter, golden_path, output, recording};

/// The golden files: the recording, the program, its source, and the expected results.
const DATA: &str = "source/hotcpp.data.gz";
const PROGRAM: &str = "source/hotcpp.gz";
const SOURCE: &str = "source/hot.cpp";
const TRUTH: &str = "source/truth.tsv.gz";

/// The path at which the program was recorded.
const RECORDED: &str = "home/someone/work/td/src/hotcpp";

/// Figures by their names.
type Figures = BTreeMap<String, String>;

/// The recorded machine, as `--symfs` takes it.
pub(super) fn symfs() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join(RECORDED);
    fs::create_dir_all(program.parent().expect("a folder")).expect("a new folder");
    fs::write(program, recording(PROGRAM)).expect("a new file");
    folder
}

/// The stacks of the recording.
pub(super) fn stacks(options: &[&str]) -> String {
    let symfs = symfs();
    let symfs = ["--symfs", symfs.path().to_str().expect("UTF-8")];
    let parsed = output("stack-parse", &[&symfs, options].concat(), recording(DATA));
    // The system's libraries are missing here.
    assert_eq!(parsed.status.code(), Some(0));
    // llvm-symbolizer and nm write whole names.
    filter("stack-demangle", &["--full-names"], parsed.stdout)
}

/// The expected figures.
pub(super) fn truth() -> Figures {
    let text = String::from_utf8(recording(TRUTH)).expect("UTF-8");
    let fields = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    // The name of a clone in nm and llvm-symbolizer.
    let figure =
        |row: Vec<&str>| (row[1].replace("(.isra.0)", "[clone .isra.0]"), row[2].to_owned());
    fields.map(figure).collect()
}

/// The rows of `--tsv`: function, path, line, self, total.
fn rows(args: &[&str], folded: &str) -> Vec<[String; 5]> {
    let path = golden_path(SOURCE);
    let folder = path.parent().expect("a folder").to_str().expect("UTF-8");
    let args = [&["--tsv", "--source-path", folder], args].concat();
    let output = output("stack-source", &args, folded);
    let tsv = String::from_utf8(output.stdout).expect("UTF-8");
    let row = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        std::array::from_fn(|_| fields.next().expect("a field"))
    };
    tsv.lines().skip(1).map(row).collect()
}

/// The stacks with one frame for each function that code was compiled for: `of_run` gives it for
/// the frame of `function` with those inlined into it, and `other` is used for all others.
fn runs(folded: &str, function: &str, of_run: fn(&[FrameParts<'_>]) -> String) -> String {
    let mut text = String::new();
    for line in folded.lines() {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        let parts: Vec<_> = stack.split(';').map(|it| FrameParts::of(it.as_bytes())).collect();
        let runs = parts.chunk_by(|_, next| next.has_mark(b'i'));
        let shown = |run: &[FrameParts<'_>]| match run[0].name == function.as_bytes() {
            true => of_run(run),
            false => "other".to_owned(),
        };
        text += &format!("{} {count}\n", runs.map(shown).collect::<Vec<_>>().join(";"));
    }
    text
}

fn frame(name: &[u8], place: &[u8]) -> String {
    let [name, place] = [name, base_of_place(place)].map(String::from_utf8_lossy);
    format!("{name} ({place})")
}

/// The figures of one function, in the form of the expected ones.
fn figures_of(function: &str, kept: &str, dropped: &str, figures: &mut Figures) {
    let exact = regex::escape(function);
    let of_function = ["-e", &format!("^{exact}$")];
    let of_rows = |what: &str, rows: &[[String; 5]], figures: &mut Figures| {
        for [_, path, line, own, total] in rows {
            let key = format!("{function}: {what} {path}:{line} self/total");
            figures.insert(key, format!("{own}/{total}"));
        }
    };
    let own_line = rows(&of_function, dropped);
    of_rows("own line (outermost of the inline chain)", &own_line, figures);
    let innermost = |run: &[FrameParts<'_>]| frame(run[0].name, run[run.len() - 1].place);
    let innermost = rows(&of_function, &runs(kept, function, innermost));
    of_rows("innermost line", &innermost, figures);
    let own: u64 = own_line.iter().map(|row| row[3].parse::<u64>().expect("a weight")).sum();
    let whole = |run: &[FrameParts<'_>]| frame(run[0].name, b"all:1");
    let total = &rows(&of_function, &runs(kept, function, whole))[0][4];
    figures.insert(format!("function self/total samples: {function}"), format!("{own}/{total}"));
    let chain = |run: &[FrameParts<'_>]| {
        run.iter().map(|it| frame(it.name, it.place)).collect::<Vec<_>>().join(";")
    };
    for [name, path, line, _, total] in rows(&[], &runs(kept, function, chain)) {
        let key =
            format!("{function}: line anywhere in the inline chain, {name} {path}:{line} total");
        figures.extend((name != "other").then_some((key, total)));
    }
}

#[test]
fn all_lines_weigh_what_llvm_symbolizer_and_nm_say() {
    let kept = stacks(&["--annotate", "--srcline=base"]);
    let dropped = stacks(&["--annotate", "--srcline=base", "--inlined", "drop"]);
    let mut expected = truth();
    let functions: Vec<String> = expected
        .keys()
        .filter_map(|what| what.strip_prefix("function self/total samples: "))
        .map(str::to_owned)
        .collect();
    assert_eq!(functions.len(), 3);
    expected.retain(|what, _| !what.contains(": instruction 0x") && !what.starts_with("samples"));
    let mut figures = Figures::new();
    for function in functions {
        figures_of(&function, &kept, &dropped, &mut figures);
    }
    for [name, path, line, own, _] in rows(&[], &kept) {
        let key = format!(
            "whole program, innermost (inlined) function and line self: {name} {path}:{line}"
        );
        figures.extend((!path.is_empty() && own != "0").then_some((key, own)));
    }
    let differs = |(what, figure): &(&String, &String)| expected.get(*what) != Some(*figure);
    assert_eq!(figures.iter().filter(differs).collect::<Vec<_>>(), []);
    assert_eq!(figures.len(), expected.len());
    assert_eq!(figures.len(), 126);
}

#[test]
fn the_listing_is_as_it_was() {
    let stacks = stacks(&["--header", "--srcline"]);
    let path = golden_path(SOURCE);
    let folder = path.parent().expect("a folder").to_str().expect("UTF-8");
    let args = ["--source-path", folder, "--path", "/hot\\.cpp$"];
    let listing = filter("stack-source", &args, &stacks);
    crate::util::assert_golden("source/hot.cpp.listing", listing.as_bytes());
}
