use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::options::Options;
use super::super::testing::Library;
use super::*;
use crate::missing::goes_without;

const SOURCE: &str = ".text\n.globl f\n.type f, @function\nf:\n.skip 8\n.size f, 8\n";
const ID: [u8; 4] = [0xab, 0xcd, 0xef, 0x01];
const WITH_ID: &str = "-Wl,--build-id=0xabcdef01";

/// The programs that [`split`] needs.
const BINUTILS: &[&str] = &["objcopy", "strip"];

/// `lib.so` with its symbols in `lib.debug`.
fn split(options: &[&str]) -> Library {
    let library = Library::new(SOURCE, options);
    library.run("objcopy", &["--only-keep-debug", "lib.so", "lib.debug"]);
    library.run("strip", &["lib.so"]);
    library
}

/// Finds files below the folder of `library`.
fn below(library: &Library) -> Finder {
    let root = Some(library.folder.path().to_owned());
    let home = Some("/home/me".into());
    Finder::new(Options { root, home, ..Options::default() })
}

fn opened(library: &Library, build_id: Option<&[u8]>) -> Result<Elf, NoSymbols> {
    let build_id = build_id.map(of_mapping);
    let found = open(&below(library), b"/lib.so", build_id.as_ref(), Addressing::File);
    found.map(|found| elf(found.program))
}

/// A build-id that was read when the file was mapped.
fn of_mapping(bytes: &[u8]) -> BuildId {
    BuildId { bytes: bytes.into(), is_of_mapping: true }
}

fn elf(program: Program) -> Elf {
    match program {
        Program::Elf(elf) => elf,
        Program::MachO(_) => panic!("expected a library of Linux"),
    }
}

/// The error if the file has this build-id, which is not the recorded one.
fn other(found: &[u8]) -> Option<NoSymbols> {
    Some(NoSymbols::OtherBuildId(Some(found.into())))
}

fn has_symbols(library: &Library) -> bool {
    let debug = opened(library, None).expect("a library").debug;
    debug.and_then(Elf::parse).is_some_and(|debug| debug.has_symbols)
}

#[test]
fn a_file_of_another_build_is_refused() {
    let library = Library::new(SOURCE, &[WITH_ID]);
    assert!(opened(&library, Some(&ID)).is_ok());
    assert!(opened(&library, None).is_ok());
    assert_eq!(opened(&library, Some(&[1, 2, 3, 4])).err(), other(&ID));
    let library = Library::new(SOURCE, &["-Wl,--build-id=none"]);
    assert_eq!(opened(&library, Some(&ID)).err(), Some(NoSymbols::OtherBuildId(None)));
}

#[test]
fn what_perf_kept_serves_where_the_file_is_another() {
    let library = Library::new(SOURCE, &[WITH_ID]);
    let kept = "home/me/.debug/.build-id/ab/cdef01";
    fs::create_dir_all(library.path(kept)).expect("a writable folder");
    library.run("mv", &["lib.so", &format!("{kept}/elf")]);
    assert_eq!(opened(&library, None).err(), Some(NoSymbols::NotFound));
    assert!(opened(&library, Some(&ID)).is_ok());
    fs::write(library.path("lib.so"), "new").expect("a writable folder");
    assert!(opened(&library, Some(&ID)).is_ok());
    assert_eq!(opened(&library, None).err(), Some(NoSymbols::NoExecutable));
}

#[test]
fn a_deleted_file_serves_if_its_build_id_is_the_same() {
    let library = Library::new(SOURCE, &[WITH_ID]);
    let open = |finder: &Finder, path: &Path, build_id: Option<&[u8]>| {
        let path = [path.as_os_str().as_bytes(), b" (deleted)"].concat();
        open(finder, &path, build_id.map(of_mapping).as_ref(), Addressing::File).err()
    };
    let below_root = below(&library);
    let here = Finder::new(Options::default());
    for (finder, path) in [(&below_root, Path::new("/lib.so")), (&here, &library.path("lib.so"))] {
        assert_eq!(open(finder, path, Some(&ID)), None);
        assert_eq!(open(finder, path, Some(&[1])), other(&ID));
    }
    assert_eq!(open(&here, &library.path("lib.so"), None), Some(NoSymbols::Deleted));
    // The user names the folder with the right one.
    assert_eq!(open(&below_root, Path::new("/lib.so"), None), None);
}

