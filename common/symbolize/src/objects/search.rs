//! Finds the executable that was recorded, and the symbols and debug information that were stripped
//! from it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use flate2::Crc;
use lzma_rust2::XzReader;

use super::build_id::BuildId;
use super::elf::Elf;
use super::finder::Finder;
use super::inlines::shared_file;
use super::location::Addressing;
use super::macho::MachO;
use super::no_symbols::NoSymbols;
use super::options::Artifact;
use super::program::Program;
use crate::sections::{largest_decompressed, section_bytes};

/// The library that the kernel maps into every process.
pub(super) const VDSO: &[u8] = b"[vdso]";

/// The suffix that the kernel appends to the path of a file that was deleted.
const DELETED: &[u8] = b" (deleted)";

/// The size of a UUID in bytes; the build-ids of macOS are UUIDs.
const UUID_SIZE: usize = 16;

/// Memory for decompressing symbols, in KiB: `xz -9` takes 65 MiB.
const MOST_XZ_MEMORY: u32 = 256 << 10;

/// Largest vdso that is read; they have a few pages.
const LARGEST_VDSO: u64 = 1 << 20;

/// A program, and where it was found.
pub(super) struct Found {
    pub(super) program: Program,
    /// Whether it was at the path that was recorded, and not in a place for programs of its
    /// build-id.
    pub(super) is_at_path: bool,
}

/// Opens the executable that was at `path`, with its debug information.
///
/// # Errors
///
/// Why it cannot be used.
pub(super) fn open(
    finder: &Finder,
    path: &[u8],
    build_id: Option<&BuildId>,
    addressing: Addressing,
) -> Result<Found, NoSymbols> {
    let at_path = find(finder, path, build_id);
    let is_at_path = at_path.is_ok();
    let program = at_path.or_else(|why| {
        let build_id = build_id.ok_or_else(|| why.clone())?;
        find_by_build_id(finder, path, &build_id.bytes, addressing).ok_or(why)
    })?;
    let program = match program {
        Program::Elf(mut elf) => {
            find_debug(finder, path, &mut elf);
            elf.shared = find_shared(finder, path, &elf);
            elf.inner = find_inner(&elf);
            Program::Elf(elf)
        }
        Program::MachO(mut file) => {
            file.debug = find_dsym(finder, path, &file);
            Program::MachO(file)
        }
    };
    Ok(Found { program, is_at_path })
}

fn find(finder: &Finder, path: &[u8], build_id: Option<&BuildId>) -> Result<Program, NoSymbols> {
    // Whoever names the folder of the recorded machine's files knows better than a build-id that
    // was read after the run.
    let is_ours = finder.is_of_this_machine();
    let needed = build_id.filter(|id| id.is_of_mapping || is_ours).map(|id| &*id.bytes);
    match path.strip_suffix(DELETED) {
        // The file that has the name now may be a newer version: only a build-id shows that.
        Some(_) if is_ours && needed.is_none() => Err(NoSymbols::Deleted),
        Some(path) => matching(finder, &finder.file(path), needed),
        None => matching(finder, &finder.file(path), needed),
    }
}

/// The program with this build-id, in one of the caches or downloaded. Its debug file can replace
/// it if addresses count from the image: offsets in the two files differ.
fn find_by_build_id(
    finder: &Finder,
    path: &[u8],
    build_id: &[u8],
    addressing: Addressing,
) -> Option<Program> {
    let mut files = finder.executables_of_build(build_id);
    if addressing == Addressing::Image {
        files.extend(finder.debug_files_of_build(build_id));
    }
    let open = |file: &PathBuf| matching(finder, file, Some(build_id)).ok();
    let download = |what| finder.fetch(build_id, what, path).and_then(|file| open(&file));
    let of_image = || match addressing {
        Addressing::Image => download(Artifact::DebugInfo),
        Addressing::File => None,
    };
    files.iter().find_map(open).or_else(|| download(Artifact::Executable)).or_else(of_image)
}

/// The executable in `file`, if it has this build-id.
fn matching(finder: &Finder, file: &Path, build_id: Option<&[u8]>) -> Result<Program, NoSymbols> {
    matching_bytes(finder.open(file)?, build_id)
}

fn matching_bytes(bytes: &'static [u8], build_id: Option<&[u8]>) -> Result<Program, NoSymbols> {
    let elf = Elf::parse(bytes).map(Program::Elf);
    let program = elf.or_else(|| MachO::parse(bytes, build_id).map(Program::MachO));
    let program = program.ok_or(NoSymbols::NoExecutable)?;
    match build_id {
        Some(recorded) if !is_same_build(recorded, program.build_id()) => {
            Err(NoSymbols::OtherBuildId(program.build_id().map(Box::from)))
        }
        _ => Ok(program),
    }
}

/// Whether a file has the recorded build-id; a recording may only hold its first 16 bytes.
pub(super) fn is_same_build(recorded: &[u8], file: Option<&[u8]>) -> bool {
    file.is_some_and(|file| {
        file == recorded || recorded.len() == UUID_SIZE && file.starts_with(recorded)
    })
}

