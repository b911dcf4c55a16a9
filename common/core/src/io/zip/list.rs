//! The list of files at the end of an archive.

use std::io::{self, Read, Seek, SeekFrom};

use super::{read_at, u16_at, u32_at, u64_at};
use crate::io::seekable::Seekable;

/// The end of an archive: its own size, and that of the longest comment after it.
const END: usize = 22;
const LONGEST_COMMENT: u64 = 65_535;

/// The end of an archive with long numbers, and what says where that is.
const LONG_END: usize = 56;
const LONG_END_LOCATOR: usize = 20;

/// The size of an entry in the list, without its name.
const ENTRY: usize = 46;

/// How many files a message names.
const NAMED: u64 = 5;

/// What an archive has.
#[derive(Default)]
pub(super) struct List {
    pub(super) first: Option<Entry>,
    /// How many files there are, without folders, and without what macOS adds to each file.
    pub(super) count: u64,
    /// The names of the first ones, for a message.
    pub(super) names: String,
    /// Whether all are in one folder.
    pub(super) is_folder: bool,
}

/// A file of an archive.
pub(super) struct Entry {
    pub(super) is_encrypted: bool,
    pub(super) method: u16,
    pub(super) checksum: u32,
    /// The number of its bytes in the archive.
    pub(super) length: u64,
    /// Where its header is.
    pub(super) at: u64,
}

impl List {
    /// Reads the list; `None` if there is none.
    pub(super) fn read(archive: &mut Seekable) -> io::Result<Option<List>> {
        let Some([count, at]) = end(archive)? else { return Ok(None) };
        archive.seek(SeekFrom::Start(at))?;
        let mut entries = io::BufReader::new(archive);
        let mut list = List { is_folder: true, ..List::default() };
        let mut folder = None;
        for _ in 0..count {
            let mut fixed = [0; ENTRY];
            entries.read_exact(&mut fixed)?;
            if !fixed.starts_with(b"PK\x01\x02") {
                return Ok(None);
            }
            let mut rest = |at: usize| {
                let mut bytes = vec![0; usize::from(u16_at(&fixed, at))];
                entries.read_exact(&mut bytes).map(|()| bytes)
            };
            let (name, extra, _comment) = (rest(28)?, rest(30)?, rest(32)?);
            if name.ends_with(b"/") || name.starts_with(b"__MACOSX/") {
                continue;
            }
            let top = memchr::memchr(b'/', &name).map(|end| name[..end].to_vec());
            list.is_folder &= top.is_some() && *folder.get_or_insert_with(|| top.clone()) == top;
            list.add(&name, || Entry::new(&fixed, &extra));
        }
        Ok(Some(list))
    }

    fn add(&mut self, name: &[u8], entry: impl Fn() -> Entry) {
        self.first.get_or_insert_with(entry);
        self.count += 1;
        if self.count <= NAMED {
            let between = if self.count == 1 { "" } else { ", " };
            let name: String = String::from_utf8_lossy(name).escape_debug().collect();
            self.names += &format!("{between}{name}");
        } else if self.count == NAMED + 1 {
            self.names += " …";
        }
    }
}

/// How many entries the list has, and where it begins.
fn end(archive: &mut Seekable) -> io::Result<Option<[u64; 2]>> {
    let size = archive.seek(SeekFrom::End(0))?;
    let from = size.saturating_sub(END as u64 + LONGEST_COMMENT);
    archive.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    archive.take(size - from).read_to_end(&mut tail)?;
    let Some(place) = memchr::memmem::rfind(&tail, b"PK\x05\x06") else { return Ok(None) };
    let Some(end) = tail[place..].get(..END) else { return Ok(None) };
    let (count, at) = (u16_at(end, 10), u32_at(end, 16));
    if count != u16::MAX && at != u32::MAX {
        return Ok(Some([count.into(), at.into()]));
    }
    let locator = (from + place as u64).checked_sub(LONG_END_LOCATOR as u64);
    let Some(locator) = locator else { return Ok(None) };
    let locator: [u8; LONG_END_LOCATOR] = read_at(archive, locator)?;
    if !locator.starts_with(b"PK\x06\x07") {
        return Ok(Some([count.into(), at.into()]));
    }
    let end: [u8; LONG_END] = read_at(archive, u64_at(&locator, 8))?;
    Ok(end.starts_with(b"PK\x06\x06").then(|| [u64_at(&end, 32), u64_at(&end, 48)]))
}

impl Entry {
    fn new(fixed: &[u8; ENTRY], extra: &[u8]) -> Entry {
        let mut long = long_numbers(extra).chunks_exact(8);
        // Those that do not fit come in this order.
        let mut number = |at: usize| match u32_at(fixed, at) {
            u32::MAX => long.next().map_or(u32::MAX.into(), |bytes| u64_at(bytes, 0)),
            short => short.into(),
        };
        let (_unpacked, length, at) = (number(24), number(20), number(42));
        Entry {
            is_encrypted: u16_at(fixed, 8) & 1 == 1,
            method: u16_at(fixed, 10),
            checksum: u32_at(fixed, 16),
            length,
            at,
        }
    }
}

/// The contents of the extra field with numbers of 64 bits.
fn long_numbers(mut extra: &[u8]) -> &[u8] {
    while extra.len() >= 4 {
        let (id, size) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let Some(content) = extra[4..].get(..size) else { break };
        if id == 1 {
            return content;
        }
        extra = &extra[4 + size..];
    }
    &[]
}
