//! `TRACING_DATA`: how the kernel describes the tracepoints of a recording. The grammar is from
//! tools/perf/util/trace-event-read.c; the descriptions are those of
//! /sys/kernel/tracing/events/SYSTEM/NAME/format:
//!
//! ```text
//! name: sched_switch
//! ID: 372
//! format:
//!     field:unsigned short common_type; offset:0; size:2; signed:0;
//!
//!     field:char prev_comm[16]; offset:8; size:16; signed:0;
//!     field:pid_t prev_pid; offset:24; size:4; signed:1;
//!
//! print fmt: "prev_comm=%s prev_pid=%d", REC->prev_comm, REC->prev_pid
//! ```

use bstr::ByteSlice;
use hashbrown::HashMap;
use memchr::memchr;

use crate::bytes::Bytes;
use crate::events::tracepoint::Tracepoint;

/// The first bytes of the data.
const MAGIC: &[u8] = b"\x17\x08\x44tracing";

/// The tracepoints by their numbers, as far as `data` can be read.
pub(crate) fn tracepoints(data: &[u8]) -> HashMap<u64, Tracepoint> {
    let mut found = HashMap::new();
    read(data, &mut |system, description| {
        if let Some((number, tracepoint)) = describe(system, description) {
            found.insert(number, tracepoint);
        }
    });
    found
}

/// Calls `each` with the name of a system and a description, for every description.
fn read<'a>(data: &'a [u8], each: &mut dyn FnMut(&'a [u8], &'a [u8])) -> Option<()> {
    let mut data = Bytes(data.strip_prefix(MAGIC)?);
    let _version = text(&mut data)?;
    // The byte order, the size of a `long`, the size of a page.
    data.take(6)?;
    for _header in ["header_page", "header_event"] {
        text(&mut data)?;
        sized(&mut data)?;
    }
    for _of_ftrace in 0..data.u32()? {
        sized(&mut data)?;
    }
    for _system in 0..data.u32()? {
        let system = text(&mut data)?;
        for _event in 0..data.u32()? {
            each(system, sized(&mut data)?);
        }
    }
    Some(())
}

/// The bytes before a zero byte.
fn text<'a>(data: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let text = data.take(memchr(0, data.0)? as u64)?;
    data.take(1)?;
    Some(text)
}

/// The bytes that come after their size.
fn sized<'a>(data: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let size = data.u64()?;
    data.take(size)
}

/// The number of a tracepoint, and its description, parsed.
fn describe(system: &[u8], description: &[u8]) -> Option<(u64, Tracepoint)> {
    let after = |word: &str| {
        let line = description.lines().find_map(|line| line.strip_prefix(word.as_bytes()));
        line.map(<[u8]>::trim_ascii)
    };
    let number = after("ID:")?.to_str().ok()?.parse().ok()?;
    let name = [system, b":", after("name:")?].concat();
    let fields = description.lines().filter_map(|line| line.trim_ascii().strip_prefix(b"field:"));
    Some((number, Tracepoint::new(name, fields, after("print fmt:").unwrap_or_default())))
}
