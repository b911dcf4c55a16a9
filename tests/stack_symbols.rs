use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::names::symbol_name;
use proptest::prelude::*;
use symbolize::executable::{Symbols, Unreadable, ocaml_calls};

use crate::needs::{OCAML, goes_without};
use crate::packers::packed;
use crate::programs::{EFFECTS, EFFECTS_FP, FRAMES, FRAMES_FIXED, PACKBENCH};
use crate::util::{TempFile, binary, filter, output};

const HEADER: &str = "symbol\tname\tlocation\taddress\tmark\n";

fn path(exe: &Path) -> &str {
    exe.to_str().expect("a UTF-8 path")
}

fn bytes(exe: &Path) -> Vec<u8> {
    fs::read(exe).expect("it is built")
}

#[test]
fn functions_are_listed_by_address_with_their_lines() {
    for exe in [&*FRAMES, &*FRAMES_FIXED] {
        let list = filter("stack-symbols", &[path(exe)], "");
        let folder = exe.parent().expect("a folder").display().to_string();
        let list = list.replace(&folder, "");
        let rows: Vec<Vec<&str>> = list.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!(rows[0].join("\t") + "\n", HEADER);
        let address = |row: &Vec<&str>| u64::from_str_radix(&row[3][2..], 16).expect("0x..");
        assert!(rows[1..].is_sorted_by_key(address), "{list}");
        let ours = ["frames.s", "frames.c", "foo.ml", "list.ml"];
        let ours = rows.iter().filter(|row| ours.iter().any(|name| row[2].contains(name)));
        let ours: Vec<_> = ours.map(|row| [&row[..3], &row[4..]].concat().join(" ")).collect();
        let expected = [
            "camlFoo.code_begin Foo.Make.run frames.s:13 exact",
            "camlFoo.run_12 Foo.Make.run frames.s:13 exact",
            "camlFoo.map_34 Stdlib.List.map frames.s:24 exact",
            "camlFoo.fun_56 Foo.Make.run.(fun/56) frames.s:32 guess",
            "camlFoo.$3b$40_78 Foo.(:@) frames.s:38 symbol",
            "camlFoo.fit_90 Foo.Rows.fit frames.s:44 exact",
            "camlFoo.anon_fn_67 Stdlib.List.iter.(fun) frames.s:56 exact",
            "camlFoo.entry Foo.(toplevel) frames.s:64 exact",
            "camlBar.fun_9 Bar.(fun/9) frames.s:79 symbol",
            "leaf leaf /frames.c:4 symbol",
            "_ZN5space6doubleEi space::double(int) /frames.c:10 symbol",
            "main main /frames.c:15 symbol",
        ];
        assert_eq!(ours, expected);
        assert!(list.contains("\n_start\t_start\t-\t0x"), "{list}");
    }
}

#[test]
fn calls_are_listed_with_what_was_inlined() {
    let list = filter("stack-symbols", &["--calls", path(&FRAMES)], "");
    let rows: Vec<&str> = list.lines().collect();
    assert_eq!(rows[0], "address\tname\tlocation");
    let places: Vec<_> = rows[1..].iter().map(|row| row.split_once('\t').expect(row).1).collect();
    let expected = [
        "Foo.Bar.(>>=)\tlib/bar.ml:7",
        "Foo.Make.run\tfoo.ml:1000",
        "Foo.Make.run\tfoo.ml:900",
        "Foo.Make.run\tfoo.ml:5000",
        "Stdlib.List.map\tlist.ml:92",
        "Foo.Rows.fits\tfoo.ml:20",
        "Foo.Rows.fits\tfoo.ml:20",
        "Foo.Rows.fit.loop\tfoo.ml:30",
        "Stdlib.List.iter.(fun)\tlist.ml:112",
        "Foo.Make\tfoo.ml:40",
        "Foo.(toplevel)\t-",
    ];
    assert_eq!(places, expected);
}

#[test]
fn a_function_that_begins_with_an_inlined_one_has_a_line_of_its_own() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ocaml/inlined.c");
    let exe = path(&FRAMES).to_owned() + ".inlined";
    run(Command::new("cc").args(["-O2", "-g", "-o", &exe, source]));
    let list = filter("stack-symbols", &[&exe], "");
    assert!(list.contains(&format!("\nouter\touter\t{source}:8\t0x")), "{list}");
}

#[test]
fn lines_of_ocaml_have_one_form_of_path() {
    if goes_without(&[OCAML]) {
        return;
    }
    let list = filter("stack-symbols", &[path(&PACKBENCH)], "");
    // A leaf, which only DWARF knows.
    assert!(list.contains("\ncamlStdlib__List__length_88\tStdlib.List.length\tlist.ml:"), "{list}");
}

