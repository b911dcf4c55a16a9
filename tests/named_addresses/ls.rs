//! samply's own test with `ls` of Ubuntu: a recording, the program, its debug file, and the file
//! shared by the programs of its package.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::profile::Recorded;
use super::{Code, Function, copy, folder, named, parse};
use crate::needs::goes_without;
use crate::util::{third_party, tool, weight};

const BUILD_ID: &str = "63260a3e6e46db57abf718f6a3562c6eedccf269";

/// The files, arranged in folders for the options.
struct Ubuntu {
    recording: PathBuf,
    debug_file: PathBuf,
    options: [String; 4],
}

impl Ubuntu {
    fn new(name: &str) -> Option<Ubuntu> {
        let files = third_party("samply")?.join("other/ls-linux");
        let folder = folder(name);
        let debug_file =
            folder.join("debug/.build-id/63").join(format!("{}.debug", &BUILD_ID[2..]));
        copy(&files.join("ls"), &folder.join("symfs/usr/bin/ls"));
        copy(&files.join(format!("{}.debug", &BUILD_ID[2..])), &debug_file);
        let shared = "debug/.dwz/aarch64-linux-gnu/coreutils.debug";
        copy(&files.join("coreutils.debug"), &folder.join(shared));
        let path = |name: &str| folder.join(name).display().to_string();
        let options =
            ["--symfs".to_owned(), path("symfs"), "--debug-dir".to_owned(), path("debug")];
        Some(Ubuntu { recording: files.join("ls-profile.json"), debug_file, options })
    }
}

/// The sum of the weights of all samples.
fn total(profile: &Value) -> u64 {
    let threads = profile["threads"].as_array().expect("threads").iter();
    let weights = threads.flat_map(|thread| {
        let samples = &thread["samples"];
        let stacks = samples["stack"].as_array().expect("stacks");
        (0..stacks.len()).map(|row| samples["weight"][row].as_u64().unwrap_or(1))
    });
    weights.sum()
}

/// The addresses in the library of this name.
fn addresses(profile: &Value, library: &str) -> Vec<u64> {
    let mut found = BTreeSet::new();
    for thread in profile["threads"].as_array().expect("threads") {
        let frames = &thread["frameTable"];
        let functions = frames["func"].as_array().expect("frames").iter();
        for (address, function) in
            frames["address"].as_array().expect("frames").iter().zip(functions)
        {
            let function = function.as_u64().expect("a row") as usize;
            let resource = thread["funcTable"]["resource"][function].as_u64().expect("a row");
            let lib = thread["resourceTable"]["lib"][resource as usize].as_u64().expect("a row");
            if profile["libs"][lib as usize]["name"] == library {
                found.extend(address.as_u64());
            }
        }
    }
    found.into_iter().collect()
}

fn read(ubuntu: &Ubuntu) -> Value {
    let text = fs::read(&ubuntu.recording).expect("a recording");
    serde_json::from_slice(&text).expect("JSON")
}

#[test]
fn functions_of_ls_have_names_and_what_is_not_there_is_named() {
    let Some(ubuntu) = Ubuntu::new("ls") else { return };
    let mut parse = tool("stack-parse");
    parse.args(&ubuntu.options).arg(&ubuntu.recording).env("HOME", "/nonexistent");
    let output = parse.output().expect("it starts");
    assert_eq!(weight(&output.stdout), u128::from(total(&read(&ubuntu))));
    let stacks = String::from_utf8_lossy(&output.stdout);
    for names in [";gobble_file.constprop.0;do_lstat;", ";main;", ";_start;[libc.so.6+0x274cb];"] {
        assert!(stacks.contains(names), "{names} in {stacks}");
    }
    assert!(!stacks.contains("[ls+"), "{stacks}");
    let said = String::from_utf8_lossy(&output.stderr);
    for (file, why) in [
        ("[kernel.kallsyms]", "no /proc/kallsyms of the recorded machine was found"),
        (
            "/usr/lib/aarch64-linux-gnu/libc.so.6",
            "neither the file nor a copy with its build-id f37f3aa07c79",
        ),
        (
            "/usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1",
            "neither the file nor a copy with its build-id 9a9c6aeba5df",
        ),
    ] {
        let start = format!("{file}: no symbols for ");
        let is_said = said.lines().any(|line| line.contains(&start) && line.contains(why));
        assert!(is_said, "{file}: {why} in {said}");
    }
    assert_eq!(said.lines().count(), 3, "{said}");
}

/// Some of the functions named in the shared file, at the lines that LLVM gives: with their names
/// in the source.
const SHARED: [(u64, &[&str]); 3] = [
    (0xd6f7, &["do_lstat"]),
    (0x98e7, &["xstrcoll", "cmp_name"]),
    (0xcda8, &["last_component", "mfile_name_concat", "file_name_concat"]),
];

/// The profile's version has addresses of callers inside the call instruction. LLVM 14 does not
/// read the file that programs share: it knows which functions are inlined and where, but not all
/// of their names. It also does not know the code that the linker adds for calls of libraries.
#[test]
fn addresses_of_ls_are_named_as_by_llvm() {
    if goes_without(&[&["llvm-symbolizer"]]) {
        return;
    }
    let Some(ubuntu) = Ubuntu::new("ls-addresses") else { return };
    let addresses = addresses(&read(&ubuntu), "ls");
    assert_eq!(addresses.len(), 86);
    let mut parse = parse();
    let recorded = Recorded::new("/usr/bin/ls".as_ref(), BUILD_ID);
    parse.args(&ubuntu.options).write_stdin(recorded.profile(&addresses));
    let (mut ours, _) = named(parse);
    let code = Code { addresses, base: 0, build_id: BUILD_ID.to_owned() };
    for (address, names) in SHARED {
        let at = code.addresses.iter().position(|it| *it == address).expect("an address");
        let inlined: Vec<&str> = ours[at].iter().map(|it| &it.name[..]).collect();
        assert_eq!(inlined[..inlined.len() - 1], *names, "at {address:#x}");
    }
    let theirs = code.by_llvm(&ubuntu.debug_file);
    let mut linked = BTreeSet::new();
    for (ours, theirs) in ours.iter_mut().zip(&theirs) {
        for (ours, theirs) in ours.iter_mut().zip(theirs) {
            if theirs.name.is_empty() && !ours.name.is_empty() {
                ours.name.clear();
            }
            if theirs.name == "_init" && ours.name.ends_with("@plt") {
                linked.insert(ours.name.clone());
                *ours = Function { name: theirs.name.clone(), place: String::new() };
            }
        }
    }
    code.assert_same(&ours, &theirs);
    let linked: Vec<_> = linked.into_iter().collect();
    assert_eq!(linked, ["__errno_location@plt", "dirfd@plt", "malloc@plt", "strlen@plt"]);
}
