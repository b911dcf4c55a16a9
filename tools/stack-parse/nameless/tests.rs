//! The messages about files without symbols.

use super::*;

fn file(path: &'static str, frames: u64, why: NoSymbols) -> Nameless<'static> {
    Nameless {
        path: path.as_bytes(),
        build_id: None,
        origin: CodeOrigin::File,
        frames,
        why,
        runtime: None,
        alike: 0,
    }
}

/// A user who did nothing else to find names.
fn with<T>(servers: Servers, test: impl FnOnce(Efforts<'_>) -> T) -> T {
    test(Efforts { servers, args: &SymbolizeArgs::default() })
}

fn other() -> NoSymbols {
    NoSymbols::OtherBuildId(Some([0xab, 0xcd].into()))
}

#[test]
fn the_worst_files_are_named() {
    let recorded = |file: Nameless<'static>| Nameless { build_id: Some(&[0x12]), ..file };
    let files = vec![
        file("/f", 1, NoSymbols::NotFound),
        recorded(file("/a", 50, NoSymbols::NotFound)),
        recorded(file("/e", 2, NoSymbols::OtherBuildId(None))),
        recorded(file("/b", 20, other())),
        recorded(file("/b", 10, other())),
        file("/c", 7, NoSymbols::Stripped(None)),
        Nameless {
            origin: CodeOrigin::Kernel,
            ..file("[kernel.kallsyms]", 7, NoSymbols::OtherKernel)
        },
        file("/none", 0, NoSymbols::NotFound),
        file("/g", 1, other()),
    ];
    let expected = [
        "/a: no symbols for 25.0 % of all frames: neither the file nor a copy with its build-id \
         12 was found: put it below DIR, at this path, and use --symfs DIR",
        "/b: no symbols for 15.0 % of all frames: its build-id is abcd, the recorded one was \
         12: put the recorded file below DIR, at this path, and use --symfs DIR",
        "/c: no symbols for 3.5 % of all frames: it is stripped and has no build-id, and no \
         debug file was found: name the folder of its debug file with --debug-dir, or build it \
         without stripping it",
        "[kernel.kallsyms]: no symbols for 3.5 % of all frames: another kernel runs now than \
         when it was recorded: name a copy of the /proc/kallsyms of that time with --kallsyms",
        "/e: no symbols for 1.0 % of all frames: it has no build-id, the recorded one was 12: \
         put the recorded file below DIR, at this path, and use --symfs DIR",
        "2 more files, /f first: no symbols for 1.0 % of all frames: the build-id of 1 differs from \
         the recorded one",
    ];
    assert_eq!(with(Servers::None, |efforts| messages(files, 200, efforts)), expected);
    assert!(with(Servers::None, |efforts| messages(Vec::new(), 200, efforts)).is_empty());
}

#[test]
fn servers_are_named_where_they_could_help() {
    let said = |why: NoSymbols, build_id, servers| {
        let file = Nameless { build_id, ..file("/a", 1, why) };
        with(servers, |efforts| reason(&file, efforts))
    };
    let id = Some(&[0x12][..]);
    let stripped = |id: Option<&[u8]>| NoSymbols::Stripped(id.map(Box::from));
    let other_debug_file = |id: Option<&[u8]>| NoSymbols::OtherDebugFile {
        build_id: id.map(Box::from),
        file: "/a.debug".into(),
    };
    for (servers, expected) in [
        (Servers::None, ""),
        (Servers::Unasked, ", or download it with --debuginfod"),
        (Servers::Asked, " (no server has it)"),
    ] {
        for why in [NoSymbols::NotFound, other(), stripped(id), other_debug_file(id)] {
            let (said, without) = (said(why.clone(), id, servers), said(why, id, Servers::None));
            assert_eq!(said.strip_prefix(&without), Some(expected), "{said}");
        }
    }
    // Servers know files by their build-ids.
    assert!(!said(stripped(None), None, Servers::Unasked).contains("--debuginfod"));
    assert!(!said(NoSymbols::NotFound, None, Servers::Asked).contains("server"));
}

#[test]
fn missing_dwo_files_are_named() {
    let mut missing = MissingSplit { first: b"/build/a.dwo".to_vec(), files: 1, differs: false };
    assert_eq!(
        without_inlined(b"/opt/app", &missing),
        "/opt/app: inlined functions have no names, since /build/a.dwo was not found, nor its \
         contents in /opt/app.dwp: put one of them beside the program, or name its folder with --debug-dir"
    );
    (missing.files, missing.differs) = (3, true);
    assert_eq!(
        without_inlined(b"/opt/app", &missing),
        "/opt/app: inlined functions have no names, since /build/a.dwo (the first of 3 .dwo \
         files) is of another build: put that of the same build beside the program, or name its \
         folder with --debug-dir"
    );
}

#[test]
fn files_with_few_frames_share_a_message_except_those_that_are_others() {
    let messages = |files, all| with(Servers::None, |efforts| messages(files, all, efforts));
    let missing = |path, frames| file(path, frames, NoSymbols::NotFound);
    let [said] = &messages(vec![missing("/a", 1), file("/b", 1, other())], 1000)[..] else {
        panic!("expected one message")
    };
    assert!(said.starts_with("/b: no symbols for 0.1 % of all frames: its build-id"), "{said}");
    // Less than 0.1 % together is not worth a message, less than 1 % not one for each file.
    assert!(messages(vec![missing("/a", 1)], 1000).is_empty());
    let files = || vec![missing("/a", 1), file("/c", 1, NoSymbols::Deleted)];
    assert_eq!(
        messages(files(), 1000),
        ["2 more files, /a first: no symbols for 0.2 % of all frames"]
    );
    assert_eq!(messages(files(), 199).len(), 1);
    assert_eq!(messages(files(), 100).len(), 1);
    assert_eq!(messages(files(), 99).len(), 2);
    // The message of one file has room for the reason.
    let [said] = &messages(vec![missing("/a", 2)], 1000)[..] else {
        panic!("expected one message")
    };
    assert!(said.starts_with("/a: no symbols for 0.2 % of all frames: the file was"), "{said}");
}

#[test]
fn maps_that_lack_for_the_same_reason_have_one_message() {
    let node = Runtime::of_file(b"/usr/bin/node");
    let map = |path, frames, runtime| Nameless {
        origin: CodeOrigin::Memory,
        runtime,
        ..file(path, frames, NoSymbols::NotFound)
    };
    let maps = vec![
        map("/tmp/perf-7.map", 3, node),
        map("/tmp/perf-8.map", 20, node),
        map("/tmp/perf-9.map", 30, None),
        map("/tmp/perf-10.map", 10, node),
    ];
    let said = with(Servers::None, |efforts| messages(maps, 100, efforts));
    let start = "the code was made at run time, and no /tmp/perf-PID.map of its process was found: \
                 have the program write one: ";
    assert_eq!(
        said,
        [
            format!(
                "/tmp/perf-8.map and 2 more: no symbols for 33.0 % of all frames: {start}'node \
                 --perf-basic-prof'"
            ),
            format!(
                "/tmp/perf-9.map: no symbols for 30.0 % of all frames: {start}stack-tools(7) says how"
            ),
        ]
    );
}

#[test]
fn the_runtime_of_the_process_is_advised() {
    let said = |runtime| {
        let memory = file("/tmp/perf-7.map", 1, NoSymbols::NotFound);
        of_memory(&Nameless { origin: CodeOrigin::Memory, runtime, ..memory })
    };
    let start = "the code was made at run time, and no /tmp/perf-PID.map of its process was found: \
                 have the program write one: ";
    assert_eq!(said(None), format!("{start}stack-tools(7) says how"));
    let node = Runtime::of_file(b"/usr/bin/node");
    assert_eq!(said(node), format!("{start}'node --perf-basic-prof'"));
}
