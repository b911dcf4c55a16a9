//! Compresses input that the tools decompress.

use std::io::{Result, Write};

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};
use lzma_rust2::{XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// The programs that compress, with their names in messages.
pub(crate) const PACKERS: [&str; 5] = ["gzip", "zstd", "xz", "bzip2", "lz4"];

/// `text` as the program of this name compresses it, in the smallest possible blocks.
pub(crate) fn packed(packer: &str, text: impl AsRef<[u8]>) -> Vec<u8> {
    let packed = match packer {
        "gzip" => gzip(text.as_ref()),
        "xz" => xz(text.as_ref()),
        "bzip2" => bzip2(text.as_ref()),
        "lz4" => lz4(text.as_ref()),
        _ => Ok(compress_to_vec(text.as_ref(), CompressionLevel::Fastest)),
    };
    packed.expect("memory does not fail")
}

fn gzip(text: &[u8]) -> Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text)?;
    packer.finish()
}

fn xz(text: &[u8]) -> Result<Vec<u8>> {
    let mut packer = XzWriter::new(Vec::new(), XzOptions::with_preset(1))?;
    packer.write_all(text)?;
    packer.finish()
}

fn bzip2(text: &[u8]) -> Result<Vec<u8>> {
    let mut packer = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    packer.write_all(text)?;
    packer.finish()
}

fn lz4(text: &[u8]) -> Result<Vec<u8>> {
    let blocks = FrameInfo::new().block_size(BlockSize::Max64KB);
    let mut packer = FrameEncoder::with_frame_info(blocks, Vec::new());
    packer.write_all(text)?;
    Ok(packer.finish()?)
}
