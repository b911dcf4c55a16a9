//! `--exact-names`, compared with the addresses that perf prints and the names that stack-symbols
//! lists for them.

use std::collections::BTreeMap;

use common::names::FrameParts;

use super::perf_text::{self, Frame};
use super::recordings::Recordings;
use crate::util::filter;

/// The program of the recordings, below the folder of their objects.
const PROGRAM: &str = "symfs/home/someone/work/p/tree";

/// The output of stack-symbols.
struct Listed {
    /// By return address: the inlined functions, then the function.
    calls: BTreeMap<u64, Vec<String>>,
    /// OCaml functions by their addresses.
    functions: BTreeMap<u64, String>,
}

impl Listed {
    fn of(recordings: &Recordings) -> Listed {
        let program = recordings.objects.join(PROGRAM);
        let program = program.to_str().expect("a UTF-8 path");
        let (mut calls, mut functions) = (BTreeMap::<_, Vec<String>>::new(), BTreeMap::new());
        for line in filter("stack-symbols", &["--calls", program], "").lines().skip(1) {
            let [address, name, _] = cells(line);
            calls.entry(number(address)).or_default().push(name.to_owned());
        }
        for line in filter("stack-symbols", &[program], "").lines().skip(1) {
            let [_, name, _, address, _] = cells(line);
            functions.entry(number(address)).or_insert_with(|| name.to_owned());
        }
        Listed { calls, functions }
    }

    /// The frames for perf's `frame`; its address is inside the call (DWARF) or the return address.
    fn frames(&self, frame: &Frame, is_dwarf: bool, is_leaf: bool) -> Vec<String> {
        let address = number(&frame.address);
        let call = self.calls.get(&(address + u64::from(is_dwarf))).filter(|_| !is_leaf);
        let function = || self.functions.range(..=address).next_back().expect("a function").1;
        call.cloned().unwrap_or_else(|| vec![function().clone()])
    }
}

fn cells<const N: usize>(line: &str) -> [&str; N] {
    line.split('\t').collect::<Vec<_>>().try_into().expect("so many cells")
}

fn number(digits: &str) -> u64 {
    u64::from_str_radix(digits.trim_start_matches("0x"), 16).expect("a hexadecimal number")
}

#[test]
fn names_of_ocaml_are_those_of_the_frame_tables() {
    let Some(recordings) = Recordings::of_data() else { return };
    let listed = Listed::of(recordings);
    for (name, is_dwarf) in [("dwarf-ocaml", true), ("fp-ocaml", false)] {
        let perf = perf_text::samples(&recordings.text(name));
        let ours = recordings.ours(name, &["--exact-names", "--annotate"]);
        let (mut inlined, mut equal, mut several) = (0, 0, 0);
        for sample in &perf {
            // Inlined frames, which have a mark, come before the function that contains them.
            let ours = ours[&sample.key].split_inclusive(|frame| !frame.ends_with("_[i]"));
            for (depth, (frame, ours)) in sample.frames.iter().zip(ours).enumerate() {
                let symbol = frame.symbol.strip_prefix("caml").and_then(|unit| unit.chars().next());
                if !symbol.is_some_and(char::is_uppercase) {
                    continue;
                }
                let expected = listed.frames(frame, is_dwarf, depth == 0);
                let bare = |name: &String| {
                    String::from_utf8_lossy(FrameParts::of(name.as_bytes()).name).into_owned()
                };
                let names = ours.iter().map(bare);
                let names: Vec<_> = names.collect();
                if names == expected {
                    equal += 1;
                    inlined += names.len() - 1;
                } else {
                    // Allocations that are combined have one list each.
                    several += 1;
                    assert_eq!(names.last(), expected.last(), "{name} {frame:?}");
                    assert!(names.len() < expected.len(), "{name} {frame:?}");
                }
            }
        }
        println!(
            "{name}: {equal} frames equal, {inlined} inlined, {several} of several allocations"
        );
        assert!(equal > 100 && several * 20 < equal, "{name}: {equal} equal, {several} not");
    }
}

#[test]
fn stack_demangle_leaves_exact_names_alone() {
    let names = "Stdlib.Map.Make.add;Main.run.(fun);Main.(fun/12);Foo.counter#add_2;Foo.(>>=);\
                 Stdlib.String.(is_valid_utf_8);Foo.Make.(add_64) (foo.ml:3)_[i];Foo.(entry) 1\n";
    let tidy = "--no-args --no-templates --normalize";
    for options in ["", "--stamps drop", "--stamps keep", "--stamps auto", "--ocaml", tidy] {
        let options: Vec<_> = options.split_whitespace().collect();
        assert_eq!(filter("stack-demangle", &options, names), names, "{options:?}");
    }
}