/// Finds the file with the symbols or the debug information that `elf` lacks: the first that has
/// all of it, else the first that has some. Files that are not on this machine are downloaded if
/// the caller of the library allows that.
fn find_debug(finder: &Finder, path: &[u8], elf: &mut Elf) {
    if !elf.has_symbols || !elf.has_dwarf {
        let mut other = None;
        elf.debug = debug_of(finder, path, elf, &mut other);
        elf.other_debug = other.filter(|_| elf.debug.is_none());
    }
}

/// That file; `other` becomes the first file that has the symbols, but belongs to another build.
fn debug_of(
    finder: &Finder,
    path: &[u8],
    elf: &Elf,
    other: &mut Option<PathBuf>,
) -> Option<&'static [u8]> {
    let mut some = None;
    let is_whole =
        |debug: &Elf| (debug.has_symbols || elf.has_symbols) && (debug.has_dwarf || elf.has_dwarf);
    let mut useful = |file: &Path| {
        let debug = finder.open(file).ok().and_then(Elf::parse)?;
        let adds_symbols = debug.has_symbols && !elf.has_symbols;
        let adds_dwarf = debug.has_dwarf && !elf.has_dwarf;
        let is_of_this_build = belongs(&debug, elf);
        if adds_symbols && !is_of_this_build {
            other.get_or_insert_with(|| file.to_owned());
        }
        ((adds_symbols || adds_dwarf) && is_of_this_build).then_some(debug)
    };
    for file in finder.debug_files(path, elf) {
        match useful(&file) {
            Some(debug) if is_whole(&debug) => return Some(debug.bytes),
            Some(debug) => some = some.or(Some(debug.bytes)),
            None => {}
        }
    }
    let download = || finder.fetch(elf.build_id?, Artifact::DebugInfo, path);
    let downloaded = download().and_then(|file| useful(&file));
    downloaded.map(|debug| debug.bytes).or(some)
}

/// The file with the debug information that `elf` shares with others.
fn find_shared(finder: &Finder, path: &[u8], elf: &Elf) -> Option<&'static [u8]> {
    let (link, build_id) = elf.debug.and_then(shared_file).or_else(|| shared_file(elf.bytes))?;
    let open = |file: &PathBuf| matching(finder, file, Some(build_id)).ok();
    let files = finder.shared_files(path, link, build_id);
    let found = files.iter().find_map(open);
    let download = || finder.fetch(build_id, Artifact::DebugInfo, path);
    let found = found.or_else(|| download().and_then(|file| open(&file)));
    found.map(|found| found.bytes())
}

/// The file with symbols that is compressed inside `elf`, which Fedora calls MiniDebugInfo; `None`
/// if the symbols are in `elf` or in its debug file.
fn find_inner(elf: &Elf) -> Option<&'static [u8]> {
    let has_symbols = |debug| Elf::parse(debug).is_some_and(|debug| debug.has_symbols);
    if elf.has_symbols || elf.debug.is_some_and(has_symbols) {
        return None;
    }
    let compressed = section_bytes(elf.bytes, ".gnu_debugdata")?;
    let reader = XzReader::new_mem_limit(&compressed[..], false, MOST_XZ_MEMORY);
    let mut inner = Vec::new();
    let most = largest_decompressed(elf.bytes.len());
    // If the data is damaged, the part before the damage is not a whole file, and nothing of it is
    // used.
    reader.take(most + 1).read_to_end(&mut inner).ok()?;
    ((inner.len() as u64) <= most).then(|| &*inner.leak())
}

/// The file with the debug information of a program of macOS.
fn find_dsym(finder: &Finder, path: &[u8], program: &MachO) -> Option<&'static [u8]> {
    let uuid = program.uuid?;
    finder.dsym_files(path).iter().find_map(|file| {
        let debug = MachO::parse(finder.open(file).ok()?, Some(&uuid))?;
        (debug.uuid == Some(uuid)).then_some(debug.bytes)
    })
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

/// Opens the vdso of the recorded kernel: the file that the caller names, or the copy that perf
/// kept. That of this machine is used if `is_ours`, or if it has the same build-id.
pub(super) fn open_vdso(
    finder: &Finder,
    build_id: Option<&[u8]>,
    is_ours: bool,
) -> Result<Program, NoSymbols> {
    if let Some(file) = &finder.options.vdso {
        return matching(finder, file, build_id);
    }
    let cached = build_id.and_then(|build_id| finder.cached(build_id, "vdso"));
    if let Some(vdso) = cached.and_then(|file| matching(finder, &file, build_id).ok()) {
        return Ok(vdso);
    }
    if !finder.is_of_this_machine() || build_id.is_none() && !is_ours {
        return Err(NoSymbols::NotFound);
    }
    matching_bytes(own_vdso().ok_or(NoSymbols::NotFound)?, build_id)
}

/// The vdso in the memory of this process.
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
mod tests;
