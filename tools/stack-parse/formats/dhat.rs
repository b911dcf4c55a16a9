//! The JSON of DHAT, Valgrind's dynamic heap analysis tool, and of the Rust crate of that
//! name: what each place allocated, copied or counted. Grammar from the comments of
//! valgrind's dh_main.c.
//!
//! ```text
//! {"dhatFileVersion":2,"mode":"heap","bklt":true,"bkacc":true,"pps":[
//!   {"tb":72704,"tbk":1,"tl":2071238,"mb":72704,"mbk":1,"gb":72704,"gbk":1,
//!    "eb":0,"ebk":0,"rb":0,"wb":16,"fs":[1,2,3]}],
//!  "ftbl":["[root]","0x48417B4: malloc (in /usr/lib/vgpreload_dhat.so)", ...]}
//! ```

use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::read::bad_weights::note_bad_weights;
use crate::read::documents::{self, Document};
use crate::read::json::Json;
use crate::read::stacks::{FrameNames, Stacks};
use crate::read::valgrind_frame::{frame, is_inlined};
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::{Sample, known};

pub(super) const FORMAT: Format = Format::new(
    "dhat",
    "The JSON of DHAT: valgrind and Rust's crate dhat",
    detect,
    documents::parse::<Profile>,
);

/// The numbers of a place: their key, the prefix of the measure's name, and the unit.
const NUMBERS: [(&[u8], &[u8], Unit); 9] = [
    (b"tb", b"total-", Unit::Bytes),
    (b"tbk", b"total-", Unit::Blocks),
    (b"gb", b"peak-", Unit::Bytes),
    (b"gbk", b"peak-", Unit::Blocks),
    (b"eb", b"end-", Unit::Bytes),
    (b"ebk", b"end-", Unit::Blocks),
    (b"rb", b"read-", Unit::Bytes),
    (b"wb", b"written-", Unit::Bytes),
    (b"tl", b"lifetime", Unit::Time),
];

/// The key of the bytes at the peak.
const PEAK: &[u8] = b"gb";

/// The unit of time of the crate dhat; that of valgrind is `instrs`.
const MICROSECONDS: &[u8] = "µs".as_bytes();

#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Blocks,
    /// The name of the measure does not say in which unit it is.
    Time,
}

fn detect(head: &Head<'_>) -> bool {
    head.outline().is_some_and(|keys| keys.has("dhatFileVersion"))
}

#[derive(Default)]
struct Profile {
    pid: Vec<u8>,
    /// The units of bytes and of blocks; ad hoc profiles have others.
    byte_unit: Option<Vec<u8>>,
    block_unit: Option<Vec<u8>>,
    time_unit: Vec<u8>,
    /// When the program ended, and when it had the most bytes.
    end: Option<u64>,
    peak: Option<u64>,
    /// For each of the numbers, whether any place has it.
    has: [bool; NUMBERS.len()],
    places: Vec<ProgramPoint>,
    /// The frames of all places, leaf first.
    frames: Vec<u64>,
    names: Vec<Vec<u8>>,
    /// How many numbers of places are not integers.
    bad_weights: u64,
}

/// A place of the program: one stack and its numbers.
#[derive(Default)]
struct ProgramPoint {
    numbers: [u64; NUMBERS.len()],
    /// The end of its frames in [`Profile::frames`].
    end: usize,
}

impl Document for Profile {
    const WHAT: &'static str = "the JSON of DHAT";

