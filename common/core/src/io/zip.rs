//! The only file in a zip archive, which is how services and mail wrap a recording.
//!
//! An archive ends in a list of its files, so that it is known before the first byte whether there
//! are others. Grammar from PKWARE's APPNOTE.TXT, sections 4.3.6 to 4.3.16 and 4.5.3.

mod list;

use std::io::{self, Error, ErrorKind, Read, Seek, SeekFrom};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::io::compressed::Compressed;
use crate::io::seekable::Seekable;
use list::{Entry, List};

/// How an archive with a file in it begins.
pub(crate) const START: &[u8] = b"PK\x03\x04";

/// The size of the header before a file, without names.
const HEADER: usize = 30;

/// The content of the only file in an archive; the archive as it is if it is of a folder or damaged.
///
/// # Errors
///
/// What the system says, or why the archive cannot be read: it has several files, or one that is
/// encrypted or compressed in a rare way.
pub(crate) fn only_file(mut archive: Seekable) -> io::Result<Result<impl Read, Seekable>> {
    let found = match find(&mut archive) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => None,
        found => found?,
    };
    let Some((entry, start)) = found else {
        archive.rewind()?;
        return Ok(Err(archive));
    };
    archive.seek(SeekFrom::Start(start))?;
    let data = archive.take(entry.length);
    let reader: Box<dyn Read + Send> = match entry.method {
        DEFLATED => Box::new(DeflateDecoder::new(data)),
        _ => Box::new(data),
    };
    let checked = Checked { reader, sum: Crc::new(), expected: entry.checksum };
    Ok(Ok(Compressed::new("zip", checked)))
}

/// The methods that are read.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// The only file of an archive, and where its data begin; `None` for an archive of a folder, or for
/// what is no archive.
fn find(archive: &mut Seekable) -> io::Result<Option<(Entry, u64)>> {
    let Some(list) = List::read(archive)? else { return Ok(None) };
    let refused = |what: String| Err(Error::new(ErrorKind::InvalidData, what));
    let (entry, names) = match (list.first, list.count) {
        (Some(entry), 1) => (entry, list.names),
        (_, count) if count == 0 || list.is_folder => return Ok(None),
        (_, count) => {
            return refused(format!(
                "a zip archive of {count} files, {}: 'unzip -p FILE MEMBER | …' reads one",
                list.names
            ));
        }
    };
    if entry.is_encrypted {
        let how = "'unzip -P PASSWORD -p FILE | …' reads it";
        return refused(format!("a zip archive of {names}, which is encrypted: {how}"));
    }
    if !matches!(entry.method, STORED | DEFLATED) {
        let what = format!("is compressed by method {}", entry.method);
        return refused(format!("a zip archive of {names}, which {what}: unpack it first"));
    }
    let header: [u8; HEADER] = read_at(archive, entry.at)?;
    let names = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
    let start = entry.at.checked_add(HEADER as u64 + names);
    Ok(start.filter(|_| header.starts_with(START)).map(|start| (entry, start)))
}

