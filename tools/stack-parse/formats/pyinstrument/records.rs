//! The samples of a session that pyinstrument saved for itself: a stack, root first, and the seconds
//! since the sample before. Grammar from pyinstrument's session.py, frame_info.py and
//! stack_sampler.py.
//!
//! ```text
//! "frame_records":[[["MainThread\0<thread>\07342","main\0/src/app.py\024\1l31","[await]"],0.0012],..]
//! ```
//!
//! A frame is its function, its file and the line where it is defined. After a byte 1 each come the
//! line where it was (`l31`), the class of its object (`cShop`), and `h` if it asked to be hidden.

use common::{Result, io::Input};
use hashbrown::HashMap;

use crate::frame::Frame;
use crate::read::held::{Drawn, Held, Thread};
use crate::read::json::{Json, Kind};
use crate::read::source::place;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;

/// The samples of a session.
#[derive(Default)]
pub(super) struct Records {
    rows: Vec<Row>,
    stacks: Stacks,
    names: FrameNames,
    frames: HashMap<Vec<u8>, u32>,
    held: Held,
    threads: HashMap<Vec<u8>, u32>,
    /// How many times are not numbers, negative or too large.
    pub(super) bad_times: u64,
}

struct Row {
    thread: u32,
    stack: StackId,
    /// Nanoseconds.
    time: u64,
}

impl Records {
    /// Reads all samples.
    pub(super) fn read(
        &mut self,
        json: &mut Json<&mut Input>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        json.for_each(|json| self.read_one(json, samples))
    }

    fn read_one(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        let (mut frames, mut time) = (Vec::new(), None);
        json.for_each(|json| {
            match json.kind()? {
                Kind::Array => json.read_texts(&mut frames)?,
                _ => time = json.nanoseconds()?,
            }
            Ok(())
        })?;
        self.bad_times += u64::from(time.is_none());
        let (thread, frames) = match &frames[..] {
            [first, rest @ ..] if Info::parse(first).is_thread() => (&first[..], rest),
            all => (&b""[..], all),
        };
        let thread = self.thread(thread);
        let mut stack = Stacks::EMPTY;
        for frame in frames {
            let frame = self.frame(frame, samples);
            stack = self.stacks.call(stack, frame);
        }
        self.rows.push(Row { thread, stack, time: time.unwrap_or_default() });
        Ok(())
    }

    fn thread(&mut self, text: &[u8]) -> u32 {
        *self.threads.entry_ref(text).or_insert_with(|| {
            let Info { function, line, .. } = Info::parse(text);
            let (name, tid, event) = (function.to_vec(), line.to_vec(), super::TIME.name.to_vec());
            self.held.thread(Thread { name, tid, event, drawn: Drawn::One, ..Thread::default() })
        })
    }

    fn frame(&mut self, text: &[u8], samples: &mut Samples<'_>) -> u32 {
        let next = self.frames.len() as u32;
        let number = *self.frames.entry_ref(text).or_insert(next);
        if number == next {
            let Info { function, file, line } = Info::parse(text);
            let line = common::numbers::decimal(line).unwrap_or_default();
            let source = place(file, line);
            let name = if function.is_empty() { b"[no name]" } else { function };
            self.names.push(&Frame { name, source: &source, ..Frame::default() }, samples);
        }
        number
    }

    /// Adds the samples of a session that began at this time, in nanoseconds.
    pub(super) fn finish(self, start: Option<u64>, samples: &mut Samples<'_>) -> Result<()> {
        let Records { rows, mut stacks, names, mut held, .. } = self;
        let mut at = start;
        for Row { thread, stack, time } in rows {
            at = at.and_then(|at| at.checked_add(time));
            held.add(thread, stack, time, at);
            held.relieve(&mut stacks, &names, samples)?;
        }
        held.finish(&mut stacks, &names, samples)
    }
}

/// What the text of a frame says.
struct Info<'a> {
    function: &'a [u8],
    file: &'a [u8],
    /// Where the frame was, or else where its function is defined; of a thread its id.
    line: &'a [u8],
}

impl Info<'_> {
    fn parse(text: &[u8]) -> Info<'_> {
        let mut parts = text.split(|byte| *byte == 1);
        let mut identifier = parts.next().unwrap_or_default().splitn(3, |byte| *byte == 0);
        let mut next = || identifier.next().unwrap_or_default();
        let (function, file, line) = (next(), next(), next());
        let line = parts.find_map(|part| part.strip_prefix(b"l")).unwrap_or(line);
        Info { function, file, line }
    }

    fn is_thread(&self) -> bool {
        self.file == b"<thread>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_a_function_a_file_and_a_line() {
        for (text, expected) in [
            (&b"work\0/src/app.py\x003\x01l4"[..], ["work", "/src/app.py", "4"]),
            (b"work\0/src/app.py\x003\x01cShop\x01l7\x01h1", ["work", "/src/app.py", "7"]),
            (b"compile\0<built-in>\x000", ["compile", "<built-in>", "0"]),
            (b"[await]", ["[await]", "", ""]),
            (b"", ["", "", ""]),
        ] {
            let Info { function, file, line } = Info::parse(text);
            assert_eq!([function, file, line], expected.map(str::as_bytes));
        }
    }
}