    fn read(&mut self, json: &mut Json<&mut Input>, _: &mut Samples<'_>) -> Result<()> {
        while let Some(key) = json.next_key()? {
            match key {
                b"bsu" => self.byte_unit = Some(json.text()?.unwrap_or_default().to_vec()),
                b"bksu" => self.block_unit = Some(json.text()?.unwrap_or_default().to_vec()),
                b"tu" => self.time_unit = json.text()?.unwrap_or_default().to_vec(),
                b"te" => self.end = json.integer()?,
                b"tg" => self.peak = json.integer()?,
                b"pid" => self.pid = json.number()?.unwrap_or_default().to_vec(),
                b"pps" => json.for_each(|json| self.read_place(json))?,
                b"ftbl" => json.read_texts(&mut self.names)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(self, samples: &mut Samples<'_>) -> Result<()> {
        let unit = |unit| match unit {
            Unit::Bytes => self.byte_unit.as_deref().unwrap_or(b"bytes"),
            Unit::Blocks => self.block_unit.as_deref().unwrap_or(b"blocks"),
            Unit::Time if self.time_unit == MICROSECONDS => b"ns",
            Unit::Time => &self.time_unit,
        };
        let present = NUMBERS.iter().zip(self.has).filter(|(_, has)| *has);
        let name = |name: &[u8], of| match of {
            Unit::Time => name.to_vec(),
            Unit::Bytes | Unit::Blocks => [name, unit(of)].concat(),
        };
        let measures = present.map(|((_, prefix, of), _)| (name(prefix, *of), unit(*of)));
        let measures: Vec<_> = measures.collect();
        let measures: Vec<Measure<'_>> =
            measures.iter().map(|(name, unit)| Measure { name, unit }).collect();
        if measures.is_empty() {
            return Ok(());
        }
        samples.events.set_measures(&measures);
        note_bad_weights(self.bad_weights, samples);
        self.note_times(&name(b"peak-", Unit::Bytes), samples);
        let names = self.frame_names(samples);
        let mut stacks = Stacks::default();
        let mut weights = Vec::new();
        let mut start = 0;
        for place in &self.places {
            let leaf_first = &self.frames[start..place.end];
            start = place.end;
            let mut stack = Stacks::EMPTY;
            for depth in (0..leaf_first.len()).rev() {
                let frame = leaf_first[depth];
                let is_inlined = leaf_first
                    .get(depth + 1)
                    .is_some_and(|&caller| is_inlined(self.name(frame), self.name(caller)));
                stack = stacks.call(stack, numbered(frame, is_inlined));
            }
            weights.clear();
            let numbers = place.numbers.iter().zip(NUMBERS).zip(self.has).filter(|it| it.1);
            weights.extend(numbers.map(|((&number, (_, _, unit)), _)| match unit {
                Unit::Time => self.time(number),
                Unit::Bytes | Unit::Blocks => number,
            }));
            let sample = Sample { pid: known(&self.pid), weights: &weights, ..Sample::default() };
            stacks.add(&sample, stack, &names, samples)?;
        }
        Ok(())
    }
}

impl Profile {
    fn read_place(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        if !json.begin_object()? {
            return Ok(());
        }
        // It is pushed first, so that it counts even if its frames are cut off.
        let end = self.frames.len();
        self.places.push(ProgramPoint { end, ..ProgramPoint::default() });
        let number = self.places.len() - 1;
        while let Some(key) = json.next_key()? {
            if let Some(place) = NUMBERS.iter().position(|(name, ..)| *name == key) {
                self.has[place] = true;
                match json.integer()? {
                    Some(weight) => self.places[number].numbers[place] = weight,
                    None => self.bad_weights += 1,
                }
            } else if key == b"fs" {
                json.for_each(|json| {
                    self.frames.push(json.integer()?.unwrap_or(u64::MAX));
                    self.places[number].end = self.frames.len();
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// A time in nanoseconds, or in the unit of the file if that is not one of time.
    fn time(&self, time: u64) -> u64 {
        if self.time_unit == MICROSECONDS { time.saturating_mul(1000) } else { time }
    }

    /// Notes when the program ended and when it had the most bytes, where that is a time.
    fn note_times(&self, peak: &[u8], samples: &mut Samples<'_>) {
        if self.time_unit != MICROSECONDS {
            return;
        }
        samples.facts.length = self.end.map(|end| self.time(end));
        let number = NUMBERS.iter().position(|(key, ..)| *key == PEAK).filter(|&it| self.has[it]);
        if let (Some(number), Some(when)) = (number, self.peak) {
            let most = self.places.iter().map(|place| place.numbers[number]);
            let most = most.fold(0, u64::saturating_add);
            let when = common::numbers::seconds(self.time(when));
            samples.events.note_peak(peak, most, when.as_bytes());
        }
    }

    fn name(&self, frame: u64) -> &[u8] {
        usize::try_from(frame).ok().and_then(|it| self.names.get(it)).map_or(b"", |name| name)
    }

    /// Two names for each function, as it may be inlined in one stack and not in another.
    fn frame_names(&self, samples: &mut Samples<'_>) -> FrameNames {
        let mut names = FrameNames::default();
        for name in &self.names {
            for inlined in [false, true] {
                names.push(&Frame { inlined, ..frame(name) }, samples);
            }
        }
        names.name_others(&Frame::default(), samples);
        names
    }
}

/// The number under which a frame is named: each has two, one for where it is inlined.
fn numbered(frame: u64, is_inlined: bool) -> u32 {
    let number = u32::try_from(frame).ok().and_then(|it| it.checked_mul(2));
    number.and_then(|it| it.checked_add(is_inlined.into())).unwrap_or(u32::MAX)
}
