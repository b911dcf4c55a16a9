//! Files of memory profilers, beyond their golden files.

use std::fs;
use std::path::PathBuf;

use crate::needs::skip;
use crate::util::{output, recording, stderr, third_party, weight};

fn stdout(args: &[&str], input: impl AsRef<[u8]>) -> String {
    String::from_utf8(output("stack-parse", args, input).stdout).expect("UTF-8")
}

fn sorted(lines: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    lines
}

/// One program under three profilers, which agree. The figures are from ms_print, from valgrind's
/// last lines, and from heaptrack_print.
#[test]
fn profilers_of_memory_agree() {
    for (file, event, expected) in [
        ("massif/heap.out.gz", "heap", 113_329),
        ("massif/heap.out.gz", "heap-extra", 3_623),
        ("massif/stacks.out.gz", "heap", 113_329),
        ("massif/stacks.out.gz", "stacks", 608),
        ("dhat/heap.json.gz", "total-bytes", 152_894),
        ("dhat/heap.json.gz", "total-blocks", 1_020),
        ("dhat/heap.json.gz", "peak-bytes", 113_329),
        ("dhat/heap.json.gz", "end-bytes", 1_077),
        ("dhat/heap.json.gz", "end-blocks", 2),
        ("dhat/heap.json.gz", "read-bytes", 36_861),
        ("dhat/heap.json.gz", "written-bytes", 42_181),
        ("heaptrack/heap.txt.gz", "allocations", 1_020),
        ("heaptrack/heap.txt.gz", "leaked", 1_077),
        ("heaptrack/heap.txt.gz", "peak", 113_329),
        ("heaptrack/heap.txt.gz", "allocated", 152_894),
    ] {
        let input = recording(&format!("formats/{file}"));
        let output = output("stack-parse", &["--event", event], input);
        assert_eq!(weight(&output.stdout), expected, "{file} {event}: {}", stderr(&output));
    }
}

#[test]
fn snapshots_are_samples_of_their_time() {
    let file = recording("formats/massif/no-peak.out");
    let grow = "(anonymous namespace)::grow(int, char)";
    // Memory without a caller belongs to the allocator.
    let first = format!(
        "(heap allocation functions) malloc/new/new[], --alloc-fns, etc. 40\n{grow} 50\n\
         [0x1] 200\n[below massif's threshold] 60\nmain;inner;{grow} 400\n\
         thread_main;{grow} 250\n"
    );
    assert_eq!(sorted(&stdout(&["--to", "0.015"], &file)), sorted(&first));
    let last = format!("[below massif's threshold];{grow} 500\n{grow} 400\n");
    assert_eq!(sorted(&stdout(&["--from", "0.015"], &file)), sorted(&last));
    assert_eq!(sorted(&stdout(&[], &file)), sorted(&last));
    let table = stdout(&["--table", "--by-event"], &file);
    assert!(table.contains("0.012000\t0.012000\t\t\t\t\theap-extra\t24\t"), "{table}");
}

#[test]
fn the_code_that_massif_saw_inlined_is_marked() {
    let file = recording("formats/massif/no-peak.out");
    let folded = stdout(&["--annotate", "--to", "0.015"], &file);
    assert!(folded.contains("main;inner_[i];(anonymous namespace)::grow(int, char) 400\n"));
    let folded = stdout(&["--srcline", "--to", "0.015"], &file);
    assert!(folded.contains("main (demo.cpp:9);inner (a.h:3);"), "{folded}");
}

#[test]
fn heaptrack_has_the_times_of_allocations() {
    let old = recording("formats/heaptrack/old.txt");
    let all = "[no stack] 1\nmain;[libstdc++.so.6] 1\nmain;[libstdc++.so.6];[unknown] 1\n\
               main;main;grow(int:) 1\n";
    assert_eq!(stdout(&[], &old), all);
    let late = stdout(&["--from", "0.005", "--event", "allocated"], &old);
    assert_eq!(late, "[no stack] 8\nmain;[libstdc++.so.6];[unknown] 48\n");
    assert_eq!(stdout(&["--event", "temporary"], &old), "main;main;grow(int:) 1\n");
    let leaked = stdout(&["--event", "leaked"], &old);
    assert_eq!(leaked, "[no stack] 8\nmain;[libstdc++.so.6];[unknown] 48\n");
    // 64 bytes before the first second, 56 at the end; 72 with the third.
    let peak = stdout(&["--event", "peak"], &old);
    assert_eq!(peak, "main;[libstdc++.so.6] 16\nmain;[libstdc++.so.6];[unknown] 48\n");
}

