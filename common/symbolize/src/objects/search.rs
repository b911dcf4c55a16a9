//! Finding the executable that was recorded, and what was stripped from it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use bstr::ByteSlice;
use flate2::Crc;

use super::elf::Elf;
use super::finder::Finder;
use super::inlines::shared_file;
use super::no_symbols::NoSymbols;

/// Linux's own library in every process.
pub(super) const VDSO: &[u8] = b"[vdso]";

/// What the kernel appends to the path of a file that has no name any more.
const DELETED: &[u8] = b" (deleted)";

/// Largest vdso that is read; they have a few pages.
const LARGEST_VDSO: u64 = 1 << 20;

/// Opens the executable that was at `path`, with its debug information.
///
/// # Errors
///
/// NoSymbols there is none.
pub(super) fn open(
    finder: &Finder,
    path: &[u8],
    build_id: Option<&[u8]>,
) -> Result<Elf, NoSymbols> {
    let found = find(finder, path, build_id);
    let cached =
        || finder.cached(build_id?, "elf").and_then(|file| matching(finder, &file, build_id).ok());
    let mut elf = found.or_else(|why| cached().ok_or(why))?;
    elf.debug = find_debug(finder, path, &elf);
    elf.shared = find_shared(finder, path, &elf);
    Ok(elf)
}

fn find(finder: &Finder, path: &[u8], build_id: Option<&[u8]>) -> Result<Elf, NoSymbols> {
    match path.strip_suffix(DELETED) {
        // What has the name now may be a newer version: only a build-id says so.
        Some(path) if build_id.is_some() => matching(finder, &finder.file(path), build_id),
        Some(_) => Err(NoSymbols::Deleted),
        None => matching(finder, &finder.file(path), build_id),
    }
}

/// The executable in `file`, if it has this build-id.
fn matching(finder: &Finder, file: &Path, build_id: Option<&[u8]>) -> Result<Elf, NoSymbols> {
    let bytes = finder.open(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => NoSymbols::NotFound,
        _ => NoSymbols::System(error.to_string()),
    })?;
    matching_bytes(bytes, build_id)
}

fn matching_bytes(bytes: &'static [u8], build_id: Option<&[u8]>) -> Result<Elf, NoSymbols> {
    let elf = Elf::parse(bytes).ok_or(NoSymbols::NoExecutable)?;
    match build_id {
        Some(_) if elf.build_id != build_id => Err(NoSymbols::OtherBuildId),
        _ => Ok(elf),
    }
}

/// The file with the symbols or the debug information that `elf` lacks: the first
/// that has all of it, else the first that has some.
fn find_debug(finder: &Finder, path: &[u8], elf: &Elf) -> Option<&'static [u8]> {
    let mut some = None;
    if elf.has_symbols && elf.has_dwarf {
        return None;
    }
    for file in finder.debug_files(path, elf) {
        let Some(debug) = finder.open(&file).ok().and_then(Elf::parse) else { continue };
        let adds_symbols = debug.has_symbols && !elf.has_symbols;
        let adds_dwarf = debug.has_dwarf && !elf.has_dwarf;
        if !(adds_symbols || adds_dwarf) || !belongs(&debug, elf) {
            continue;
        }
        if (debug.has_symbols || elf.has_symbols) && (debug.has_dwarf || elf.has_dwarf) {
            return Some(debug.bytes);
        }
        some = some.or(Some(debug.bytes));
    }
    some
}

/// The file with what the debug information of `elf` shares with others'.
fn find_shared(finder: &Finder, path: &[u8], elf: &Elf) -> Option<&'static [u8]> {
    let (link, build_id) = elf.debug.and_then(shared_file).or_else(|| shared_file(elf.bytes))?;
    let files = finder.shared_files(path, link);
    files
        .iter()
        .find_map(|file| matching(finder, file, Some(build_id)).ok())
        .map(|found| found.bytes)
}

/// Whether `debug` was made from `elf`.
fn belongs(debug: &Elf, elf: &Elf) -> bool {
    if debug.build_id.is_some() || elf.build_id.is_some() {
        return debug.build_id == elf.build_id;
    }
    elf.debug_link.is_some_and(|link| {
        let mut crc = Crc::new();
        crc.update(debug.bytes);
        crc.sum() == link.crc
    })
}

