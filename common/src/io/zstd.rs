//! What zstd packed: any number of frames, one after another.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Unpacks all frames to the end of the input, as `zstd -d` does: `cat` of two
/// packed files and what pzstd writes have several, some of them to be skipped.
pub(crate) struct Zstd<R> {
    source: BufReader<R>,
    frame: FrameDecoder,
}

impl<R: Read> Zstd<R> {
    pub(crate) fn new(source: R) -> Zstd<R> {
        Zstd { source: BufReader::new(source), frame: FrameDecoder::new() }
    }

    /// Starts the next frame; false at the end of input.
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
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.frame.can_collect() == 0 {
            if self.frame.is_finished() {
                if !self.next_frame()? {
                    return Ok(0);
                }
            } else {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.frame.decode_blocks(&mut self.source, one).map_err(io::Error::other)?;
            }
        }
        self.frame.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn packed(text: &str) -> Vec<u8> {
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
    }

    fn unpacked(bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        Zstd::new(bytes).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn all_frames_are_unpacked_and_others_skipped() {
        let skip = b"\x51\x2a\x4d\x18\x03\0\0\0abc";
        let long = "main;work 12\n".repeat(50_000);
        let bytes = [skip, &packed("a 1\n")[..], &packed(""), &packed(&long), skip].concat();
        assert_eq!(unpacked(&bytes).expect("all whole"), format!("a 1\n{long}"));
    }

    #[test]
    fn what_is_torn_or_no_frame_is_an_error() {
        let whole = packed("a 1\n");
        for bytes in [
            &whole[..whole.len() - 3],
            &[&whole[..], b"junk"].concat(),
            &[&whole[..], b"\x51\x2a\x4d\x18\x03\0\0\0a"].concat(),
        ] {
            assert!(unpacked(bytes).is_err(), "{bytes:?}");
        }
    }
}
