//! Inputs: files and standard input, decompressed and decoded according to their content.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use same_file::Handle;

use crate::io::progress::{Counted, Progress};
use crate::io::utf16::{ByteOrder, Utf16};
use crate::{
    Error, Result, io::compressed::Compressed, io::lz4::Lz4, io::output::regular_file,
    io::seekable::Seekable, io::standard, io::watched::Watched, io::xz::Xz, io::zip,
    io::zstd::Zstd, names::printable,
};

/// What standard input is called in messages.
pub const STDIN: &str = "<stdin>";

/// The operands of every tool.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Files {
    /// Files to read, also compressed by gzip, zstd, xz, bzip2 or lz4; none or '-' is standard
    /// input
    #[arg(value_name = "FILE")]
    pub paths: Vec<PathBuf>,
}

impl Files {
    /// The files in order; standard input if there are none.
    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        let none = self.paths.is_empty().then(|| Path::new("-"));
        self.paths.iter().map(PathBuf::as_path).chain(none)
    }
}

/// One input, already decompressed.
pub struct Input {
    name: String,
    path: Option<PathBuf>,
    /// The first bytes, which were read to find out what the input is, and are not returned yet.
    ahead: Vec<u8>,
    reader: Box<dyn Read + Send>,
    /// The file, if the input is a regular file that is read from its start.
    file: Option<Seekable>,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// What the system says, on opening and on the first bytes; and an error if the file is
    /// `output`, which the tool writes to: a filter would read its own lines again and again, as in
    /// `stack-grep . app.folded >> app.folded`.
    pub(crate) fn open(
        path: &Path,
        progress: &Progress,
        output: Option<&Handle>,
    ) -> io::Result<Input> {
        let file = if path == Path::new("-") { standard::input()? } else { File::open(path)? };
        if output.is_some() && output == regular_file(&file).as_ref() {
            return Err(io::Error::other("input file is also the output"));
        }
        let whole = Seekable::of_whole_file(&file, progress)?;
        let reader: Box<dyn Read + Send> = match progress.counts(&file) {
            true => Box::new(Counted { reader: file, progress: progress.clone() }),
            false if file.is_terminal() => Box::new(Watched::new(file)),
            false => Box::new(file),
        };
        let file_path = (path != Path::new("-")).then(|| path.to_owned());
        Input { file: whole, path: file_path, ..Input::of(name(path), reader) }.decompressed()
    }

    /// An input that is a reader: for tests.
    #[must_use]
    pub fn from_reader(name: &str, reader: impl Read + Send + 'static) -> Input {
        Input::of(name.to_owned(), Box::new(reader))
    }

    fn of(name: String, reader: Box<dyn Read + Send>) -> Input {
        Input { name, path: None, ahead: Vec::new(), reader, file: None }
    }

    /// The file as the user wrote it, or `<stdin>`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path of the file; `None` for standard input.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// How many bytes there are, if the input is a regular file.
    pub(crate) fn size(&self) -> Option<u64> {
        self.file.as_ref()?.size()
    }

