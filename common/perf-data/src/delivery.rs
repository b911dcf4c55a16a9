//! Takes records in the order of time, and passes the caller what they hold.

mod chains;
mod groups;
mod held;
mod running;

use crate::bytes::{Bytes, U64s};
use crate::error::CallerStopped;
use crate::events::Events;
use crate::events::attr::{Attr, branches, fields};
use crate::records::{self, Each, Record, SwitchKind, flags, kinds};
use crate::sample::{RawSample, time_from_end};
use crate::summary::Summary;
use chains::{MadeChain, UserChain, deferred};
use groups::Groups;
use held::{HeldSample, HeldSamples};
use running::Running;

/// The state that is kept from one record to the next.
#[derive(Debug, Default)]
pub(crate) struct Delivery {
    pub(crate) events: Events,
    pub(crate) summary: Summary,
    groups: Groups,
    held: HeldSamples,
    chain: MadeChain,
    pub(crate) running: Running,
    /// Whether the caller wants the switches of threads.
    pub(crate) passes_switches: bool,
    has_passed_events: bool,
}

impl Delivery {
    /// Passes what a record holds to `each`. `event` is the index of its event, `offset` is where
    /// it is in the input, in bytes.
    #[inline]
    pub(crate) fn record(
        &mut self,
        event: usize,
        offset: u64,
        record: &[u8],
        each: Each<'_>,
    ) -> Result<(), CallerStopped> {
        if !std::mem::replace(&mut self.has_passed_events, true) {
            each(Record::Events(self.events.all()))?;
        }
        let (kind, flags, body) = records::split(record);
        let is_whole = match kind {
            kinds::SAMPLE => self.sample(event, record, each)?,
            kinds::CALLCHAIN_DEFERRED => self.user_chain(event, body, each)?,
            kinds::LOST | kinds::LOST_SAMPLES => self.lost(kind, flags, body).is_some(),
            _ => self.other(event, record, each)?,
        };
        if !is_whole {
            self.summary.add_damaged(offset);
        }
        Ok(())
    }

    /// Passes on a record that is not a sample, or notes what it says; returns false if it is too
    /// short.
    fn other(
        &mut self,
        event: usize,
        record: &[u8],
        each: Each<'_>,
    ) -> Result<bool, CallerStopped> {
        match records::split(record) {
            (kind @ (kinds::SWITCH | kinds::SWITCH_CPU_WIDE), flags, body) => {
                self.running.switch(kind, flags);
                let event = self.events.get(event).filter(|_| self.passes_switches);
                if let Some(record) = event.and_then(|event| switch(&event.attr, flags, body)) {
                    each(record)?;
                }
            }
            (kinds::EXIT, ..) => self.running.exit(),
            (kinds::MMAP2, flags, _) if flags & flags::MAPS_TIMED_OUT != 0 => {
                self.summary.cut_maps += 1;
            }
            _ => {}
        }
        match records::parse(record) {
            Ok(Some(mut parsed)) => {
                if let Record::Comm { time, .. }
                | Record::Fork { time, .. }
                | Record::Exit { time, .. } = &mut parsed
                {
                    // The times in their bodies are some 500 ns earlier, and before what caused them.
                    let attr = self.events.get(event).map(|event| &event.attr);
                    let body = U64s::new(records::split(record).2);
                    *time = attr.and_then(|attr| time_of(attr, body));
                }
                each(parsed).map(|()| true)
            }
            Ok(None) => Ok(true),
            Err(records::TooShort) => Ok(false),
        }
    }

    /// Passes on the samples that still wait for their chain.
    pub(crate) fn finish(&mut self, each: Each<'_>) -> Result<(), CallerStopped> {
        let held = self.held.take_all();
        self.hand_out_held(held, None, each)
    }

    /// Adds the number of records or samples that were lost, or left out on request.
    fn lost(&mut self, kind: u32, flags: u16, body: &[u8]) -> Option<()> {
        let mut body = Bytes(body);
        if kind == kinds::LOST {
            let _counter = body.u64()?;
            self.summary.add_lost_records(body.u64()?);
        } else if flags & flags::LOST_BY_FILTER != 0 {
            self.summary.filtered = self.summary.filtered.saturating_add(body.u64()?);
        } else {
            self.summary.add_lost_samples(body.u64()?);
        }
        Some(())
    }

