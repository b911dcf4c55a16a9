//! Recordings of perf made by hand.

/// The process id used for the kernel.
pub(crate) const KERNEL: u32 = u32::MAX;

// Flags of records: what ran, and the kind of a map.
pub(crate) const IN_KERNEL: u16 = 1;
pub(crate) const IN_PROGRAM: u16 = 2;
pub(crate) const DATA: u16 = 1 << 13;

/// The output of `perf record -o -`: samples with address, thread and time.
pub(crate) struct Stream {
    pub(crate) bytes: Vec<u8>,
    time: u64,
}

impl Stream {
    pub(crate) fn new() -> Stream {
        const IP_TID_TIME: u64 = 1 | 2 | 4;
        let mut attr = [0u64; 16];
        // Software, 128 bytes; a period of 1; all records end with thread and time.
        (attr[0], attr[2], attr[3], attr[5]) = (1 | 128 << 32, 1, IP_TID_TIME, 1 << 18);
        let bytes = [&b"PERFILE2"[..], &16u64.to_le_bytes()].concat();
        Stream { bytes, time: 0 }.record(64, 0, &words(&attr))
    }

    /// A record of any kind.
    pub(crate) fn record(mut self, kind: u32, flags: u16, body: &[u8]) -> Stream {
        let size = u16::try_from(8 + body.len()).expect("a small record");
        let header = [&kind.to_le_bytes()[..], &flags.to_le_bytes(), &size.to_le_bytes()].concat();
        self.bytes.extend([&header, body].concat());
        self
    }

    /// A record with thread and time.
    pub(crate) fn timed(mut self, kind: u32, flags: u16, body: &[u8]) -> Stream {
        self.time += 1;
        let body = [body, &words(&[7 << 32 | 7, self.time])].concat();
        self.record(kind, flags, &body)
    }

    /// MMAP
    pub(crate) fn map(
        self,
        pid: u32,
        flags: u16,
        start: u64,
        length: u64,
        offset: u64,
        path: &str,
    ) -> Stream {
        let ids = [pid.to_le_bytes(), pid.to_le_bytes()].concat();
        let body = [ids, words(&[start, length, offset]), padded(path)].concat();
        self.timed(1, flags, &body)
    }

    /// KSYMBOL of a BPF program.
    pub(crate) fn program(self, start: u64, length: u32, name: &str) -> Stream {
        let body = [words(&[start]), length.to_le_bytes().to_vec(), vec![1, 0, 0, 0], padded(name)];
        self.timed(17, 0, &body.concat())
    }

    pub(crate) fn sample(mut self, flags: u16, address: u64) -> Stream {
        self.time += 1;
        let body = words(&[address, 7 << 32 | 7, self.time]);
        self.record(9, flags, &body)
    }
}

/// Files that are mapped completely, for the tests of missing ones.
#[cfg(target_os = "linux")]
impl Stream {
    /// The process of all samples.
    const PROCESS: u32 = 7;

    /// More than the size of any file in the tests.
    const FILE_SIZE: u64 = 1 << 24;

    /// MMAP2 of the code of a whole file, with its build-id.
    pub(crate) fn map_build(self, start: u64, build_id: &[u8], path: &str) -> Stream {
        const HAS_BUILD_ID: u16 = 1 << 14;
        let ids = [Stream::PROCESS.to_le_bytes(), Stream::PROCESS.to_le_bytes()].concat();
        let mut build = [0; 24];
        build[0] = u8::try_from(build_id.len()).expect("20 bytes at most");
        build[4..4 + build_id.len()].copy_from_slice(build_id);
        let [protection, flags] = [5u32, 2].map(u32::to_le_bytes);
        let range = words(&[start, Stream::FILE_SIZE, 0]);
        let body = [&ids, &range, &build[..], &protection, &flags, &padded(path)].concat();
        self.timed(10, IN_PROGRAM | HAS_BUILD_ID, &body)
    }

    /// MMAP2 without a build-id.
    pub(crate) fn map_file(self, start: u64, path: &str) -> Stream {
        self.map(Stream::PROCESS, IN_PROGRAM, start, Stream::FILE_SIZE, 0, path)
    }
}

pub(crate) fn words(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A text, padded with zeros to whole words.
fn padded(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() + 1).next_multiple_of(8), 0);
    bytes
}