    /// The first bytes, at least `length` unless the input is shorter. They are
    /// read again later.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn peek(&mut self, length: usize) -> io::Result<&[u8]> {
        while !self.peek_more(length)?.1 {}
        Ok(&self.ahead)
    }

    /// The first bytes: those peeked at before and what one more read returns. They
    /// are read again later. With them, whether there are `length` of them or the
    /// input is shorter.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn peek_more(&mut self, length: usize) -> io::Result<(&[u8], bool)> {
        let seen = self.ahead.len();
        if seen >= length {
            return Ok((&self.ahead, true));
        }
        self.ahead.resize(length, 0);
        let read = self.reader.read(&mut self.ahead[seen..]);
        self.ahead.truncate(seen + read.as_ref().map_or(0, |&count| count));
        match read {
            Ok(count) => Ok((&self.ahead, count == 0 || self.ahead.len() == length)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok((&self.ahead, false)),
            Err(error) => Err(error),
        }
    }

    /// All bytes of the input, in a form that allows to read any part of it first. A regular file
    /// that is not compressed is read where it is. All other inputs are read to their end and
    /// copied into a temporary file without a name, which takes disk space, but no memory. After
    /// that, the input is empty.
    ///
    /// # Errors
    ///
    /// What the system says of the temporary file. An error in the input itself is returned when
    /// the copy is read up to that point.
    pub fn take_seekable(&mut self) -> io::Result<Seekable> {
        match self.file.take() {
            Some(mut file) => {
                file.rewind()?;
                self.rest();
                Ok(file)
            }
            None => Seekable::spool(self.rest()),
        }
    }

    /// When the file was last written; `None` if the input is not a file, or is compressed.
    #[must_use]
    pub fn written(&self) -> Option<SystemTime> {
        self.file.as_ref().and_then(Seekable::written)
    }

    /// Decompresses and decodes until the first bytes are neither compressed nor UTF-16.
    fn decompressed(mut self) -> io::Result<Input> {
        if self.peek(zip::START.len())?.starts_with(zip::START) {
            return self.unzipped();
        }
        let is_bzip2 = self.is_bzip2()?;
        let is_utf16 = self.is_utf16()?;
        let bare_utf16 = self.bare_utf16()?;
        let decompressed: Box<dyn Read + Send> = match self.peek(4)? {
            [0x1f, 0x8b, ..] => Box::new(Compressed::new("gzip", MultiGzDecoder::new(self.rest()))),
            // A frame of zstd, or a frame that decompressors must skip.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Box::new(Compressed::new("zstd", Zstd::new(self.rest())))
            }
            [0x04, 0x22, 0x4d, 0x18, ..] => Box::new(Compressed::new("lz4", Lz4::new(self.rest()))),
            [0xfd, b'7', b'z', b'X', ..] => Box::new(Compressed::new("xz", Xz::new(self.rest()))),
            _ if is_bzip2 => Box::new(Compressed::new("bzip2", MultiBzDecoder::new(self.rest()))),
            // Byte order marks: of UTF-8, and of UTF-16 in both byte orders, which is decoded.
            [0xef, 0xbb, 0xbf, ..] => {
                self.ahead.drain(..3);
                Box::new(self.rest())
            }
            [0xff, 0xfe, ..] if is_utf16 => Box::new(Utf16::new(self.rest(), u16::from_le_bytes)),
            [0xfe, 0xff, ..] if is_utf16 => Box::new(Utf16::new(self.rest(), u16::from_be_bytes)),
            _ => match bare_utf16 {
                Some(unit) => Box::new(Utf16::new(self.rest(), unit)),
                None => return Ok(self),
            },
        };
        Input { path: self.path, ..Input::of(self.name, decompressed) }.decompressed()
    }

    /// The only file of a zip archive; the archive itself if it has several.
    fn unzipped(mut self) -> io::Result<Input> {
        let archive = self.take_seekable()?;
        let (is_whole, reader): (bool, Box<dyn Read + Send>) = match zip::only_file(archive)? {
            Ok(file) => (false, Box::new(file)),
            Err(archive) => (true, Box::new(archive)),
        };
        let input = Input { path: self.path, ..Input::of(self.name, reader) };
        if is_whole { Ok(input) } else { input.decompressed() }
    }

    /// Whether this is compressed by bzip2: `BZh9` is followed by a block, or by the end mark if
    /// there is no block. `BZh9;main 3` is a stack.
    fn is_bzip2(&mut self) -> io::Result<bool> {
        const BLOCK: &[u8] = b"\x31\x41\x59\x26\x53\x59";
        const END: &[u8] = b"\x17\x72\x45\x38\x50\x90";
        if !matches!(self.peek(4)?, [b'B', b'Z', b'h', b'1'..=b'9', ..]) {
            return Ok(false);
        }
        let next = &self.peek(4 + BLOCK.len())?[4..];
        Ok(BLOCK.starts_with(next) || END.starts_with(next))
    }

    /// Whether this is UTF-16 with a byte order mark: it then holds NULs, one in each ASCII
    /// character. A name in a folded stack may begin with the same two bytes.
    fn is_utf16(&mut self) -> io::Result<bool> {
        const LOOKED_AT: usize = 64;
        if !matches!(self.peek(2)?, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Ok(false);
        }
        let text = &self.peek(LOOKED_AT)?[2..];
        Ok(text.is_empty() || text.contains(&0))
    }

    /// The byte order of UTF-16 without a byte order mark, of which the first characters must be
    /// ASCII. In other text, which has no NULs, the first four bytes are enough to see that.
    fn bare_utf16(&mut self) -> io::Result<Option<ByteOrder>> {
        const LOOKED_AT: usize = 64;
        const FEWEST: usize = 16;
        let unit: ByteOrder = match self.peek(4)? {
            [_, 0, _, 0, ..] => u16::from_le_bytes,
            [0, _, 0, _, ..] => u16::from_be_bytes,
            _ => return Ok(None),
        };
        let start = self.peek(LOOKED_AT)?;
        let (units, _) = start[..start.len().min(LOOKED_AT)].as_chunks::<2>();
        let is_ascii = |number| matches!(number, 0x09 | 0x0a | 0x0d | 0x20..=0x7e);
        let is_text = start.len() >= FEWEST && units.iter().all(|bytes| is_ascii(unit(*bytes)));
        Ok(is_text.then_some(unit))
    }

    /// Moves all bytes out of the input: those that were peeked at and the rest.
    fn rest(&mut self) -> impl Read + Send + use<> {
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        io::Cursor::new(std::mem::take(&mut self.ahead)).chain(reader)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ahead.is_empty() {
            return self.reader.read(buffer);
        }
        let count = self.ahead.as_slice().read(buffer)?;
        self.ahead.drain(..count);
        Ok(count)
    }
}