    /// Passes on a sample, or keeps it until its chain comes; returns false if it is too short.
    fn sample(
        &mut self,
        event: usize,
        record: &[u8],
        each: Each<'_>,
    ) -> Result<bool, CallerStopped> {
        self.summary.samples += 1;
        let (_, flags, body) = records::split(record);
        let parse = |event| RawSample::parse(event, flags, body);
        let Some(mut sample) = self.events.get(event).and_then(parse) else { return Ok(false) };
        sample.parallelism = self.running.during(&sample, self.events.have_switches());
        let attr = &sample.event.attr;
        if let Some((_, cookie)) = deferred(sample.chain) {
            let thread = sample.tid.unwrap_or(0);
            if !self.held.hold(thread, record, event, cookie, sample.parallelism) {
                let held = self.held.take(thread);
                self.hand_out_held(held, None, each)?;
            }
            return Ok(true);
        }
        if attr.branch_sample_type & branches::CALL_STACK != 0 && self.chain.set_branches(&sample) {
            sample.chain = self.chain.get();
            sample.has_chain_of_calls = true;
        }
        self.groups.hand_out(&sample, &self.events, &mut self.summary, each)?;
        Ok(true)
    }

    /// Passes on the samples of a thread that have waited for this chain; returns false if the
    /// record is too short.
    fn user_chain(
        &mut self,
        event: usize,
        body: &[u8],
        each: Each<'_>,
    ) -> Result<bool, CallerStopped> {
        let Some(chain) = UserChain::parse(body) else { return Ok(false) };
        let attr = self.events.get(event).map(|event| &event.attr);
        let thread = attr.and_then(|attr| thread_of(attr, U64s::new(body))).unwrap_or(0);
        let held = self.held.take(thread);
        self.hand_out_held(held, Some(chain), each)?;
        Ok(true)
    }

    /// Passes on samples that waited, with the chain if it is theirs.
    fn hand_out_held(
        &mut self,
        samples: Vec<HeldSample>,
        user: Option<UserChain<'_>>,
        each: Each<'_>,
    ) -> Result<(), CallerStopped> {
        for held in samples {
            let (_, flags, body) = records::split(&held.record);
            let parse = |event| RawSample::parse(event, flags, body);
            if let Some(mut sample) = self.events.get(held.event).and_then(parse)
                && let Some((kernel, _)) = deferred(sample.chain)
            {
                let user = user.filter(|user| user.cookie == held.cookie);
                sample.parallelism = held.parallelism;
                sample.lacks_user_chain = user.is_none();
                self.summary.without_user_chain += u64::from(user.is_none());
                self.chain.merge(kernel, user.map(|user| user.chain).unwrap_or_default());
                sample.chain = self.chain.get();
                self.groups.hand_out(&sample, &self.events, &mut self.summary, each)?;
            }
            self.held.reuse(held);
        }
        Ok(())
    }
}

/// A switch of a thread, if the record says of which one, and when.
fn switch<'a>(attr: &Attr, flags: u16, body: &[u8]) -> Option<Record<'a>> {
    let body = U64s::new(body);
    let ([pid, tid], kind) = (ids_of(attr, body)?, SwitchKind::of(flags));
    Some(Record::Switch { pid, tid, time: time_of(attr, body)?, kind })
}

/// When a record other than a sample was written.
fn time_of(attr: &Attr, body: U64s<'_>) -> Option<u64> {
    body.get(body.len().checked_sub(time_from_end(attr)?)?).filter(records::is_time)
}

/// The thread that a record other than a sample belongs to.
fn thread_of(attr: &Attr, body: U64s<'_>) -> Option<u32> {
    ids_of(attr, body).map(|[_, tid]| tid)
}

/// The process and the thread that a record other than a sample belongs to.
fn ids_of(attr: &Attr, body: U64s<'_>) -> Option<[u32; 2]> {
    let after = [fields::TIME, fields::ID, fields::STREAM_ID, fields::CPU, fields::IDENTIFIER];
    let from_end = 1 + after.iter().filter(|field| attr.has(**field)).count();
    let ids = body.get(body.len().checked_sub(from_end)?)?;
    (attr.sample_id_all() && attr.has(fields::TID)).then_some([ids as u32, (ids >> 32) as u32])
}