#[test]
fn what_perf_needs_to_find_callers_is_reported() {
    if goes_without(&[OCAML]) {
        return;
    }
    for (exe, expected) in [(&*PACKBENCH, "dwarf\n"), (&*EFFECTS, "lbr\n"), (&*EFFECTS_FP, "fp\n")]
    {
        assert_eq!(filter("stack-symbols", &["--call-graph", path(exe)], ""), expected);
    }
    let output = output("stack-symbols", &["--call-graph", binary("stack-merge")], "");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains(": no frame tables of OCaml: "), "{stderr}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn files_standard_input_and_compressed_files_give_the_same() {
    let exe = path(&FRAMES);
    let expected = filter("stack-symbols", &[exe], "");
    assert_eq!(filter("stack-symbols", &[], bytes(&FRAMES)), expected);
    assert_eq!(filter("stack-symbols", &["-"], bytes(&FRAMES)), expected);
    assert_eq!(filter("stack-symbols", &[], packed("gzip", bytes(&FRAMES))), expected);
    let rows = expected.strip_prefix(HEADER).expect("a header");
    assert_eq!(filter("stack-symbols", &[exe, exe], ""), [HEADER, rows, rows].concat());
}

#[test]
fn a_name_that_a_message_escapes_is_not_that_of_another_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("escaped-names");
    fs::create_dir_all(&folder).expect("a writable target directory");
    let (escape, text) = (folder.join("a\x1bb"), folder.join(r"a\x1Bb"));
    fs::copy(&*FRAMES, &escape).expect("a new file");
    fs::copy(&*FRAMES_FIXED, &text).expect("a new file");
    let list = filter("stack-symbols", &[path(&escape)], "");
    assert_eq!(list, filter("stack-symbols", &[path(&FRAMES)], ""));
}

