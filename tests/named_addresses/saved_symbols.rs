//! `NAME.syms.json`, in which samply saves names beside a profile.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::profile::Recorded;
use super::samply::{NEEDS, Work};
use super::{Function, Functions, named, parse};
use crate::needs::goes_without;

/// The id of the program as in a profile, and as samply 0.13.1 saves it.
const BREAKPAD_ID: &str = "3E0A2663466E57DBABF718F6A3562C6E0";
const DEBUG_ID: &str = "3e0a2663-466e-57db-abf7-18f6a3562c6e";

/// The names of addresses as samply saves them: either one entry per function, with the frames of
/// its lowest address, or one entry per sequence of frames.
fn saved(work: &Work, debug_id: &str, code_id: &str, by_frames: bool) -> Value {
    let mut strings: Vec<String> = Vec::new();
    let mut string = |text: &str| {
        strings.iter().position(|it| it == text).unwrap_or_else(|| {
            strings.push(text.to_owned());
            strings.len() - 1
        })
    };
    let (mut entries, mut symbols, mut known) = (HashMap::new(), Vec::new(), Vec::new());
    for (address, functions) in work.code.addresses.iter().zip(&work.expected) {
        let outermost = &functions.last().expect("a function").name;
        let frames: Vec<Value> = functions
            .iter()
            .map(|function| {
                let (file, line) = function.place.rsplit_once(':').expect("a line");
                let line: u32 = line.parse().expect("a number");
                json!({"function": string(&function.name), "file": string(file), "line": line})
            })
            .collect();
        let key = (
            outermost,
            by_frames.then_some(functions.iter().map(|it| &it.place[..]).collect::<Vec<_>>()),
        );
        let start = entries
            .iter()
            .filter(|((name, _), _)| *name == outermost)
            .map(|(_, (_, start))| *start)
            .min();
        let start: u64 = start.unwrap_or(*address);
        let (entry, _) = *entries.entry(key).or_insert_with(|| {
            symbols.push(
                json!({"rva": start, "size": 100, "symbol": string(outermost), "frames": frames}),
            );
            (symbols.len() - 1, start)
        });
        known.push(json!([address, entry]));
    }
    json!({"string_table": strings, "data": [{"debug_name": "work", "debug_id": debug_id,
        "code_id": code_id, "symbol_table": symbols, "known_addresses": known}]})
}

/// Writes a profile of all addresses, compressed if its name ends so, and `symbols` beside it.
fn write(work: &Work, recorded: Recorded<'_>, name: &str, symbols: (&str, &Value)) -> PathBuf {
    let profile = recorded.profile(&work.code.addresses);
    let path = work.folder.join(name);
    let mut bytes = profile.into_bytes();
    if name.ends_with(".gz") {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&bytes).expect("memory");
        bytes = gzip.finish().expect("memory");
    }
    fs::write(&path, bytes).expect("a writable folder");
    fs::write(work.folder.join(symbols.0), symbols.1.to_string()).expect("a writable folder");
    path
}

fn named_of(profile: &Path) -> (Vec<Functions>, String) {
    let mut parse = parse();
    parse.arg(profile);
    named(parse)
}

#[test]
fn saved_names_serve_where_the_program_is_gone() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let work = Work::new("syms");
    let gone = work.folder.join("gone/work");
    let build_id = &work.code.build_id[..];
    for (name, beside) in [
        ("profile.json", "profile.syms.json"),
        ("profile.json.gz", "profile.json.syms.json"),
        ("other.json.gz", "other.syms.json"),
    ] {
        for (recorded, ids) in [
            (Recorded::new(&gone, build_id), ("", build_id)),
            (Recorded { path: &gone, code_id: "", breakpad_id: BREAKPAD_ID }, (DEBUG_ID, "")),
        ] {
            let symbols = saved(&work, ids.0, ids.1, true);
            let profile = write(&work, recorded, name, (beside, &symbols));
            let (ours, said) = named_of(&profile);
            work.code.assert_same(&ours, &work.expected);
            assert_eq!(said, "", "{name}");
        }
        fs::remove_file(work.folder.join(beside)).expect("a file");
    }
}

/// samply 0.13.1 saves the frames of only one address of each function.
#[test]
fn frames_of_one_address_are_not_those_of_others() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let work = Work::new("syms-of-functions");
    let symbols = saved(&work, DEBUG_ID, &work.code.build_id, false);
    let beside = ("profile.syms.json", &symbols);
    let gone = work.folder.join("gone/work");
    let recorded = Recorded::new(&gone, &work.code.build_id);
    let (ours, said) = named_of(&write(&work, recorded, "profile.json", beside));
    let mut before = "";
    let mut lowest = 0;
    for (ours, expected) in ours.iter().zip(&work.expected) {
        let outermost = &expected.last().expect("a function").name[..];
        let is_lowest = outermost != before;
        lowest += usize::from(is_lowest);
        before = outermost;
        let only = vec![Function { name: outermost.to_owned(), place: String::new() }];
        assert_eq!(ours, if is_lowest { expected } else { &only });
    }
    let expected = format!(
        "profile.syms.json: it has inlined functions and lines for only one address of each \
         function: {} addresses lack them\n",
        work.expected.len() - lowest
    );
    assert!(said.ends_with(&expected) && said.lines().count() == 1, "{said}");
    // The program itself has all names.
    let (ours, said) = named_of(&write(&work, work.recorded(), "profile.json", beside));
    work.code.assert_same(&ours, &work.expected);
    assert_eq!(said, "");
}

#[test]
fn saved_names_of_another_build_are_not_used() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let work = Work::new("syms-other");
    let gone = work.folder.join("gone/work");
    let recorded =
        Recorded { breakpad_id: BREAKPAD_ID, ..Recorded::new(&gone, &work.code.build_id) };
    let nil = Recorded { path: &gone, code_id: "", breakpad_id: &"0".repeat(33) };
    for (recorded, debug_id) in [
        (recorded, "aaaaaaaa-466e-57db-abf7-18f6a3562c6e"),
        // Nothing is known of a library without an id.
        (nil, "00000000-0000-0000-0000-000000000000"),
    ] {
        let symbols = saved(&work, debug_id, "aaaa", true);
        let (ours, said) =
            named_of(&write(&work, recorded, "profile.json", ("profile.syms.json", &symbols)));
        assert_eq!(ours.len(), work.expected.len());
        assert!(ours.iter().all(|functions| functions[0].name.is_empty()), "{ours:?}");
        let others =
            "profile.syms.json: it has names for other libraries than those of this profile\n";
        assert!(said.contains(others), "{said}");
        assert!(said.contains(&format!("{}: no symbols for 100.0 %", gone.display())), "{said}");
    }
}

#[test]
fn a_damaged_file_of_names_is_reported() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let work = Work::new("syms-damaged");
    let whole = saved(&work, DEBUG_ID, &work.code.build_id, true);
    let profile = write(&work, work.recorded(), "profile.json", ("profile.syms.json", &whole));
    let text = whole.to_string();
    for damaged in ["", "[]", "{", "null", &text[..text.len() / 2], &text[..text.len() - 1]] {
        fs::write(work.folder.join("profile.syms.json"), damaged).expect("a writable folder");
        let (ours, said) = named_of(&profile);
        // The program itself gives the names that the file lacks.
        work.code.assert_same(&ours, &work.expected);
        assert!(said.contains("profile.syms.json"), "{damaged}: {said}");
    }
}
