//! Data compressed by lz4: any number of frames, one after another.

use std::io::{self, BufReader, Chain, Cursor, ErrorKind, Read};

use lz4_flex::frame::FrameDecoder;

use crate::io::watched::Watched;

/// The first bytes of a frame, which were read to find out its kind, and the rest.
type Frame<R> = Chain<Cursor<[u8; 4]>, BufReader<Watched<R>>>;

/// Decompresses all frames to the end of the input, as `lz4 -d` does: the output of `cat` of two
/// compressed files has several, and some frames must be skipped.
pub(crate) struct Lz4<R: Read> {
    /// One decoder per frame: they differ in the size of their blocks.
    decoder: Option<FrameDecoder<Frame<R>>>,
    is_in_frame: bool,
}

impl<R: Read> Lz4<R> {
    pub(crate) fn new(source: R) -> Lz4<R> {
        let source = BufReader::new(Watched::new(source));
        Lz4 { decoder: Some(decoder_of([0; 4], source)), is_in_frame: false }
    }

    /// Starts the next frame; returns false at the end of the input.
    fn next_frame(&mut self) -> io::Result<bool> {
        let Some(decoder) = &mut self.decoder else { return Ok(false) };
        let source = decoder.get_mut().get_mut().1;
        let Some(mut magic) = next_word(source)? else { return Ok(false) };
        while is_to_be_skipped(magic) {
            let length = next_word(source)?.ok_or(ErrorKind::UnexpectedEof)?;
            let length = u64::from(u32::from_le_bytes(length));
            if io::copy(&mut source.take(length), &mut io::sink())? < length {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            match next_word(source)? {
                Some(next) => magic = next,
                None => return Ok(false),
            }
        }
        let source = self.decoder.take().map(|decoder| decoder.into_inner().into_inner().1);
        self.decoder = source.map(|source| decoder_of(magic, source));
        self.is_in_frame = true;
        Ok(true)
    }
}

fn decoder_of<R: Read>(magic: [u8; 4], source: BufReader<Watched<R>>) -> FrameDecoder<Frame<R>> {
    FrameDecoder::new(Cursor::new(magic).chain(source))
}

/// The next four bytes; `None` at the end of input.
///
/// # Errors
///
/// [`ErrorKind::UnexpectedEof`] where there are fewer.
fn next_word(source: &mut impl Read) -> io::Result<Option<[u8; 4]>> {
    let mut word = [0; 4];
    let count = source.read(&mut word)?;
    if count > 0 {
        source.read_exact(&mut word[count..])?;
    }
    Ok((count > 0).then_some(word))
}

fn is_to_be_skipped(magic: [u8; 4]) -> bool {
    matches!(magic, [0x50..=0x5f, 0x2a, 0x4d, 0x18])
}

impl<R: Read> Read for Lz4<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.is_in_frame || self.next_frame()? {
            let Some(decoder) = &mut self.decoder else { break };
            let count = decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            // The library takes a cut between two blocks for the end of the frame.
            if decoder.get_ref().get_ref().1.get_ref().ended {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            self.is_in_frame = false;
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};

    use super::*;

    fn compressed(text: &str, mode: BlockMode, size: BlockSize) -> Vec<u8> {
        let info = FrameInfo::new().block_mode(mode).block_size(size);
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(text.as_bytes()).expect("memory does not fail");
        encoder.finish().expect("memory does not fail")
    }

    fn decompressed(bytes: &[u8]) -> (String, Option<ErrorKind>) {
        let mut text = Vec::new();
        let read = Lz4::new(bytes).read_to_end(&mut text);
        (String::from_utf8(text).expect("ASCII"), read.err().map(|error| error.kind()))
    }

    fn many_lines() -> String {
        (0..50_000).map(|line| format!("main;f{line} 1\n")).collect()
    }

    #[test]
    fn all_frames_are_decompressed_and_others_skipped() {
        let text = many_lines();
        let skip = b"\x51\x2a\x4d\x18\x03\0\0\0abc";
        let large = compressed(&text, BlockMode::Independent, BlockSize::Max4MB);
        let small = compressed(&text, BlockMode::Linked, BlockSize::Max64KB);
        let bytes = [&large[..], skip, skip, &small, skip].concat();
        assert_eq!(decompressed(&bytes), (text.repeat(2), None));
        for torn in [bytes.len() - 1, bytes.len() - 5, bytes.len() - 9] {
            assert_eq!(decompressed(&bytes[..torn]).1, Some(ErrorKind::UnexpectedEof));
        }
    }

    #[test]
    fn what_comes_before_a_cut_is_decompressed() {
        let text = many_lines();
        let whole = compressed(&text, BlockMode::Independent, BlockSize::Max64KB);
        // After a header of 7 bytes, each block begins with its size.
        let (mut block, mut ends) = (7, Vec::new());
        while let Some(size) = whole[block..].first_chunk().map(|size| u32::from_le_bytes(*size)) {
            ends.push(block);
            block += 4 + size as usize;
        }
        assert!(ends.len() > 5, "{ends:?}");
        for (blocks, end) in ends[..ends.len() - 1].iter().enumerate() {
            let (before, why) = decompressed(&whole[..*end]);
            assert_eq!(before, text[..blocks * 64 * 1024], "{blocks} blocks");
            assert_eq!(why, Some(ErrorKind::UnexpectedEof), "{blocks} blocks");
        }
    }
}
