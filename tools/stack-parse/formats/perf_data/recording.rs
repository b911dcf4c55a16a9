//! A recording: what it holds, in the order of time.

mod file;
mod pipe;

use common::{Input, Result};

use super::bytes::U64s;
use super::chunks::{Chunks, Place};
use super::delivery::{Delivery, Each};
use super::header::{MAGIC, PIPE_HEADER_SIZE, refusal};
use super::order::{Entry, Order};
use super::records::{self, Record, kinds};
use super::sample::{time_from_end, time_from_start};
use super::stream::{Stop, Stream};
use super::troubles::Troubles;

/// How much memory may wait for its turn, in bytes. perf's rounds are far shorter;
/// this is for recordings that have none.
const MOST_WAITING: usize = 128 << 20;

/// How much is read of parts that are needed whole, in bytes: the ids of events, the
/// descriptions of tracepoints.
const MOST_OF_A_SECTION: u64 = 64 << 20;

/// A recording that is open.
pub(crate) struct Recording<'i> {
    name: String,
    stream: Stream<'i>,
    chunks: Chunks,
    order: Order,
    delivery: Delivery,
    /// What is known before the records: that of a file.
    first: First,
}

/// What is handed out before all records.
#[derive(Debug, Default)]
struct First {
    /// The machine it was recorded on.
    machine: Option<Vec<u8>>,
    /// Its version of Linux.
    release: Option<Vec<u8>>,
    /// Records, one after the other.
    build_ids: Vec<u8>,
}

impl<'i> Recording<'i> {
    /// Opens a recording in a file or a stream; its header tells which.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] where it cannot be read, [`Error::Unknown`] where its header
    /// is cut short, or it is of a kind that cannot be read here.
    pub(crate) fn open(input: &'i mut Input) -> Result<Recording<'i>> {
        let name = input.name().to_owned();
        match open(input) {
            Ok((stream, chunks, delivery, first)) => {
                Ok(Recording { name, stream, chunks, order: Order::default(), delivery, first })
            }
            Err(stop) => Err(stop.into_error(&name)),
        }
    }

    /// Hands out all records in the order of their time, and those without time
    /// where they stand. What is lost or could not be read is added to `troubles`.
    ///
    /// # Errors
    ///
    /// What `each` returns, at once. [`Error::Input`] and [`Error::Unknown`] where
    /// something cannot be read, after everything else was handed out.
    pub(crate) fn read(mut self, each: Each<'_>, troubles: &mut Troubles) -> Result<()> {
        let stop = match self.read_records(each) {
            Err(Stop::Caller(error)) => return Err(error),
            other => other.err(),
        };
        self.order.end();
        self.hand_out(each)?;
        self.delivery.finish(each)?;
        *troubles = self.delivery.troubles;
        troubles.late = self.order.late();
        troubles.counters_tell_lost = self.delivery.events.tell_lost();
        troubles.error(stop, &self.name)
    }

    /// Reads to the end, or as far as can be read.
    fn read_records(&mut self, each: Each<'_>) -> Result<(), Stop> {
        self.hand_out_first(each)?;
        while let Some((place, offset)) = self.stream.next(&mut self.chunks)? {
            let kind = records::kind(self.chunks.record(place));
            if kind >= kinds::FIRST_OF_PERF {
                self.record_of_perf(place, each)?;
            } else {
                self.record_of_kernel(place, offset, each)?;
            }
        }
        Ok(())
    }

    /// What is known before the records, as if these told it.
    fn hand_out_first(&mut self, each: Each<'_>) -> Result<()> {
        if let Some(machine) = &self.first.machine {
            each(Record::Machine(machine))?;
        }
        if let Some(release) = &self.first.release {
            each(Record::Release(release))?;
        }
        let mut rest = &self.first.build_ids[..];
        while let Some((record, after)) = records::split_off(rest) {
            if let Some(record) = records::build_id(record) {
                each(record)?;
            }
            rest = after;
        }
        Ok(())
    }

    /// A record that the kernel wrote, or perf in its name, waits for its turn if it
    /// has a time.
    fn record_of_kernel(&mut self, place: Place, offset: u64, each: Each<'_>) -> Result<()> {
        let record = self.chunks.record(place);
        let (kind, _, body) = records::split(record);
        let (body, is_sample) = (U64s::new(body), kind == kinds::SAMPLE);
        let event = self.delivery.events.of_record(body, is_sample);
        if is_sample && event.is_none() {
            self.delivery.troubles.unknown_events += 1;
            return Ok(());
        }
        let event = event.unwrap_or(0);
        let time = self.delivery.events.get(event).and_then(|event| {
            let attr = &event.attr;
            let at = match is_sample {
                true => time_from_start(attr)?,
                false => body.len().checked_sub(time_from_end(attr)?)?,
            };
            body.get(at)
        });
        let entry = Entry { time: time.unwrap_or(0), place, event: event as u32, offset };
        match entry.time {
            // perf writes the state of the system at the start without times.
            0 | u64::MAX => self.delivery.record(&entry, record, each),
            time if !records::is_of_use(kind) => {
                self.order.note(time);
                Ok(())
            }
            _ => {
                self.chunks.hold(place);
                self.order.push(entry);
                if self.chunks.bytes_in_use() > MOST_WAITING {
                    self.order.make_room();
                    self.hand_out(each)?;
                }
                Ok(())
            }
        }
    }

    /// Hands out the records whose turn it is.
    fn hand_out(&mut self, each: Each<'_>) -> Result<()> {
        while let Some(entry) = self.order.pop() {
            self.delivery.record(&entry, self.chunks.record(entry.place), each)?;
            self.chunks.release(entry.place);
        }
        Ok(())
    }
}

/// Opens either kind.
fn open(input: &mut Input) -> Result<(Stream<'_>, Chunks, Delivery, First), Stop> {
    let head = input.peek(MAGIC.len() + 8).map_err(Stop::Failed)?;
    if let Some(why) = refusal(head) {
        return Err(Stop::Refused(why.to_owned()));
    }
    let size = head.get(MAGIC.len()..).and_then(|size| size.first_chunk());
    match size.map(|size| u64::from_le_bytes(*size)) {
        None => Err(Stop::Malformed("the header is cut short".to_owned())),
        Some(PIPE_HEADER_SIZE) => pipe::open(input),
        Some(_) => file::open(input),
    }
}
