//! Recordings of `perf record -z`, where zstd is not compiled in.
#![cfg(not(all(feature = "zstd", target_os = "linux")))]

use std::convert::Infallible;
use std::io::{Cursor, Read};
use std::{fs, path::Path};

use flate2::read::GzDecoder;
use stack_perf_data::{Error, Recording};

#[test]
fn compressed_records_are_refused() {
    let path = "../../tests/golden/formats/perf-data/dwarf-threads-zstd.perf.data.gz";
    let file = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a recording");
    let mut bytes = Vec::new();
    GzDecoder::new(&file[..]).read_to_end(&mut bytes).expect("a whole gzip file");
    let recording = Recording::from_file(Cursor::new(bytes)).expect("a recording");
    let summary = recording.read(|_| Ok::<(), Infallible>(())).expect("no error of ours");
    assert!(matches!(summary.error, Some(Error::Compressed)), "{:?}", summary.error);
}