/// All bytes of a file, or of standard input for `-`: for what is small, such
/// as a list of patterns.
///
/// # Errors
///
/// [`Error::Input`] with what the system says.
pub fn read_whole(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        standard::input().and_then(|mut input| input.read_to_end(&mut bytes)).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map_err(|source| Error::Input { name: name(path), source })
}

/// What an input is called in messages.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") {
        STDIN.to_owned()
    } else {
        printable(path.as_os_str().as_encoded_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use bzip2::write::BzEncoder;
    use flate2::write::GzEncoder;
    use lz4_flex::frame::FrameEncoder;
    use lzma_rust2::{XzOptions, XzWriter};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    const TEXT: &[u8] = b"main;parse;read 3\nmain;parse 2\n";

    /// The text, compressed in every format.
    fn compressed() -> io::Result<[(&'static str, Vec<u8>); 5]> {
        let mut gzip = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut bzip2 = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        let mut lz4 = FrameEncoder::new(Vec::new());
        let mut xz = XzWriter::new(Vec::new(), XzOptions::with_preset(1))?;
        for encoder in [&mut gzip as &mut dyn Write, &mut bzip2, &mut lz4, &mut xz] {
            encoder.write_all(TEXT)?;
        }
        Ok([
            ("gzip", gzip.finish()?),
            ("bzip2", bzip2.finish()?),
            ("lz4", lz4.finish()?),
            ("xz", xz.finish()?),
            ("zstd", compress_to_vec(TEXT, CompressionLevel::Fastest)),
        ])
    }

    /// What is read of an input, and why reading ends if that is before the end.
    fn decompressed(bytes: &[u8]) -> (Vec<u8>, Option<String>) {
        let mut text = Vec::new();
        let input = Input::from_reader("test", io::Cursor::new(bytes.to_vec()));
        let read = input.decompressed().and_then(|mut input| input.read_to_end(&mut text));
        (text, read.err().map(|error| error.to_string()))
    }

    #[test]
    fn whatever_is_compressed_is_decompressed_one_after_another() {
        for (format, bytes) in compressed().expect("memory does not fail") {
            assert_eq!(decompressed(&bytes), (TEXT.to_vec(), None), "{format}");
            assert_eq!(decompressed(&bytes.repeat(3)), (TEXT.repeat(3), None), "{format}");
            let (text, why) = decompressed(&[&bytes[..], b"something else"].concat());
            assert_eq!(text, TEXT, "{format}");
            let damaged = format!("the {format} data is damaged: ");
            assert!(why.as_ref().is_some_and(|why| why.starts_with(&damaged)), "{why:?}");
        }
    }

    #[test]
    fn a_cut_at_any_byte_is_called_so() {
        for (format, bytes) in compressed().expect("memory does not fail") {
            let twice = bytes.repeat(2);
            for cut in (4..twice.len()).filter(|cut| *cut != bytes.len()) {
                let (text, why) = decompressed(&twice[..cut]);
                assert!(TEXT.repeat(2).starts_with(&text), "{format} {cut}");
                assert!(cut < bytes.len() || text.len() >= TEXT.len(), "{format} {cut}");
                let expected = format!("the {format} data ends too early");
                assert_eq!(why, Some(expected), "{format}, {cut} of {} bytes", bytes.len());
            }
        }
    }

    #[test]
    fn a_stack_may_begin_as_utf16_does() {
        for text in [&b"\xff\xfe;main 3\n"[..], b"\xfe\xff 5\n", b"\xff\xfe\xff 5\n"] {
            assert_eq!(decompressed(text), (text.to_vec(), None));
        }
        for text in [&b"\xff\xfea\0 \x003\0"[..], b"\xfe\xff\0a\0 \x003"] {
            assert_eq!(decompressed(text), (b"a 3".to_vec(), None));
        }
        assert_eq!(decompressed(b"\xff\xfe"), (Vec::new(), None));
    }

    #[test]
    fn utf16_needs_no_mark() {
        let text = "main;first 3\r\nmain;second;third 2\nmain;caf\u{e9} 2\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decompressed(&little), (text.as_bytes().to_vec(), None));
        assert_eq!(decompressed(&big), (text.as_bytes().to_vec(), None));
        for bytes in [
            &b"a\0b\0"[..],
            b"\0\0\0\0\x03\0\0\0\0\0\0\0\x10\x27\0\0",
            b"a\0b\0c\0d\0e\0f\0\x01\0g\0",
        ] {
            assert_eq!(decompressed(bytes), (bytes.to_vec(), None));
        }
    }

    #[test]
    fn a_stack_may_begin_as_bzip2_does() {
        for text in ["BZh9;main 3\n", "BZh91AY&;main 3\n", "BZh91AY&SX 3\n"] {
            assert_eq!(decompressed(text.as_bytes()), (text.as_bytes().to_vec(), None));
        }
    }
}