#[test]
fn a_build_id_that_was_read_after_the_run_is_no_proof() {
    let library = Library::new(SOURCE, &[WITH_ID]);
    let listed = |bytes: &[u8]| BuildId { bytes: bytes.into(), is_of_mapping: false };
    let open = |finder: &Finder, path: &Path, build_id: &[u8]| {
        let path = path.as_os_str().as_bytes();
        open(finder, path, Some(&listed(build_id)), Addressing::File)
    };
    // On this machine another file than the listed one was written after the run.
    let here = Finder::new(Options::default());
    assert_eq!(open(&here, &library.path("lib.so"), &[1]).err(), other(&ID));
    assert!(open(&here, &library.path("lib.so"), &ID).is_ok_and(|found| found.is_at_path));
    // Below the folder that the user names is the right one.
    let found = open(&below(&library), Path::new("/lib.so"), &[1]).expect("a library");
    assert!(found.is_at_path);
    assert_eq!(found.program.build_id(), Some(&ID[..]));
}

#[test]
fn a_debug_file_is_found_by_its_link() {
    if goes_without(&[BINUTILS]) {
        return;
    }
    for place in ["lib.debug", ".debug/lib.debug", "usr/lib/debug/lib.debug"] {
        let library = split(&["-Wl,--build-id=none"]);
        library.run("objcopy", &["--add-gnu-debuglink=lib.debug", "lib.so"]);
        let to = library.path(place);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a writable folder");
        fs::rename(library.path("lib.debug"), &to).expect("a writable folder");
        assert!(has_symbols(&library), "{place}");
        // One more byte means another checksum.
        let bytes = [fs::read(&to).expect("a file"), vec![0]].concat();
        fs::write(&to, bytes).expect("a writable folder");
        assert!(!has_symbols(&library), "{place}");
    }
}

#[test]
fn a_debug_file_is_found_by_its_build_id() {
    if goes_without(&[BINUTILS]) {
        return;
    }
    for place in [
        "usr/lib/debug/.build-id/ab/cdef01.debug",
        "home/me/.debug/.build-id/ab/cdef01/debug",
        // perf keeps copies of files with their symbols.
        "home/me/.debug/.build-id/ab/cdef01/elf",
    ] {
        let library = split(&[WITH_ID]);
        assert!(!has_symbols(&library), "{place}");
        let to = library.path(place);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a writable folder");
        fs::rename(library.path("lib.debug"), &to).expect("a writable folder");
        assert!(has_symbols(&library), "{place}");
    }
}

#[test]
fn a_debug_file_of_another_build_is_not_taken() {
    if goes_without(&[BINUTILS]) {
        return;
    }
    let library = split(&[WITH_ID]);
    let other = split(&["-Wl,--build-id=0xabcdef02"]);
    let to = library.path("usr/lib/debug/.build-id/ab/cdef01.debug");
    fs::create_dir_all(to.parent().expect("a folder")).expect("a writable folder");
    fs::copy(other.path("lib.debug"), to).expect("a writable folder");
    assert!(!has_symbols(&library));
}

#[test]
fn debug_folders_of_the_user_are_elsewhere() {
    if goes_without(&[BINUTILS]) {
        return;
    }
    let library = split(&[WITH_ID]);
    let debug = tempfile::tempdir().expect("a writable temporary folder");
    let file = debug.path().join(".build-id/ab/cdef01.debug");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a writable folder");
    fs::copy(library.path("lib.debug"), file).expect("a writable folder");
    let finder = Finder::new(Options {
        root: Some(library.folder.path().to_owned()),
        debug_dirs: vec![debug.path().to_owned()],
        ..Options::default()
    });
    let found = open(&finder, b"/lib.so", None, Addressing::File).expect("a library");
    assert!(elf(found.program).debug.is_some());
}