fn read_at<const SIZE: usize>(archive: &mut Seekable, at: u64) -> io::Result<[u8; SIZE]> {
    let mut bytes = [0; SIZE];
    archive.seek(SeekFrom::Start(at))?;
    archive.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// A reader that fails at the end if the bytes were not those that were packed.
struct Checked<R> {
    reader: R,
    sum: Crc,
    expected: u32,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.sum.update(&buffer[..count]);
        if count == 0 && !buffer.is_empty() && self.sum.sum() != self.expected {
            return Err(Error::new(ErrorKind::InvalidData, "its checksum differs"));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    /// An archive of files, all with this content, as zip(1) writes it.
    fn archive(names: &[&str], content: &[u8], is_deflated: bool) -> Vec<u8> {
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::fast());
        deflated.write_all(content).expect("memory");
        let deflated = deflated.finish().expect("memory");
        let data = if is_deflated { &deflated } else { content };
        let mut sum = Crc::new();
        sum.update(content);
        let (mut files, mut list) = (Vec::new(), Vec::new());
        for name in names {
            let at = files.len() as u32;
            let mut fields = vec![20, 0, 0, 0, if is_deflated { 8 } else { 0 }, 0, 0, 0, 0, 0];
            fields.extend(sum.sum().to_le_bytes());
            fields.extend((data.len() as u32).to_le_bytes());
            fields.extend((content.len() as u32).to_le_bytes());
            fields.extend((name.len() as u16).to_le_bytes());
            fields.extend([0, 0]);
            files.extend([START, &fields, name.as_bytes(), data].concat());
            list.extend([&b"PK\x01\x02\x14\x03"[..], &fields, &[0; 10]].concat());
            list.extend(at.to_le_bytes());
            list.extend(name.as_bytes());
        }
        let count = (names.len() as u16).to_le_bytes();
        let sizes = [(list.len() as u32).to_le_bytes(), (files.len() as u32).to_le_bytes()];
        let end = [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &sizes[0], &sizes[1], &[0, 0]];
        [&files[..], &list, &end.concat()].concat()
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let archive = Seekable::spool(bytes).expect("a temporary file");
        let mut text = Vec::new();
        match only_file(archive).map_err(|error| error.to_string())? {
            Ok(mut file) => file.read_to_end(&mut text).map_err(|error| error.to_string())?,
            Err(mut archive) => archive.read_to_end(&mut text).expect("a file"),
        };
        Ok(text)
    }

    #[test]
    fn one_file_is_read_and_several_are_named() {
        for is_deflated in [false, true] {
            let content = b"main;f 3\n".to_vec();
            let read = |names: &[&str]| read(&archive(names, b"main;f 3\n", is_deflated));
            assert_eq!(read(&["app.folded"]), Ok(content.clone()));
            // Folders, and what macOS adds, are no files.
            assert_eq!(read(&["runs/", "runs/a", "__MACOSX/runs/._a"]), Ok(content));
            let expected = "a zip archive of 2 files, a, b: 'unzip -p FILE MEMBER | …' reads one";
            assert_eq!(read(&["a", "b"]), Err(expected.to_owned()));
            let many = read(&["a\u{1b}[1m", "b", "c", "d", "e", "f", "g/h"]);
            let named = "a zip archive of 7 files, a\\u{1b}[1m, b, c, d, e …: ";
            assert!(many.as_ref().is_err_and(|it| it.starts_with(named)), "{many:?}");
        }
        let folder = archive(&["app.trace/a", "app.trace/b"], b"x", false);
        assert_eq!(read(&folder), Ok(folder));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let one = archive(&["a"], b"main;f 3\n", true);
        let list = memchr::memmem::find(&one, b"PK\x01\x02").expect("a list");
        for (at, value, expected) in [
            (8, 1, "a zip archive of a, which is encrypted: "),
            (10, 93, "a zip archive of a, which is compressed by method 93: unpack it first"),
        ] {
            let mut other = one.clone();
            other[list + at] = value;
            let said = read(&other).expect_err("a message");
            assert!(said.starts_with(expected), "{said}");
        }
    }

    #[test]
    fn numbers_may_be_long() {
        let one = archive(&["a"], b"main;f 3\n", false);
        let list = memchr::memmem::find(&one, b"PK\x01\x02").expect("a list");
        let end = memchr::memmem::find(&one, b"PK\x05\x06").expect("an end");
        let mut entry = one[list..end].to_vec();
        for at in [20, 24, 42] {
            entry[at..at + 4].fill(0xff);
        }
        let numbers = [9_u64, 9, 0].map(u64::to_le_bytes).concat();
        // Another field comes first.
        let extra = [&[9, 0, 2, 0, 7, 7, 1, 0, 24, 0][..], &numbers].concat();
        entry[30] = extra.len() as u8;
        let long_at = (list + entry.len() + extra.len()) as u64;
        let mut long = [&b"PK\x06\x06"[..], &[0; 52]].concat();
        long[32] = 1;
        long[48..56].copy_from_slice(&(list as u64).to_le_bytes());
        let locator = [b"PK\x06\x07\0\0\0\0", &long_at.to_le_bytes()[..], &[1, 0, 0, 0]].concat();
        let mut last = one[end..].to_vec();
        last[8..20].fill(0xff);
        let whole = [&one[..list], &entry, &extra, &long, &locator, &last].concat();
        assert_eq!(read(&whole), Ok(b"main;f 3\n".to_vec()));
        for cut in 0..long.len() {
            // Wherever its end is said to be.
            let mut other = whole.clone();
            other[long_at as usize + cut] ^= 0xff;
            _ = read(&other);
        }
    }

    #[test]
    fn what_is_damaged_is_not_taken_for_the_file() {
        let one = archive(&["a"], b"main;f 3\n", false);
        let mut other = one.clone();
        // In the content, which is stored after the header and the name.
        other[HEADER + 1] ^= 1;
        let expected = "the zip data is damaged: its checksum differs";
        assert_eq!(read(&other), Err(expected.to_owned()));
        for cut in 4..one.len() {
            let text = read(&one[..cut]);
            assert!(text.as_ref().is_ok_and(|text| *text == one[..cut]), "{cut}: {text:?}");
        }
    }
}