/// Opens the vdso of the kernel that was recorded: the file that the user names, or what
/// perf kept of it. That of this machine serves if `is_ours` or if it is the same.
pub(super) fn open_vdso(
    finder: &Finder,
    build_id: Option<&[u8]>,
    is_ours: bool,
) -> Result<Elf, NoSymbols> {
    if let Some(file) = &finder.options.vdso {
        return matching(finder, file, build_id);
    }
    let cached = build_id.and_then(|build_id| finder.cached(build_id, "vdso"));
    if let Some(elf) = cached.and_then(|file| matching(finder, &file, build_id).ok()) {
        return Ok(elf);
    }
    if !finder.is_of_this_machine() || build_id.is_none() && !is_ours {
        return Err(NoSymbols::NotFound);
    }
    matching_bytes(own_vdso().ok_or(NoSymbols::NotFound)?, build_id)
}

/// The vdso in our own memory.
fn own_vdso() -> Option<&'static [u8]> {
    let maps = std::fs::read("/proc/self/maps").ok()?;
    // 7ffd5cbf2000-7ffd5cbf4000 r-xp 00000000 00:00 0                [vdso]
    let line = maps.lines().find(|line| line.ends_with(VDSO))?;
    let range = line.to_str().ok()?.split(' ').next()?;
    let (start, end) = range.split_once('-')?;
    let [start, end] = [start, end].map(|address| u64::from_str_radix(address, 16));
    let (start, end) = (start.ok()?, end.ok()?);
    let mut memory = File::open("/proc/self/mem").ok()?;
    memory.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    let size = end.checked_sub(start).filter(|&size| size <= LARGEST_VDSO)?;
    memory.take(size).read_to_end(&mut bytes).ok()?;
    Some(bytes.leak())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    use super::super::options::Options;
    use super::super::testing::Library;
    use super::*;
    use crate::missing::goes_without;

    const SOURCE: &str = ".text\n.globl f\n.type f, @function\nf:\n.skip 8\n.size f, 8\n";
    const ID: [u8; 4] = [0xab, 0xcd, 0xef, 0x01];
    const WITH_ID: &str = "-Wl,--build-id=0xabcdef01";

    /// What [`split`] needs.
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
        open(&below(library), b"/lib.so", build_id)
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
        assert_eq!(opened(&library, Some(&[1, 2, 3, 4])).err(), Some(NoSymbols::OtherBuildId));
        let library = Library::new(SOURCE, &["-Wl,--build-id=none"]);
        assert_eq!(opened(&library, Some(&ID)).err(), Some(NoSymbols::OtherBuildId));
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
        let open = |build_id| open(&below(&library), b"/lib.so (deleted)", build_id).err();
        assert_eq!(open(Some(&ID)), None);
        assert_eq!(open(Some(&[1])), Some(NoSymbols::OtherBuildId));
        assert_eq!(open(None), Some(NoSymbols::Deleted));
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
            // One more byte, another checksum.
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
            // perf keeps files with their symbols.
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
        let elf = open(&finder, b"/lib.so", None).expect("a library");
        assert!(elf.debug.is_some());
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
            assert!(
                file.ends_with("sub/up.dbg") || file.ends_with("sub/.debug/up.dbg"),
                "{file:?}"
            );
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
    #[cfg(target_os = "linux")]
    fn our_own_vdso_serves_for_the_same_kernel_only() {
        let here = Finder::new(Options::default());
        let ours = open_vdso(&here, None, true).expect("a vdso");
        assert!(!ours.symbols().is_stripped() || ours.build_id.is_some());
        let build_id = ours.build_id.expect("vdsos have build-ids");
        assert!(open_vdso(&here, Some(build_id), false).is_ok());
        let why = |build_id, is_ours| open_vdso(&here, build_id, is_ours).err();
        assert_eq!(why(Some(&ID), true), Some(NoSymbols::OtherBuildId));
        assert_eq!(why(None, false), Some(NoSymbols::NotFound));
        // With a root another machine is meant.
        let library = Library::new(SOURCE, &[]);
        let of_another = open_vdso(&below(&library), Some(build_id), true);
        assert_eq!(of_another.err(), Some(NoSymbols::NotFound));
    }
}
