//! Names of the kernel, of its vdso, and of code compiled at run time.

use std::fs;
use std::path::PathBuf;

use super::{START, parse, said};
use crate::perf_stream::{IN_KERNEL, IN_PROGRAM, KERNEL, Stream};
use crate::util::{output, stderr, weight};

/// The address of the kernel in the recordings.
const TEXT: u64 = 0xffff_ffff_8100_0000;

/// An empty folder that stands for the `/` of another machine.
fn symfs(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lost-names").join(name);
    // An earlier run may have left a folder; before the first one there is none.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("proc")).expect("a writable target directory");
    fs::create_dir_all(folder.join("tmp")).expect("a writable target directory");
    folder
}

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Asserts that a sample has no name, and that a message about `path` says so.
fn assert_says(recording: &Stream, args: &[&str], path: &str, why: &str) {
    let output = parse(recording, args);
    assert_eq!(weight(&output.stdout), 1, "{output:?}");
    assert_eq!(said(&output), [format!("{path}: no symbols for 100.0 % of all frames: {why}")]);
}

fn of_kernel() -> Stream {
    let stream = Stream::new();
    stream
        .map(KERNEL, IN_KERNEL, TEXT, 0x100_0000, TEXT, "[kernel.kallsyms]_text")
        .sample(IN_KERNEL, TEXT + 0x110)
}

fn of_program(path: &str) -> Stream {
    Stream::new().map_file(START, path).sample(IN_PROGRAM, START + 0x110)
}

#[test]
fn the_symbols_of_another_kernel_are_needed() {
    let says = |args: &[&str], why: &str| {
        assert_says(&of_kernel(), args, "[kernel.kallsyms]", why);
    };
    let folder = symfs("kernel");
    let symfs = ["--symfs", text(&folder)];
    says(
        &[],
        "another kernel runs now than when it was recorded: name a copy of the /proc/kallsyms of \
         that time with --kallsyms",
    );
    let none = "no /proc/kallsyms of the recorded machine was found: name a copy of it with \
                --kallsyms";
    says(&symfs, none);
    let kallsyms = folder.join("proc/kallsyms");
    fs::create_dir(&kallsyms).expect("a new folder");
    says(
        &symfs,
        "/proc/kallsyms cannot be read (Is a directory (os error 21)): run stack-parse as root, \
         or name a copy that root made with --kallsyms",
    );
    fs::remove_dir(&kallsyms).expect("our own folder");
    fs::write(&kallsyms, "0000000000000000 T _text\n").expect("a writable folder");
    says(
        &symfs,
        "all addresses in /proc/kallsyms are 0, since the kernel hides them \
         (kernel.kptr_restrict): run stack-parse as root, or name a copy that root made with \
         --kallsyms",
    );
    fs::write(&kallsyms, format!("{TEXT:x} T _text\n")).expect("a writable folder");
    let output = parse(&of_kernel(), &["--kallsyms", text(&kallsyms)]);
    assert_eq!((&output.stdout[..], said(&output)), (&b"_text 1\n"[..], Vec::new()));
}

#[test]
fn a_useless_list_of_symbols_is_named() {
    let folder = symfs("useless-kallsyms");
    let help = "name a copy of the /proc/kallsyms of the recorded machine, made by root";
    for (name, content, why) in [
        ("missing", None, "not found"),
        ("empty", Some(""), "not found"),
        ("hidden", Some("0 T _text\n"), "the kernel hides its addresses (kernel.kptr_restrict)"),
    ] {
        let file = folder.join(name);
        if let Some(content) = content {
            fs::write(&file, content).expect("a writable folder");
        }
        let file = text(&file);
        let why = format!("--kallsyms {file} gives no names ({why}): {help}");
        assert_says(&of_kernel(), &["--kallsyms", file], "[kernel.kallsyms]", &why);
    }
}

