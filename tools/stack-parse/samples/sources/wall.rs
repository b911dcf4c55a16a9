//! What each thread did all the time: `--wall`.
//!
//! A thread runs, waits, or could run and has no processor. `sched:sched_switch` tells when it leaves
//! and when it comes, `sched:sched_waking` when its wait ends and who ended it; without the right to
//! record these, `PERF_RECORD_SWITCH` (`perf record --switch-events`) tells the first. Samples show
//! where it ran. The slices of a thread sum to its life, whatever was lost.

mod life;
mod threads;
mod timeline;

use bstr::ByteSlice;
use common::pipe::Pipe;
use common::stacks::{FrameId, FrameTable, NodeId};

use super::switch::{EVENT, Switch};
use super::wakers::{WAKINGS, Wakers, interrupt, is_waking, woken};
use super::{Ids, Made, Source, Waker, WakerStack, Who};
use crate::remedies;
use crate::samples::events::{EventArgs, Events, Measure};
use crate::samples::root::Root;
use crate::samples::sample::{Context, OpenSample, Sample, Time};
use crate::samples::sums::Sums;
use crate::samples::threads::{ThreadNews, Turn};
use life::End;
use threads::Threads;
use timeline::{Left, Teller};

/// The names of the software event that is counted where a thread leaves its processor.
const LEAVING: [&str; 2] = ["context-switches", "cs"];

/// The threads of a recording, and what they did.
#[derive(Debug)]
pub(crate) struct Wall {
    events: Events,
    wants_wakers: bool,
    wakers: Wakers,
    threads: Threads,
    has_switches: bool,
    current: Option<Current>,
    unreadable: u64,
}

/// A recorded sample whose stack is needed.
#[derive(Clone, Copy, Debug)]
enum Current {
    Sample {
        tid: u32,
        time: u64,
        period: u64,
    },
    /// A sample that shows where a thread leaves its processor.
    Leaving {
        tid: u32,
        time: u64,
    },
    Switch {
        tid: u32,
        time: u64,
        state: u8,
    },
    Waking {
        woken: u32,
        time: u64,
        who: Who,
        name: FrameId,
    },
}

impl Wall {
    pub(crate) fn new(
        args: &EventArgs,
        is_timed: bool,
        wants_wakers: bool,
        frames: &mut FrameTable,
    ) -> Wall {
        let names = [&[EVENT], &WAKINGS[..], &LEAVING].concat();
        let events = Events::with(&names, args);
        Wall {
            events,
            wants_wakers,
            wakers: Wakers::new(frames),
            threads: Threads::new(is_timed),
            has_switches: false,
            current: None,
            unreadable: 0,
        }
    }

    fn open_switch(&mut self, origin: &Sample<'_>, time: u64, sums: &mut Sums) -> bool {
        let switch = if origin.leaves { Some(Switch::AWAY) } else { Switch::parse(origin.text) };
        let Some(switch) = switch else {
            self.unreadable += 1;
            return false;
        };
        self.has_switches = true;
        // The ids of a thread that has been reaped are gone, but the text has them.
        let ids = Ids::of(origin);
        let tid = ids.tid.or(number(switch.previous));
        let is_needed = self.threads.own([ids.pid, ids.tid], origin.comm, time, sums);
        if let Some(tid) = tid.filter(|tid| *tid != 0) {
            let state = switch.state;
            self.current = Some(Current::Switch { tid, time, state });
            if !is_needed {
                self.switch_out(tid, time, state, None);
            }
        }
        self.threads.follow(switch.next, time);
        is_needed
    }

    /// A thread leaves its processor in this state: see [`Switch::state`].
    fn switch_out(&mut self, tid: u32, time: u64, state: u8, leaf: Option<NodeId>) {
        if matches!(state, b'X' | b'Z') {
            self.threads.ends(tid, time);
        }
        let is_preempted = state == b'R';
        self.threads.leave(tid, time, Left { teller: Teller::Tracepoint, is_preempted, leaf });
    }

    fn open_waking(
        &mut self,
        origin: &Sample<'_>,
        time: u64,
        root: &Root,
        sums: &mut Sums,
    ) -> bool {
        self.threads.has_wakings = true;
        let ids = Ids::of(origin);
        if self.threads.own([ids.pid, ids.tid], origin.comm, time, sums) {
            let tid = ids.tid.unwrap_or_default();
            self.threads.life(tid, time).timeline.act(time, None);
            self.threads.settle(tid);
        }
        let Some(woken) = woken(origin.text).and_then(number).filter(|tid| *tid != 0) else {
            self.unreadable += 1;
            return false;
        };
        let who = match (origin.context, ids.tid) {
            (Context::Interrupt, _) => Who::Interrupt,
            (Context::Idle, _) | (_, None | Some(0)) => Who::Idle,
            (Context::Thread, Some(tid)) => Who::Thread(tid),
        };
        let life = self.threads.life(woken, time);
        if life.end != End::NotYet || who == Who::Thread(woken) {
            return false;
        }
        if !life.timeline.may_be_woken() {
            life.timeline.wake(time, Waker { who, stack: None });
            return false;
        }
        let name = self.wakers.name(origin, root, sums);
        self.current = Some(Current::Waking { woken, time, who, name });
        true
    }

    fn woken_by(&mut self, base: NodeId, leaf: NodeId, waking: Current, sums: &Sums) {
        let Current::Waking { woken, time, who, name } = waking else { return };
        let is_interrupt = interrupt(base, leaf, &sums.tree, &sums.frames).is_some();
        let who = if is_interrupt { Who::Interrupt } else { who };
        let stack = self.wants_wakers.then_some(WakerStack::Recorded { base, leaf, name });
        self.threads.life(woken, time).timeline.wake(time, Waker { who, stack });
        self.threads.settle(woken);
    }
}

