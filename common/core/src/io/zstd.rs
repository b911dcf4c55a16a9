//! Data compressed by zstd: any number of frames, one after another.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::io::watched::Watched;

/// The end of a frame: a last block of no bytes, and room for a checksum, which
/// is not compared.
const END_OF_FRAME: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Decompresses all frames to the end of the input, as `zstd -d` does: the output of `cat` of two
/// compressed files, and of pzstd, has several, some of which must be skipped.
#[expect(missing_debug_implementations, reason = "the decoder has none")]
pub struct Zstd<R> {
    source: BufReader<Watched<R>>,
    frame: FrameDecoder,
    /// Why the rest cannot be decompressed; what was decompressed before is returned first.
    failed: Option<io::Error>,
}

impl<R: Read> Zstd<R> {
    /// Decompresses the bytes of `source`.
    pub fn new(source: R) -> Zstd<R> {
        let source = BufReader::new(Watched::new(source));
        Zstd { source, frame: FrameDecoder::new(), failed: None }
    }

    /// Starts the next frame; returns false at the end of the input.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.frame.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.source.by_ref().take(u64::from(length));
                    if io::copy(&mut skipped, &mut io::sink())? < u64::from(length) {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(self.reason(error)),
            }
        }
        Ok(false)
    }

    /// Decompresses the next block of the frame.
    fn next_block(&mut self) {
        let one = BlockDecodingStrategy::UptoBlocks(1);
        if let Err(error) = self.frame.decode_blocks(&mut self.source, one) {
            self.failed = Some(self.reason(error));
            // The decoder keeps up to a window of text until the frame ends.
            let _ = self.frame.decode_blocks(&END_OF_FRAME[..], BlockDecodingStrategy::All);
        }
    }

    fn reason(&self, error: FrameDecoderError) -> io::Error {
        if self.source.get_ref().ended {
            ErrorKind::UnexpectedEof.into()
        } else {
            io::Error::new(ErrorKind::InvalidData, error)
        }
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.frame.can_collect() == 0 {
            if let Some(error) = self.failed.take() {
                return Err(error);
            } else if !self.frame.is_finished() {
                self.next_block();
            } else if !self.next_frame()? {
                return Ok(0);
            }
        }
        self.frame.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn compressed(text: &str) -> Vec<u8> {
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
    }

    fn decompressed(bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        Zstd::new(bytes).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn all_frames_are_decompressed_and_others_skipped() {
        let skip = b"\x51\x2a\x4d\x18\x03\0\0\0abc";
        let long = "main;work 12\n".repeat(50_000);
        let bytes =
            [skip, &compressed("a 1\n")[..], &compressed(""), &compressed(&long), skip].concat();
        assert_eq!(decompressed(&bytes).expect("all whole"), format!("a 1\n{long}"));
    }

    #[test]
    fn what_is_torn_or_no_frame_is_an_error() {
        let whole = compressed("a 1\n");
        for bytes in [
            &whole[..whole.len() - 3],
            &[&whole[..], b"junk"].concat(),
            &[&whole[..], b"\x51\x2a\x4d\x18\x03\0\0\0a"].concat(),
        ] {
            assert!(decompressed(bytes).is_err(), "{bytes:?}");
        }
    }
    #[test]
    fn what_comes_before_a_cut_is_decompressed() {
        let text: String = (0..200_000).map(|line| format!("main;f{line} 1\n")).collect();
        let whole = compressed(&text);
        let mut decompressed = Vec::new();
        let error = Zstd::new(&whole[..whole.len() / 2]).read_to_end(&mut decompressed);
        assert_eq!(error.expect_err("it is cut").kind(), ErrorKind::UnexpectedEof);
        assert!(decompressed.len() > text.len() / 3, "{}", decompressed.len());
        assert!(text.as_bytes().starts_with(&decompressed));
    }
}
