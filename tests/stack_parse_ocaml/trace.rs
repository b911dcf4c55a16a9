//! Writes small traces in the format of memtrace.

const CONTEXT: &str = "a context";

/// The packets of a trace. memtrace's format can refer to names and location codes that came
/// before; this writer repeats them.
pub(super) struct Trace {
    version: u16,
    packets: Vec<Vec<u8>>,
}

impl Trace {
    /// A trace of process 7 where a sample stands for `1 / rate` words.
    pub(super) fn new(version: u16, rate: f64) -> Trace {
        let mut info = event(0);
        info.extend(rate.to_le_bytes());
        info.push(64);
        info.extend(b"/bin/demo.exe\0host\0v=0\0");
        info.extend(7u64.to_le_bytes());
        if version >= 2 {
            info.extend(CONTEXT.bytes().chain([0]));
        }
        Trace { version, packets: Vec::new() }.packet(7, 0, 0, 0, &[info])
    }

    /// Adds a packet with `objects` allocations from number `first` on.
    pub(super) fn packet(
        mut self,
        pid: u64,
        domain: u16,
        first: u64,
        objects: u64,
        body: &[Vec<u8>],
    ) -> Trace {
        let mut header = Vec::new();
        header.extend([5u64.to_le_bytes(), 9u64.to_le_bytes()].concat());
        header.extend(0u32.to_le_bytes());
        header.extend(self.version.to_le_bytes());
        header.extend(pid.to_le_bytes());
        if self.version >= 3 {
            header.extend(domain.to_le_bytes());
        }
        header.extend([0xFF, 0xFF, 0, 0]);
        header.extend(0u64.to_le_bytes());
        header.extend([first.to_le_bytes(), (first + objects).to_le_bytes()].concat());
        let size = (8 + header.len() + body.concat().len()) as u32 * 8;
        let start = [0xC1FC_1FC1u32.to_le_bytes(), size.to_le_bytes()].concat();
        self.packets.push([start, header, body.concat()].concat());
        self
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.packets.concat()
    }
}

/// The head of an event, six microseconds after the epoch.
pub(super) fn event(kind: u32) -> Vec<u8> {
    (kind << 25 | 6).to_le_bytes().to_vec()
}

/// The functions that a location code stands for. The second is inlined into the first, and so
/// on.
pub(super) fn location(code: u64, functions: &[&str]) -> Vec<u8> {
    let mut bytes = [event(1), code.to_le_bytes().to_vec(), vec![functions.len() as u8]].concat();
    for function in functions {
        bytes.extend(&(12u64 | 31 << 38 | 31 << 43).to_le_bytes()[..6]);
        bytes.extend(format!("demo.ml\0{function}\0").bytes());
    }
    bytes
}

/// An allocation whose backtrace shares `common` codes with the one before.
pub(super) fn allocation(samples: u8, source: u8, common: u8, codes: &[u64]) -> Vec<u8> {
    let head = vec![100, samples, source, common, codes.len() as u8, 0];
    let codes = codes.iter().flat_map(|&code| {
        [&((code as u16) << 2 | 3).to_le_bytes()[..], &code.to_le_bytes()].concat()
    });
    [event(2), head, codes.collect()].concat()
}

/// An allocation of 3 words in the minor heap.
pub(super) fn short_allocation(common: u8, codes: &[u64]) -> Vec<u8> {
    let long = allocation(1, 0, common, codes);
    [event(103), vec![common, codes.len() as u8], long[10..].to_vec()].concat()
}

/// The promotion of an object after which `before` others were allocated.
pub(super) fn promotion(before: u8) -> Vec<u8> {
    [event(3), vec![before]].concat()
}

/// The collection of an object after which `before` others were allocated.
pub(super) fn collection(before: u8) -> Vec<u8> {
    [event(4), vec![before]].concat()
}

/// A trace with every kind of event. One location code has no location, another has an inlined
/// function.
pub(super) fn every_kind(version: u16) -> Trace {
    let locations = [location(20, &["Demo.main"]), location(30, &["Demo.f", "List.map"])];
    let events = [
        // main;[0x28].
        short_allocation(0, &[20, 40]),
        // main;f;map, once in the major heap and once outside the heaps.
        allocation(5, 1, 1, &[30]),
        allocation(2, 2, 2, &[]),
        // It shares 9 codes with a backtrace of 2, which the writer cut off: this backtrace is the
        // same.
        allocation(3, 0, 9, &[50]),
        promotion(0),
        collection(2),
        allocation(4, 0, 0, &[20]),
        promotion(0),
        collection(0),
        allocation(6, 0, 0, &[]),
    ];
    Trace::new(version, 0.01).packet(7, 0, 0, 0, &locations).packet(7, 0, 0, 6, &events)
}
