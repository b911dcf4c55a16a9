//! A recording: reads its records in the order of time.

mod features;
mod file;
pub(crate) mod header;
mod order;
mod ordered_reader;
mod perf_records;
mod simpleperf;

use std::io::{Read, Seek};

use crate::delivery::Delivery;
use crate::error::{CallerStopped, Error, Stop};
use crate::records::{self, Each, Record, kinds};
use crate::stream::chunks::Chunks;
use crate::stream::{Extent, Source, Stream};
use crate::summary::Summary;
use file::BeforeRecords;
use header::STREAM_HEADER_SIZE;
use ordered_reader::OrderedReader;

/// A recording that is open.
///
/// The format is that of tools/perf/Documentation/perf.data-file-format.txt of Linux; its records
/// are those of `perf_event_open(2)` and include/uapi/linux/perf_event.h. Recordings of
/// little-endian machines can be read, also compressed ones (`perf record -z`), and those of
/// Android's simpleperf.
///
/// Memory holds the records that must wait for earlier ones: some MB, and at most 128 MiB where
/// records are out of order by more than that. Then those of a file are read again from there, and
/// those of a pipe are passed on out of order, see [`Summary::late`].
pub struct Recording<'i> {
    reader: OrderedReader<'i>,
    before_records: BeforeRecords,
}

impl<'i> Recording<'i> {
    /// How many bytes [`is_stream`](Recording::is_stream) needs.
    pub const HEAD: usize = STREAM_HEADER_SIZE;

    /// Whether a recording that begins with `head` is a stream, which `perf record -o -` writes,
    /// and which can be read from a pipe. Otherwise it is a file, of which any part may have to be
    /// read first. `head` are the first [`HEAD`](Recording::HEAD) bytes.
    ///
    /// # Errors
    ///
    /// Why it is neither; [`Error::Malformed`] if there are too few bytes.
    pub fn is_stream(head: &[u8]) -> Result<bool, Error> {
        header::is_stream(head)
    }

    /// Opens a stream, which `perf record -o -` writes.
    ///
    /// # Errors
    ///
    /// [`Error::Read`], and why the recording cannot be read: [`Error::NotAStream`] if it is
    /// a file.
    pub fn from_stream(mut reader: impl Read + 'i) -> Result<Recording<'i>, Error> {
        let mut head = Vec::new();
        reader.by_ref().take(STREAM_HEADER_SIZE as u64).read_to_end(&mut head)?;
        if !header::is_stream(&head)? {
            return Err(Error::NotAStream);
        }
        Ok(Recording::after_stream_header(Source::Pipe(Box::new(reader))))
    }

    /// Opens a file, which `perf record -o FILE` writes, or a copy of a stream in a file.
    ///
    /// # Errors
    ///
    /// [`Error::Read`], and why the recording cannot be read.
    pub fn from_file(mut file: impl Read + Seek + 'i) -> Result<Recording<'i>, Error> {
        let mut head = Vec::new();
        file.rewind()?;
        file.by_ref().take(STREAM_HEADER_SIZE as u64).read_to_end(&mut head)?;
        if header::is_stream(&head)? {
            return Ok(Recording::after_stream_header(Source::File(Box::new(file))));
        }
        let (reader, before_records) = file::open(file, head)?;
        Ok(Recording { reader, before_records })
    }

    fn after_stream_header(source: Source<'i>) -> Recording<'i> {
        let (mut chunks, start) = (Chunks::default(), STREAM_HEADER_SIZE as u64);
        let stream = Stream::new(source, start, Extent::Open, &mut chunks);
        let reader = OrderedReader::new(stream, chunks, Delivery::default());
        Recording { reader, before_records: BeforeRecords::default() }
    }

    /// Also counts how many of the recorded threads run, for
    /// [`RawSample::parallelism`](crate::RawSample::parallelism).
    pub fn count_running(&mut self) {
        self.reader.delivery.running.begin();
    }

    /// Also passes on the switches of threads, as [`Record::Switch`].
    pub fn pass_switches(&mut self) {
        self.reader.delivery.passes_switches = true;
    }

    /// Whether the switches of threads were recorded, as `perf record --switch-events` and
    /// simpleperf's `--trace-offcpu` ask for. A stream says it only after its header: this is false
    /// for all streams.
    #[must_use]
    pub fn has_switches(&self) -> bool {
        self.reader.delivery.events.have_switches()
    }

    /// Reads the recording to its end, or as far as it can be read, and calls `each` with each
    /// record: in the order of time, and records without a time where they are. The summary says
    /// what was lost, what was left out, and why the recording ends early, if it does.
    ///
    /// # Errors
    ///
    /// What `each` returns; no more records are read then. A damaged recording is not such an
    /// error, since the records before the damage count: see [`Summary::error`].
    pub fn read<E>(self, mut each: impl FnMut(Record<'_>) -> Result<(), E>) -> Result<Summary, E> {
        let mut error = None;
        let read = self.read_all(&mut |record| {
            each(record).map_err(|why| {
                error = Some(why);
                CallerStopped
            })
        });
        match (read, error) {
            (Ok(summary), _) => Ok(summary),
            (Err(CallerStopped), Some(error)) => Err(error),
            (Err(CallerStopped), None) => unreachable!("only the caller stops"),
        }
    }

    fn read_all(mut self, each: Each<'_>) -> Result<Summary, CallerStopped> {
        let error = match self.read_records(each) {
            Ok(()) => None,
            Err(Stop::Broken(error)) => Some(error),
            Err(Stop::Caller) => return Err(CallerStopped),
        };
        let mut summary = self.reader.finish(each)?;
        summary.error = error;
        Ok(summary)
    }

    /// Reads to the end, or as far as can be read.
    fn read_records(&mut self, each: Each<'_>) -> Result<(), Stop> {
        self.before_records.hand_out(each)?;
        let reader = &mut self.reader;
        while let Some((at, offset)) = reader.stream.next(&mut reader.chunks)? {
            let kind = records::kind(reader.chunks.record(at));
            if kind < kinds::FIRST_OF_PERF {
                reader.record_of_kernel(at, offset, each)?;
            } else if kind < kinds::FIRST_OF_SIMPLEPERF {
                reader.record_of_perf(at, each)?;
            } else {
                reader.record_of_simpleperf(at);
            }
        }
        Ok(())
    }
}