#[test]
fn damage_of_profiles_of_memory_is_named() {
    let massif = String::from_utf8(recording("formats/massif/no-peak.out")).expect("UTF-8");
    let cut = massif.split(" n0: 200").next().expect("a tree");
    let dhat = String::from_utf8(recording("formats/dhat/copy.json")).expect("UTF-8");
    let heaptrack = String::from_utf8(recording("formats/heaptrack/heap.txt.gz")).expect("UTF-8");
    for (input, kept, said) in [
        (cut, 1000, "expected more of a snapshot; what came before is kept"),
        (&format!("{massif}odd\n"), 900, ":46: expected a line of massif"),
        (&dhat[..dhat.len() - 5], 2311, "the JSON ends too early; what came before is kept"),
        (dhat.split(",\"ftbl\"").next().expect("frames"), 2311, "the JSON ends too early"),
        (&format!("{heaptrack}+ fffff\n"), 1020, "expected a line of heaptrack"),
        (&format!("{heaptrack}? odd\n"), 1020, "expected a line of heaptrack"),
    ] {
        let output = output("stack-parse", &[], input);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(stderr(&output).contains(said), "{said}: {}", stderr(&output));
        assert_eq!(weight(&output.stdout), kept, "{said}");
    }
}

#[test]
fn raw_recordings_of_heaptrack_are_named_by_the_files_that_were_mapped() {
    let raw = recording("formats/heaptrack/leaky-raw.txt.gz");
    let symfs = ["--symfs", "tests/golden/symfs"];
    let bare = stdout(&symfs, &raw);
    assert!(bare.contains("[leaky+0x127e];[leaky+0x11aa];[leaky+0x1185] 2000\n"), "{bare}");
    let labelled = stdout(&[&symfs[..], &["--labels", "object"]].concat(), &raw);
    assert!(labelled.starts_with("object=/home/someone/work/td/mem/leaky\t"), "{labelled}");
    let Some(data) = std::env::var_os("STACK_TOOLS_DATA") else {
        return skip("STACK_TOOLS_DATA does not say where time-and-place/memory is");
    };
    let program = PathBuf::from(data).join("time-and-place/memory/leaky");
    let symfs: PathBuf = [env!("CARGO_TARGET_TMPDIR"), "heaptrack-symfs"].iter().collect();
    let folder = symfs.join("home/someone/work/td/mem");
    fs::create_dir_all(&folder).expect("a writable target directory");
    fs::copy(program, folder.join("leaky")).expect("the program");
    let args = ["--symfs", symfs.to_str().expect("UTF-8"), "--srcline=base"];
    let ours = |text: String| -> Vec<String> {
        let from_main = |line: &str| Some(line[line.find(";main (")?..].to_owned());
        let mut lines: Vec<_> = text.lines().filter_map(from_main).collect();
        lines.retain(|line| !line.contains("puts") && !line.contains("libc"));
        lines.sort();
        lines
    };
    let named = ours(stdout(&args, &raw));
    let interpreted = recording("formats/heaptrack/leaky.txt.gz");
    assert_eq!(named, ours(stdout(&["--srcline=base"], interpreted)));
    assert_eq!(named.len(), 5);
}

/// The figures are from heaptrack_print, with the leaks that it suppresses, and from ms_print; the
/// sums of Valgrind's report are the same in all its formats.
#[test]
fn profiles_of_memory_of_other_people_weigh_what_they_hold() {
    for (folder, file, event, expected) in [
        ("heaptrack", "heaptrack.david.18594.gz", "allocations", 2_896),
        ("heaptrack", "heaptrack.david.18594.gz", "temporary", 729),
        ("heaptrack", "heaptrack.david.18594.gz", "peak", 996_970),
        ("heaptrack", "heaptrack.david.18594.gz", "leaked", 30_463),
        ("heaptrack", "heaptrack.test_sysroot.expected", "leaked", 73_760),
        ("heaptrack", "heaptrack.test_sysroot.raw", "leaked", 73_760),
        ("massif", "massif.detailed.out", "heap", 135_800),
        ("massif", "massif.pages.out", "pages", 152_670_208),
        ("massif", "xtmemory.ms", "totB", 139_904),
        ("massif", "xtmemory.ms", "totFdBk", 603),
    ] {
        let Some(folder) = third_party(folder) else { return };
        let input = fs::read(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let output = output("stack-parse", &["--event", event], input);
        assert_eq!(weight(&output.stdout), expected, "{file} {event}: {}", stderr(&output));
    }
}
