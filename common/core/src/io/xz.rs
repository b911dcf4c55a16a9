//! Data compressed by xz: any number of streams, one after another.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use lzma_rust2::{Action, Status, XzStream};

/// The most memory that is used, in KiB: four times as much as `xz -9` needs; a file may ask for
/// gigabytes.
const MOST_MEMORY: u32 = 256 * 1024;

/// Decompresses all streams to the end of the input, as `xz -d` does.
pub(crate) struct Xz<R> {
    source: BufReader<R>,
    stream: XzStream,
    /// Why the rest cannot be decompressed; what was decompressed before is returned first.
    failed: Option<io::Error>,
}

impl<R: Read> Xz<R> {
    pub(crate) fn new(source: R) -> Xz<R> {
        let stream = XzStream::new_mem_limit(true, MOST_MEMORY);
        Xz { source: BufReader::new(source), stream, failed: None }
    }

    /// Decompresses into `buffer`; returns how many bytes, and whether that is the end.
    fn decompress(&mut self, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
        let input = self.source.fill_buf()?;
        let action = if input.is_empty() { Action::Finish } else { Action::Run };
        let before = self.stream.total_out();
        match self.stream.process(input, buffer, action) {
            Ok(done) => {
                self.source.consume(done.bytes_consumed);
                Ok((done.bytes_produced, done.status == Status::StreamEnd))
            }
            Err(error) => {
                self.failed = Some(match action {
                    Action::Run => in_words(error),
                    Action::Finish => ErrorKind::UnexpectedEof.into(),
                });
                Ok(((self.stream.total_out() - before) as usize, false))
            }
        }
    }
}

impl<R: Read> Read for Xz<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let (count, is_end) = self.decompress(buffer)?;
            if count > 0 || is_end || buffer.is_empty() {
                return Ok(count);
            }
        }
    }
}

fn in_words(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::OutOfMemory {
        let most = MOST_MEMORY / 1024;
        let text = format!("needs over {most} MiB of memory to decompress: decompress it first");
        return io::Error::new(error.kind(), text);
    }
    error
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use lzma_rust2::{XzOptions, XzWriter};

    use super::*;

    #[test]
    fn what_comes_before_a_cut_is_decompressed() {
        let text: String = (0..200_000).map(|line| format!("main;f{line} 1\n")).collect();
        let mut encoder = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).expect("options");
        encoder.write_all(text.as_bytes()).expect("memory does not fail");
        let whole = encoder.finish().expect("memory does not fail");
        let mut decompressed = Vec::new();
        let error = Xz::new(&whole[..whole.len() / 2]).read_to_end(&mut decompressed);
        assert_eq!(error.expect_err("it is cut").kind(), ErrorKind::UnexpectedEof);
        assert!(decompressed.len() > text.len() / 3, "{}", decompressed.len());
        assert!(text.as_bytes().starts_with(&decompressed));
    }

    #[test]
    fn a_file_may_not_take_all_memory() {
        // What `xz --lzma2=dict=512MiB` makes of "a 1\n".
        let bytes = b"\xfd7zXZ\0\0\x01i\x22\xde6\x02\0!\x01\x22\0\0\0\x82@\xac\xdc\x01\0\x03a 1\x0a\x006\xe7\x1b\xbc\0\x01\x18\x04k\xe9\xf0\xa5\x90B\x99\x0d\x01\0\0\0\0\x01YZ";
        let error = Xz::new(&bytes[..]).read_to_end(&mut Vec::new()).expect_err("too much");
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
        assert_eq!(
            error.to_string(),
            "needs over 256 MiB of memory to decompress: decompress it first"
        );
    }
}