impl Source for Wall {
    fn events(&self) -> Events {
        self.events.clone()
    }

    fn measure(&self) -> Measure<'static> {
        Measure { name: b"wall-clock", unit: b"ns" }
    }

    fn makes_slices(&self) -> bool {
        true
    }

    fn recorded(&mut self, events: &[&[u8]], has_switches: bool) {
        self.has_switches |= has_switches || events.contains(&EVENT.as_bytes());
        self.threads.has_wakings |= events.iter().any(|event| is_waking(event));
    }

    fn existed(&mut self, ids: [u32; 2], comm: &[u8], sums: &mut Sums) {
        self.threads.note_existed(ids, sums.frame(comm));
    }

    fn needs_frames(&mut self, _event: &[u8], ids: Ids, _text: &[u8]) -> bool {
        ids.tid != Some(0)
    }

    fn open(&mut self, origin: &Sample<'_>, root: &Root, sums: &mut Sums) -> bool {
        self.current = None;
        let Some(time) = origin.time.and_then(Time::nanoseconds) else {
            self.unreadable += 1;
            return false;
        };
        self.threads.start(time);
        if origin.event == EVENT.as_bytes() || origin.leaves {
            return self.open_switch(origin, time, sums);
        }
        if is_waking(origin.event) {
            return self.open_waking(origin, time, root, sums);
        }
        let Ids { pid, tid } = Ids::of(origin);
        let is_alive = self.threads.own([pid, tid], origin.comm, time, sums);
        let tid = tid.unwrap_or_default();
        // `context-switches:u`
        let event = origin.event.split(|byte| *byte == b':').next().unwrap_or_default();
        let is_leaving = LEAVING.iter().any(|it| it.as_bytes() == event);
        let period = origin.weights.first().copied().unwrap_or(1);
        self.current = Some(match is_leaving {
            true => Current::Leaving { tid, time },
            false => Current::Sample { tid, time, period },
        });
        is_alive
    }

    fn close(&mut self, sample: &OpenSample, leaf: NodeId, sums: &mut Sums) {
        let (base, leaf) = (sample.base, sums.some_frame(sample, leaf));
        match self.current.take() {
            Some(Current::Sample { tid, time, period }) => {
                let is_timed = self.threads.is_timed;
                let life = self.threads.life(tid, time);
                if !is_timed {
                    life.add_sample(leaf, period);
                }
                life.timeline.act(time, is_timed.then_some(leaf));
                self.threads.settle(tid);
            }
            Some(Current::Leaving { tid, time }) => {
                self.threads.life(tid, time).leaves_at = Some(leaf);
            }
            Some(Current::Switch { tid, time, state }) => {
                self.threads.note_stack(leaf, sums);
                self.switch_out(tid, time, state, Some(leaf));
            }
            Some(waking @ Current::Waking { .. }) => self.woken_by(base, leaf, waking, sums),
            None => {}
        }
    }

    fn note_thread(&mut self, news: &ThreadNews<'_>, sums: &mut Sums) {
        let ThreadNews { pid, tid, comm, time, turn } = *news;
        if tid == 0 || tid == u32::MAX {
            return;
        }
        if let Turn::Made { by } = turn {
            return self.threads.make(news, by, sums);
        }
        let is_alive = self.threads.own([pid, Some(tid)], comm, time, sums);
        let life = self.threads.life(tid, time);
        match turn {
            Turn::Left | Turn::Preempted => {
                let (is_preempted, leaf) = (turn == Turn::Preempted, life.leaves_at.take());
                self.has_switches = true;
                self.threads.leave(tid, time, Left { teller: Teller::Record, is_preempted, leaf });
            }
            _ if !is_alive => {}
            Turn::Back => {
                life.timeline.switch_in(time, Teller::Record);
                self.has_switches = true;
            }
            Turn::Woken { at, by, name } => {
                if life.timeline.may_be_woken() {
                    let who = if by == 0 { Who::Idle } else { Who::Thread(by) };
                    let stack = self.wants_wakers.then_some(WakerStack::Unknown(name));
                    life.timeline.wake(at, Waker { who, stack });
                }
                self.threads.has_wakings = true;
            }
            Turn::Named | Turn::Made { .. } => life.timeline.act(time, None),
            Turn::Ended => self.threads.ends(tid, time),
        }
        self.threads.settle(tid);
    }

    fn end_input(&mut self, _events: &Events) -> std::result::Result<(), &'static str> {
        let has_records = self.threads.end();
        let has_switches = std::mem::take(&mut self.has_switches);
        self.current = None;
        if has_records && !has_switches { Err(remedies::NO_WALL) } else { Ok(()) }
    }

    fn take(&mut self) -> Option<Made> {
        self.threads.made.pop_front()
    }

    fn report(&self, pipe: &mut Pipe) {
        for (count, one, several) in [
            (self.threads.missing, "switch was not recorded", "switches were not recorded"),
            (
                self.threads.joins,
                "wait whose waking was not recorded is taken as one for what had ended just before",
                "waits whose waking was not recorded are taken as ones for what had ended just before",
            ),
            (
                self.unreadable,
                "sample is no switch or waking, or has no time, and is left out",
                "samples are no switches or wakings, or have no time, and are left out",
            ),
        ] {
            if count > 0 {
                let what = if count == 1 { one } else { several };
                pipe.note(format_args!("wall: {count} {what}"));
            }
        }
        if self.threads.not_recorded > 0 {
            let [part, all] =
                [self.threads.not_recorded, self.threads.lived].map(|it| it as f64 / 1e9);
            pipe.note(format_args!(
                "wall: what threads did in {part:.6} of {all:.6} s is not recorded"
            ));
        }
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.to_str().ok()?.parse().ok()
}