#[test]
fn a_module_needs_the_symbols_of_its_kernel() {
    let folder = symfs("module");
    let module = "/lib/modules/6.1/nft.ko";
    let stream = of_kernel()
        .map(KERNEL, IN_KERNEL, 0xffff_ffff_c000_0000, 0x1000, 0, module)
        .sample(IN_KERNEL, 0xffff_ffff_c000_0010);
    let why = "no symbols for 50.0 % of all frames: no /proc/kallsyms of the recorded machine was \
               found: name a copy of it with --kallsyms";
    let said = said(&parse(&stream, &["--symfs", text(&folder)]));
    assert_eq!(said, [module, "[kernel.kallsyms]"].map(|path| format!("{path}: {why}")));
}

#[test]
fn the_vdso_of_another_kernel_is_needed() {
    let folder = symfs("vdso");
    let why = "no vdso of the recorded kernel was found: name a copy of it with --vdso";
    assert_says(&of_program("[vdso]"), &["--symfs", text(&folder)], "[vdso]", why);
    let file = folder.join("proc/text");
    fs::write(&file, "text").expect("a writable folder");
    for (name, why) in [
        ("missing", "not found"),
        ("proc/text", "it is not a little-endian executable of 32 or 64 bits"),
    ] {
        let file = folder.join(name);
        let file = text(&file);
        let why = format!(
            "--vdso {file} gives no names ({why}): name a copy of the vdso of the recorded kernel"
        );
        assert_says(&of_program("[vdso]"), &["--vdso", file], "[vdso]", &why);
    }
}

#[test]
fn code_that_was_made_at_run_time_needs_a_map() {
    let folder = symfs("map");
    let args = ["--symfs", text(&folder)];
    let why = "the code was made at run time, and no /tmp/perf-PID.map of its process was found: \
               have the program write one: stack-tools(7) says how";
    for (path, shown) in [
        ("//anon", "/tmp/perf-7.map"),
        ("/dev/zero (deleted)", "/tmp/perf-7.map"),
        ("[heap]", "[heap]"),
        ("[anon:v8]", "[anon:v8]"),
        ("/memfd:doublemapper (deleted)", "/memfd:doublemapper (deleted)"),
        ("/SYSV00000000 (deleted)", "/SYSV00000000 (deleted)"),
    ] {
        assert_says(&of_program(path), &args, shown, why);
    }
    let map = format!("{START:x} 1000 made\n");
    fs::write(folder.join("tmp/perf-7.map"), map).expect("a writable folder");
    let output = parse(&of_program("//anon"), &args);
    assert_eq!((&output.stdout[..], said(&output)), (&b"made 1\n"[..], Vec::new()));
}

#[test]
fn a_jitdump_is_needed() {
    let folder = symfs("jitdump");
    let args = ["--symfs", text(&folder)];
    let path = "/tmp/jit-7.dump";
    let why = "the code was made at run time, and this file of its process was not found: put it \
               below DIR, at this path, and use --symfs DIR, or record anew and keep it";
    // The file is mapped so that it is known; the code is elsewhere.
    let recording = Stream::new()
        .map_file(2 * START, path)
        .map_file(START, "//anon")
        .sample(IN_PROGRAM, START + 0x110);
    assert_says(&recording, &args, path, why);
    fs::write(folder.join("tmp/jit-7.dump"), "no dump, but long enough").expect("a folder");
    let why = "it is not a jitdump of a little-endian machine: record anew, and keep the file as \
               the program writes it";
    assert_says(&recording, &args, path, why);
}

#[test]
fn a_missing_map_is_said_once() {
    let folder = symfs("said-once");
    let recording = "tests/golden/formats/perf-data/fp-node-perfmap.perf.data.gz";
    let output = output("stack-parse", &["--symfs", text(&folder), recording], "");
    let said = stderr(&output);
    assert_eq!(said.matches("node --perf-basic-prof").count(), 1, "{said}");
    // Whose names are missing is said of each file, and not again of all of them.
    assert!(!said.contains("of the weight"), "{said}");
}
