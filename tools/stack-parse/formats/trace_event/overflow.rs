//! What a trace says of events that its writer had no room for. Only Perfetto says how much: chunks
//! of its buffer, and not how many events were in them.
//!
//! ```text
//! {"traceEvents":[..],"viztracer_metadata":{"version":"1.0.0","overflow":true}}
//! {"traceEvents":[..],"metadata":{"trace_processor_stats":{"traced_buf":[{"chunks_discarded":2}]}}}
//! {"ph":"M","name":"trace_buffer_overflowed","args":{"overflowed_at_ts":77}}
//! ```

use common::{Result, io::Input};

use super::event::TraceEvent;
use crate::read::json::Json;
use crate::samples::Samples;

/// Which writers had no room for all events.
#[derive(Default)]
pub(super) struct Overflow {
    is_of_viztracer: bool,
    is_of_chrome: bool,
}

impl Overflow {
    /// Reads what VizTracer says of itself.
    pub(super) fn read_viztracer(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            if key == b"overflow" {
                self.is_of_viztracer |= json.boolean()? == Some(true);
            }
        }
        Ok(())
    }

    /// Reads what Chrome and Perfetto say of the trace.
    pub(super) fn read_metadata(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            if key == b"trace_processor_stats" {
                self.read_statistics(json)?;
            }
        }
        Ok(())
    }

    fn read_statistics(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            if key == b"traced_buf" {
                json.for_each(|json| self.read_buffer(json))?;
            }
        }
        Ok(())
    }

    fn read_buffer(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            if let b"chunks_overwritten" | b"chunks_discarded" | b"trace_writer_packet_loss" = key {
                self.is_of_chrome |= json.integer()?.is_some_and(|count| count > 0);
            }
        }
        Ok(())
    }

    /// Notes an event with metadata, if it tells that Chrome's buffer was full.
    pub(super) fn note(&mut self, event: &TraceEvent) {
        self.is_of_chrome |= event.name == b"trace_buffer_overflowed";
    }

    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        for (is_full, remedy) in [
            (self.is_of_viztracer, "use a larger 'viztracer --tracer_entries'"),
            (self.is_of_chrome, "use a larger one, or record for a shorter time"),
        ] {
            if is_full {
                samples.note_full_buffer(remedy);
            }
        }
    }
}
