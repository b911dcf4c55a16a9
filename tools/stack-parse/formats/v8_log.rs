//! V8's log of `node --prof`, as `node --prof-process --preprocess` prints it: code, functions, and
//! ticks with the code on the stack, leaf first.
//!
//! ```text
//! {"code":[{"name":"/usr/bin/node","type":"SHARED_LIB"},
//!          {"name":"f a.js:1:11","type":"JS","kind":"Opt","func":0}],
//!  "functions":[{"name":"f a.js:1:11","codes":[1]}],
//!  "ticks":[{"tm":2622,"vm":0,"s":[1,0,-1,19295226]}],"scripts":[..]}
//! ```

use bstr::ByteSlice;
use common::{Result, io::Input};
use hashbrown::HashMap;

use crate::format::{Format, Head};
use crate::frame::{Frame, Kind as Code};
use crate::read::documents::{self, Document};
use crate::read::held::{Held, Thread};
use crate::read::json::{Json, Outline};
use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::{Samples, Weighs};

pub(super) const FORMAT: Format = Format::new(
    "v8-log",
    "V8's log: node --prof-process --preprocess",
    detect,
    documents::parse::<Log>,
)
.weighs(Weighs::Value);

/// The code comes first and is long; each has a name and a type.
fn detect(head: &Head<'_>) -> bool {
    let is_log = |keys: &Outline| {
        keys.has("code") && keys.has_inside("name") && keys.has_inside("type")
            || keys.has("ticks") && keys.has("functions")
    };
    head.outline().is_some_and(is_log)
}

#[derive(Default)]
struct Log {
    /// The frames of all code, in its order, followed by those of addresses.
    names: FrameNames,
    code: u32,
    addresses: HashMap<u64, u32>,
    stacks: Stacks,
    held: Held,
    /// Ticks that came before the code.
    early: Vec<Tick>,
    /// Whether the code was read.
    has_code: bool,
}

/// A sample as in the file.
#[derive(Default)]
struct Tick {
    /// Nanoseconds.
    time: Option<i128>,
    /// The state of the virtual machine.
    state: Option<u64>,
    /// Pairs of a code index and an offset in it, leaf first.
    frames: Vec<Option<u64>>,
}

/// The number of the only thread.
const THREAD: u32 = 0;

/// The value of the state during a garbage collection.
const IN_COLLECTOR: u64 = 1;

impl Document for Log {
    const WHAT: &'static str = "what node --prof-process --preprocess prints";

    fn read(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        while let Some(key) = json.next_key()? {
            match key {
                b"code" => {
                    json.for_each(|json| self.read_code(json, samples))?;
                    self.has_code = true;
                }
                b"ticks" => json.for_each(|json| {
                    let tick = Tick::read(json)?;
                    if self.has_code {
                        self.add(&tick, samples);
                    } else {
                        self.early.push(tick);
                    }
                    Ok(())
                })?,
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        for tick in std::mem::take(&mut self.early) {
            self.add(&tick, samples);
        }
        self.held.thread(Thread { event: b"samples".to_vec(), ..Thread::default() });
        samples.note_lines_of_definitions("");
        self.held.finish(&mut self.stacks, &self.names, samples)
    }
}

impl Log {
    /// `{"name":"f a.js:1:11","type":"JS","kind":"Opt","func":0}`
    fn read_code(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        let (mut text, mut is_js, mut kind) = (Vec::new(), false, Code::User);
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"name" => text.extend_from_slice(json.text()?.unwrap_or_default()),
                b"type" => is_js = json.text()? == Some(b"JS"),
                b"kind" => kind = Code::Jit,
                _ => {}
            }
        }
        let (name, source) = if is_js { split_place(&text) } else { (&text[..], &b""[..]) };
        self.names.push(&Frame { name, source, kind, ..Frame::default() }, samples);
        self.code += 1;
        Ok(())
    }

    fn add(&mut self, tick: &Tick, samples: &mut Samples<'_>) {
        let mut stack = Stacks::EMPTY;
        for pair in tick.frames.chunks(2).rev() {
            let frame = self.frame(pair[0], pair.get(1).copied().flatten(), samples);
            stack = self.stacks.call(stack, frame);
        }
        if tick.state == Some(IN_COLLECTOR) {
            let frame = self.other(
                u64::MAX,
                &Frame { name: b"(garbage collector)", ..Frame::default() },
                samples,
            );
            stack = self.stacks.call(stack, frame);
        }
        let time = tick.time.and_then(|time| u64::try_from(time).ok());
        self.held.add(THREAD, stack, 1, time);
    }

    fn frame(&mut self, code: Option<u64>, at: Option<u64>, samples: &mut Samples<'_>) -> u32 {
        match code.and_then(|code| u32::try_from(code).ok()).filter(|code| *code < self.code) {
            Some(code) => code,
            None => self.other(
                at.unwrap_or_default(),
                &Frame { address: at, ..Frame::default() },
                samples,
            ),
        }
    }

    /// The index of a frame for an address outside of all code.
    fn other(&mut self, address: u64, frame: &Frame<'_>, samples: &mut Samples<'_>) -> u32 {
        *self.addresses.entry(address).or_insert_with(|| {
            self.names.push(frame, samples);
            (self.names.len() - 1) as u32
        })
    }
}

impl Tick {
    /// `{"tm":2622,"vm":0,"s":[1,0,-1,19295226]}`: pairs of a code index and an offset in it, or of
    /// -1 and an address outside of all code.
    fn read(json: &mut Json<&mut Input>) -> Result<Tick> {
        let mut tick = Tick::default();
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"tm" => tick.time = json.scaled(MICROSECONDS)?,
                b"vm" => tick.state = json.integer()?,
                b"s" => json.for_each(|json| {
                    tick.frames.push(json.integer()?);
                    Ok(())
                })?,
                _ => {}
            }
        }
        Ok(tick)
    }
}

/// Times are in microseconds; 10 to this power makes nanoseconds.
const MICROSECONDS: i32 = 3;

/// Splits `f a.js:1:11` into name and place; a function without a name has nothing before the
/// space.
fn split_place(text: &[u8]) -> (&[u8], &[u8]) {
    let Some((name, place)) = text.split_once_str(b" ") else { return (text, b"") };
    let name = if name.is_empty() { b"(anonymous)" } else { name };
    if place.contains(&b':') { (name, place) } else { (text, b"") }
}