#[test]
fn what_is_no_executable_with_symbols_is_named_and_the_others_are_read() {
    let expected = filter("stack-symbols", &[path(&FRAMES)], "");
    let object = path(&FRAMES).to_owned() + ".o";
    let source = path(&FRAMES).to_owned() + ".s";
    run(Command::new("cc").args(["-c", "-o", &object, &source]));
    let exe = "expected a 64-bit little-endian ELF executable, found";
    let damaged = TempFile::new(&bytes(&FRAMES)[..2000]);
    let not_elf = TempFile::new("main;a 1\n");
    let narrow = TempFile::new([&b"\x7fELF\x01\x01\x01"[..], &[0; 60]].concat());
    let big_endian = TempFile::new([&b"\x7fELF\x02\x02\x01"[..], &[0; 60]].concat());
    for (file, why) in [
        ("no/such/file", "no such file or directory".to_owned()),
        (
            not_elf.path(),
            "expected an executable, found folded, which stack-parse reads".to_owned(),
        ),
        (narrow.path(), format!("{exe} one for another kind of machine")),
        (big_endian.path(), format!("{exe} one for another kind of machine")),
        (damaged.path(), format!("{exe} a damaged one")),
        (&object, format!("{exe} an object file or core dump")),
    ] {
        let output = output("stack-symbols", &[file, path(&FRAMES)], "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr, format!("stack-symbols: {file}: {why}\n"));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_stripped_executable_is_named_and_its_remaining_symbols_are_listed() {
    if goes_without(&[OCAML, &["strip"]]) {
        return;
    }
    let stripped = |exe: &Path| {
        let to = path(exe).to_owned() + ".stripped";
        run(Command::new("strip").args(["-o", &to, path(exe)]));
        to
    };
    let nothing = stripped(&FRAMES_FIXED);
    let refused = output("stack-symbols", &[&nothing], "");
    let why = "no function has a name: expected an executable that is not stripped";
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(stderr, format!("stack-symbols: {nothing}: {why}\n"));
    assert_eq!((refused.stdout, refused.status.code()), (Vec::new(), Some(2)));

    // OCaml's linker exports the names of all functions.
    let exported = stripped(&PACKBENCH);
    let listed = output("stack-symbols", &[&exported], "");
    let why = "its symbols are stripped: only what it exports has a name";
    let stderr = String::from_utf8_lossy(&listed.stderr);
    assert_eq!(stderr, format!("stack-symbols: {exported}: {why}\n"));
    let list = String::from_utf8(listed.stdout).expect("UTF-8");
    assert!(list.contains("\ncamlStdlib__Map__add_200\tStdlib.Map.Make.add\tmap.ml:"), "{list}");
    assert_eq!(listed.status.code(), Some(2));
}

#[test]
fn frame_tables_that_lead_nowhere_are_named() {
    let mut damaged = bytes(&FRAMES_FIXED);
    // The offset of debug information: see .Lcall of common/symbolize/testdata/frames.s.
    let descriptor = [17, 0, 1, 0, 8, 0, 0, 0];
    let at = damaged.windows(8).position(|bytes| bytes == descriptor).expect("the descriptor");
    damaged[at + 8..at + 12].fill(0xff);
    let file = TempFile::new(damaged);
    let why = "its frame tables of OCaml cannot be read: expected OCaml 4.11 or later";
    for (tool, args) in [
        ("stack-symbols", vec![file.path()]),
        ("stack-symbols", vec!["--calls", file.path()]),
        ("stack-demangle", vec!["--exe", file.path()]),
        ("stack-demangle", vec!["--exe", file.path(), "--lines"]),
    ] {
        let output = output(tool, &args, "camlFoo.run_12 1\n");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr, format!("{tool}: {}: {why}\n", file.path()));
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn pointers_are_what_the_dynamic_linker_makes_of_them() {
    // GNU's linker writes them into x86-64 executables, too; others do not.
    let mut bare = bytes(&FRAMES);
    let u64_at = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
    };
    // A relocation is a place, R_X86_64_RELATIVE, which is 8, and a pointer.
    let relocations = (0..bare.len() - 24).step_by(8).filter(|&at| u64_at(&bare, at + 8) == 8);
    let relocations: Vec<usize> = relocations.filter(|&at| u64_at(&bare, at) > 0x1000).collect();
    let mut cleared = 0;
    for &relocation in &relocations {
        let pointer = u64_at(&bare, relocation + 16);
        // The header of 64 bytes has offsets, one of which may be as large as a pointer.
        for at in (64..bare.len() - 8).step_by(8).filter(|&at| at != relocation + 16) {
            if u64_at(&bare, at) == pointer {
                bare[at..at + 8].fill(0);
                cleared += 1;
            }
        }
    }
    assert!(cleared >= 7, "two tables and five return addresses");
    let mut arm = bare.clone();
    for at in relocations {
        arm[at + 8..at + 16].copy_from_slice(&1027_u64.to_le_bytes());
    }
    arm[18..20].copy_from_slice(&183_u16.to_le_bytes());
    let [expected, bare, arm] = [bytes(&FRAMES), bare, arm].map(|bytes| {
        let calls = ocaml_calls(&bytes).expect("frame tables");
        calls.iter().map(|call| format!("{call:?}")).collect::<Vec<_>>()
    });
    assert_eq!(bare, expected);
    assert_eq!(arm, expected);
}

#[test]
fn a_closed_pipe_is_silent_and_a_full_disk_is_not() {
    if goes_without(&[OCAML]) {
        return;
    }
    let exe = path(&PACKBENCH);
    let mut child = Command::new(binary("stack-symbols"))
        .arg(exe)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let closed = child.wait_with_output().expect("it ends");
    assert_eq!((closed.stderr, closed.status.code()), (Vec::new(), Some(0)));
    let full = fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let full = Command::new(binary("stack-symbols")).arg(exe).stdout(full).output().expect("it");
    assert_eq!(full.stderr, b"stack-symbols: <stdout>: no space left on device\n");
    assert_eq!(full.status.code(), Some(2));
}

#[test]
fn the_accounts_count_rows() {
    let output = output("stack-symbols", &["--stats", "--calls", path(&FRAMES)], "");
    let accounts = "in 11 lines weight 0, out 11 lines weight 0, changed 0 lines weight 0, \
                    dropped 0 lines weight 0, malformed 0 lines";
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, format!("stack-symbols: stats: {accounts}\n"));
}

/// Reads all symbols.
fn read(bytes: &[u8]) -> Result<usize, Unreadable> {
    let functions = Symbols::parse_with_lines(bytes)?.functions;
    let names: usize = functions.iter().map(|it| symbol_name(it).len()).sum();
    Ok(names + ocaml_calls(bytes)?.len())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn no_damage_to_an_executable_is_fatal(
        spots in prop::collection::vec((any::<prop::sample::Index>(), any::<[u8; 4]>()), 1..12),
        fixed in any::<bool>(),
    ) {
        let mut exe = bytes(if fixed { &FRAMES_FIXED } else { &FRAMES });
        for (index, four) in spots {
            let at = index.index(exe.len() - 4);
            exe[at..at + 4].copy_from_slice(&four);
        }
        let _ = read(&exe);
    }

    #[test]
    fn no_damage_to_frame_tables_is_fatal(
        spots in prop::collection::vec((0..600usize, any::<u8>()), 1..4),
    ) {
        let mut exe = bytes(&FRAMES_FIXED);
        let names = b"Foo__Bar.(>>=)";
        let tables = exe.windows(names.len()).position(|it| it == names).expect("a name") - 300;
        for (offset, byte) in spots {
            exe[tables + offset] = byte;
        }
        let _ = read(&exe);
    }

    #[test]
    fn an_executable_may_end_anywhere(index in any::<prop::sample::Index>()) {
        let exe = bytes(&FRAMES);
        let _ = read(&exe[..index.index(exe.len())]);
    }

    #[test]
    fn any_bytes_may_follow_the_magic_number(rest in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read(&[b"\x7fELF\x02\x01\x01", &rest[..]].concat());
    }
}

fn run(command: &mut Command) {
    let status = command.status().expect("it starts");
    assert!(status.success(), "{command:?}: {status}");
}
