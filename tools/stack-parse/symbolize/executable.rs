//! Finding the executable that was recorded, and what was stripped from it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use bstr::ByteSlice;
use common::map_executable;
use flate2::Crc;

use super::elf::Elf;
use super::nameless::Why;
use super::places::Places;

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
/// Why there is none.
pub(super) fn open(places: &Places, path: &[u8], build_id: Option<&[u8]>) -> Result<Elf, Why> {
    let found = find(places, path, build_id);
    let cached = || places.cached(build_id?, "elf").and_then(|file| matching(&file, build_id).ok());
    let mut elf = found.or_else(|why| cached().ok_or(why))?;
    elf.debug = find_debug(places, path, &elf);
    Ok(elf)
}

fn find(places: &Places, path: &[u8], build_id: Option<&[u8]>) -> Result<Elf, Why> {
    match path.strip_suffix(DELETED) {
        // What has the name now may be a newer version: only a build-id tells.
        Some(path) if build_id.is_some() => matching(&places.file(path), build_id),
        Some(_) => Err(Why::Deleted),
        None => matching(&places.file(path), build_id),
    }
}

/// The executable in `file`, if it has this build-id.
fn matching(file: &Path, build_id: Option<&[u8]>) -> Result<Elf, Why> {
    let bytes = map_executable(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Why::NotFound,
        _ => Why::Unreadable(error.to_string()),
    })?;
    matching_bytes(bytes, build_id)
}

fn matching_bytes(bytes: &'static [u8], build_id: Option<&[u8]>) -> Result<Elf, Why> {
    let elf = Elf::parse(bytes).ok_or(Why::NoExecutable)?;
    match build_id {
        Some(_) if elf.build_id != build_id => Err(Why::OtherBuildId),
        _ => Ok(elf),
    }
}

/// The file with the symbols or the debug information that `elf` lacks: the first
/// that has all of it, else the first that has some.
fn find_debug(places: &Places, path: &[u8], elf: &Elf) -> Option<&'static [u8]> {
    let mut some = None;
    if elf.has_symbols && elf.has_dwarf {
        return None;
    }
    for file in places.debug_files(path, elf) {
        let Some(debug) = map_executable(&file).ok().and_then(Elf::parse) else { continue };
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

/// Opens the vdso of the kernel that was recorded: `file`, or what perf kept of it.
/// That of this machine serves if `is_ours` or if it is the same.
pub(super) fn open_vdso(
    places: &Places,
    file: Option<&Path>,
    build_id: Option<&[u8]>,
    is_ours: bool,
) -> Result<Elf, Why> {
    if let Some(file) = file {
        return matching(file, build_id);
    }
    let cached = build_id.and_then(|build_id| places.cached(build_id, "vdso"));
    if let Some(elf) = cached.and_then(|file| matching(&file, build_id).ok()) {
        return Ok(elf);
    }
    if !places.are_here() || build_id.is_none() && !is_ours {
        return Err(Why::NotFound);
    }
    matching_bytes(own_vdso().ok_or(Why::NotFound)?, build_id)
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