#[test]
fn a_link_leads_to_no_other_folder() {
    if goes_without(&[BINUTILS]) {
        return;
    }
    let library = split(&["-Wl,--build-id=none"]);
    library.run("objcopy", &["--add-gnu-debuglink=lib.debug", "lib.so"]);
    let mut bytes = fs::read(library.path("lib.so")).expect("a file");
    let link = bytes.find(b"lib.debug").expect("the link");
    bytes[link..link + 9].copy_from_slice(b"../up.dbg");
    let elf = Elf::parse(bytes.leak()).expect("a library");
    let finder = below(&library);
    for file in finder.debug_files(b"/sub/lib.so", &elf) {
        assert!(file.ends_with("sub/up.dbg") || file.ends_with("sub/.debug/up.dbg"), "{file:?}");
    }
}

#[test]
fn all_files_are_below_the_root() {
    let library = Library::new(SOURCE, &[]);
    let finder = below(&library);
    let root = library.folder.path();
    for path in [&b"/usr/bin/cat"[..], b"usr/bin/cat", b"/tmp/perf-1.map"] {
        let expected = root.join(OsStr::from_bytes(path.strip_prefix(b"/").unwrap_or(path)));
        assert_eq!(finder.file(path), expected);
    }
    assert!(finder.cached(&ID, "elf").expect("a path").starts_with(root));
}

#[test]
fn no_name_leads_out_of_the_root() {
    let library = Library::new(SOURCE, &[]);
    let root = library.folder.path().join("symfs");
    let debug_dirs = vec![library.path("debug")];
    let options = Options { root: Some(root.clone()), debug_dirs, ..Options::default() };
    let finder = Finder::new(options);
    let up = &b"/x/../../../../etc/shadow"[..];
    let files = [
        vec![finder.file(up), finder.file(b"../../etc/shadow")],
        finder.packages(up),
        finder.split_files(b"/usr/bin/app", up, b"../../../a.dwo"),
        finder.split_files(up, b"/src", b"../../../../etc/a.dwo"),
        finder.split_files(up, b"", b"/../../etc/.."),
        finder.dsym_files(up),
        finder.shared_files(up, b"../../../../../../etc/shadow", &ID),
        finder.shared_files(up, b"/usr/lib/debug/../../../../etc/shadow", &ID),
    ];
    for file in files.concat() {
        let is_below = file.starts_with(&root) || file.starts_with(library.path("debug"));
        assert!(is_below && !file.components().any(|it| it.as_os_str() == ".."), "{file:?}");
    }
    assert_eq!(finder.split_files(b"/bin/app", b"/src/b", b"../a.dwo")[0], root.join("src/a.dwo"));
}

#[test]
#[cfg(target_os = "linux")]
fn our_own_vdso_serves_for_the_same_kernel_only() {
    let here = Finder::new(Options::default());
    let ours = open_vdso(&here, None, true).map(elf).expect("a vdso");
    assert!(!ours.symbols().is_stripped || ours.build_id.is_some());
    let build_id = ours.build_id.expect("vdsos have build-ids");
    assert!(open_vdso(&here, Some(build_id), false).is_ok());
    let why = |build_id, is_ours| open_vdso(&here, build_id, is_ours).err();
    assert_eq!(why(Some(&ID), true), other(build_id));
    assert_eq!(why(None, false), Some(NoSymbols::NotFound));
    // A root means another machine.
    let library = Library::new(SOURCE, &[]);
    let of_another = open_vdso(&below(&library), Some(build_id), true);
    assert_eq!(of_another.err(), Some(NoSymbols::NotFound));
}
