//! The only file in a zip archive, which is how services and mail wrap a recording.
//!
//! An archive ends in a list of its files, so that it is known before the first byte whether there
//! are others. Grammar from PKWARE's APPNOTE.TXT, sections 4.3.6 to 4.3.16.

use std::io::{self, Error, ErrorKind, Read, Seek, SeekFrom};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::io::compressed::Compressed;
use crate::io::seekable::Seekable;

/// How an archive with a file in it begins.
pub(crate) const START: &[u8] = b"PK\x03\x04";

/// The end of an archive: its own size, and that of the longest comment after it.
const END: usize = 22;
const LONGEST_COMMENT: u64 = 65_535;

/// The size of an entry in the list of files, and of the header before a file, without names.
const ENTRY: usize = 46;
const HEADER: usize = 30;

/// Where the data of the only file are.
struct Member {
    start: u64,
    length: u64,
    /// Stored as it is, if not.
    is_deflated: bool,
    checksum: u32,
}

/// The content of the only file in an archive; the archive as it is if it has more files than one,
/// or is encrypted, compressed in a rare way, over 4 GiB or damaged.
///
/// # Errors
///
/// What the system says.
pub(crate) fn only_file(mut archive: Seekable) -> io::Result<Result<impl Read, Seekable>> {
    let member = match find(&mut archive) {
        Ok(member) => member,
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => None,
        Err(error) => return Err(error),
    };
    let Some(member) = member else {
        archive.rewind()?;
        return Ok(Err(archive));
    };
    archive.seek(SeekFrom::Start(member.start))?;
    let data = archive.take(member.length);
    let reader: Box<dyn Read + Send> = match member.is_deflated {
        true => Box::new(DeflateDecoder::new(data)),
        false => Box::new(data),
    };
    let checked = Checked { reader, sum: Crc::new(), expected: member.checksum };
    Ok(Ok(Compressed::new("zip", checked)))
}

fn find(archive: &mut Seekable) -> io::Result<Option<Member>> {
    let size = archive.seek(SeekFrom::End(0))?;
    let from = size.saturating_sub(END as u64 + LONGEST_COMMENT);
    archive.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    archive.take(size - from).read_to_end(&mut tail)?;
    let end = memchr::memmem::rfind(&tail, b"PK\x05\x06").and_then(|at| tail[at..].get(..END));
    let Some(end) = end.filter(|end| u16_at(end, 10) == 1) else { return Ok(None) };
    let entry: [u8; ENTRY] = read_at(archive, u64::from(u32_at(end, 16)))?;
    let (flags, method) = (u16_at(&entry, 8), u16_at(&entry, 10));
    let (is_encrypted, is_known) = (flags & 1 == 1, matches!(method, 0 | 8));
    let (length, at) = (u32_at(&entry, 20), u32_at(&entry, 42));
    let is_large = [length, u32_at(&entry, 24), at].contains(&u32::MAX);
    if !entry.starts_with(b"PK\x01\x02") || is_encrypted || !is_known || is_large {
        return Ok(None);
    }
    let header: [u8; HEADER] = read_at(archive, u64::from(at))?;
    let names = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
    Ok(header.starts_with(START).then(|| Member {
        start: u64::from(at) + HEADER as u64 + names,
        length: u64::from(length),
        is_deflated: method == 8,
        checksum: u32_at(&entry, 16),
    }))
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
        match only_file(archive).expect("a file") {
            Ok(mut file) => file.read_to_end(&mut text).map_err(|error| error.to_string())?,
            Err(mut archive) => archive.read_to_end(&mut text).expect("a file"),
        };
        Ok(text)
    }

    #[test]
    fn one_file_is_read_and_several_are_not() {
        for is_deflated in [false, true] {
            let one = archive(&["app.folded"], b"main;f 3\n", is_deflated);
            assert_eq!(read(&one), Ok(b"main;f 3\n".to_vec()));
            let two = archive(&["a", "b"], b"main;f 3\n", is_deflated);
            assert_eq!(read(&two), Ok(two));
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
