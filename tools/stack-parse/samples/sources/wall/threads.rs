//! The threads of a recording, and the slices of what they did.

use std::collections::{BTreeMap, VecDeque};

use common::stacks::{FrameId, NodeId};
use hashbrown::HashMap;

use super::life::{End, Ends, Life, WaitsFor};
use super::number;
use super::timeline::{Left, Piece, Teller, Timeline};
use crate::samples::sources::{Made, State, Waker, Who};
use crate::samples::sums::Sums;
use crate::samples::threads::ThreadNews;

/// The threads of the recording that is being read.
#[derive(Debug, Default)]
pub(super) struct Threads {
    /// Whether each slice is wanted by itself, and not in sums.
    pub(super) is_timed: bool,
    lives: HashMap<u32, Life>,
    ends: Ends,
    /// What a stack may wait for that ends, by its leaf.
    waits_for: HashMap<NodeId, Option<WaitsFor>>,
    /// The threads that existed before the recording began, by their ids, with their process and
    /// their name.
    existed: BTreeMap<u32, (u32, FrameId)>,
    /// When the first and the last record were written, in nanoseconds.
    times: Option<[u64; 2]>,
    pub(super) has_wakings: bool,
    /// What they did, in the order in which it is known.
    pub(super) made: VecDeque<Made>,
    /// How many switches were not recorded.
    pub(super) missing: u64,
    /// How many waits are taken to have been for the end of a thread or a process.
    pub(super) joins: u64,
    /// The length of all lives, and what of it is not known, in nanoseconds.
    pub(super) lived: u128,
    pub(super) not_recorded: u128,
}

impl Threads {
    pub(super) fn new(is_timed: bool) -> Threads {
        Threads { is_timed, ..Threads::default() }
    }

    /// Notes that a record was written at this time; returns when the first was.
    pub(super) fn start(&mut self, time: u64) -> u64 {
        let [first, last] = self.times.get_or_insert([time; 2]);
        *last = time.max(*last);
        *first
    }

    /// The thread with this id, which may be new.
    pub(super) fn life(&mut self, tid: u32, time: u64) -> &mut Life {
        let start = self.start(time);
        let is_watched = self.existed.contains_key(&tid);
        let new = || Life::new(None, 0, Timeline::from_start(start, is_watched));
        self.lives.entry(tid).or_insert_with(new)
    }

    /// Notes a record of the thread itself. Returns whether it still lives.
    pub(super) fn own(
        &mut self,
        ids: [Option<u32>; 2],
        comm: &[u8],
        time: u64,
        sums: &mut Sums,
    ) -> bool {
        let Some(tid) = ids[1].filter(|tid| *tid != 0) else { return false };
        let comm = sums.frame(comm);
        let life = self.life(tid, time);
        match life.end {
            End::NotYet => {
                life.is_recorded = true;
                (life.pid, life.comm) = (ids[0].or(life.pid), comm);
                true
            }
            End::Ending(end) => {
                let end = end.max(time);
                life.end = End::Ending(end);
                self.note_end(tid, end);
                false
            }
            End::Gone => false,
        }
    }

    /// Notes when a thread ends, or that it goes on for longer.
    fn note_end(&mut self, tid: u32, time: u64) {
        if let Some(life) = self.lives.get(&tid) {
            self.ends.note(tid, life, time);
        }
    }

    /// Notes that a thread ends, if that is not known yet.
    pub(super) fn ends(&mut self, tid: u32, time: u64) {
        let life = self.life(tid, time);
        if life.end == End::NotYet {
            life.end = End::Ending(time);
            self.note_end(tid, time);
        }
    }

    /// A thread gets a processor, as the tracepoint of another one says.
    pub(super) fn follow(&mut self, next: &[u8], time: u64) {
        let Some(tid) = number(next).filter(|tid| *tid != 0) else { return };
        let life = self.life(tid, time);
        if life.end == End::NotYet {
            life.timeline.switch_in(time, Teller::Tracepoint);
            self.settle(tid);
        }
    }

    /// A thread leaves its processor; one that ends is gone by that.
    pub(super) fn leave(&mut self, tid: u32, time: u64, left: Left) {
        let life = self.life(tid, time);
        match life.end {
            End::NotYet => {
                life.timeline.switch_out(time, left);
                self.settle(tid);
            }
            End::Ending(end) => {
                life.end = End::Ending(end.max(time));
                self.finish(tid, time);
            }
            End::Gone => {}
        }
    }

    /// Makes slices of what is known by now of a thread.
    pub(super) fn settle(&mut self, tid: u32) {
        let Some(life) = self.lives.get_mut(&tid).filter(|life| life.is_recorded) else { return };
        let (pid, pieces) = (life.pid, std::mem::take(&mut life.timeline.pieces));
        // What it did last did not end before the recording, or with its own end.
        let last = (life.end == End::Gone).then(|| pieces.last().copied()).flatten();
        for piece in pieces {
            let has_ended = Some(piece) != last;
            let is_unwoken = has_ended && piece.state == State::Waiting && piece.waker.is_none();
            let what = piece.leaf.and_then(|leaf| self.waits_for.get(&leaf).copied().flatten());
            let waited = match what {
                Some(what) if is_unwoken && self.has_wakings => {
                    self.ends.waited(what, pid, tid, piece)
                }
                _ => None,
            };
            match waited {
                Some(pieces) => {
                    self.joins += 1;
                    pieces.into_iter().for_each(|piece| self.pass(tid, piece));
                }
                None => self.pass(tid, piece),
            }
        }
    }

    /// Makes the slice of a piece, or adds it to the time that the thread ran.
    fn pass(&mut self, tid: u32, mut piece: Piece) {
        let Some(life) = self.lives.get_mut(&tid) else { return };
        let length = piece.to - piece.from;
        self.lived += u128::from(length);
        match piece.state {
            State::Running if !self.is_timed => {
                life.ran += length;
                return;
            }
            State::Waiting if !self.has_wakings => piece.state = State::WaitingOrRunnable,
            State::NotRecorded => self.not_recorded += u128::from(length),
            _ => {}
        }
        self.made.push_back(Made::Slice(life.slice(tid, piece)));
    }

    /// All that a thread did is known. It goes on to this time if it has not ended before.
    pub(super) fn finish(&mut self, tid: u32, time: u64) {
        let Some(life) = self.lives.get_mut(&tid) else { return };
        match life.end {
            End::NotYet => life.timeline.end(time),
            End::Ending(end) => life.timeline.end(end),
            End::Gone => return,
        }
        life.end = End::Gone;
        self.settle(tid);
        let Some(life) = self.lives.get_mut(&tid).filter(|life| life.is_recorded) else { return };
        self.missing += life.timeline.missing;
        if self.is_timed || life.ran == 0 {
            return;
        }
        let state = State::Running;
        for (leaf, length) in life.share_out() {
            let piece = Piece { from: 0, to: length, state, leaf, waker: None };
            self.made.push_back(Made::Slice(life.slice(tid, piece)));
        }
    }

    /// A thread makes another.
    pub(super) fn make(&mut self, news: &ThreadNews<'_>, by: u32, sums: &mut Sums) {
        let ThreadNews { pid, tid, comm, time, .. } = *news;
        if self.own([None, Some(by)], comm, time, sums) {
            self.life(by, time).timeline.act(time, None);
            self.settle(by);
        }
        // The id may be that of a thread whose end was not recorded.
        self.finish(tid, time);
        let maker = Waker { who: Who::Thread(by), stack: None };
        let mut life = Life::new(pid, sums.frame(comm), Timeline::made(time, maker));
        let maker = self.lives.get(&by).and_then(|maker| maker.pid);
        life.parent = maker.filter(|maker| Some(*maker) != pid);
        self.lives.insert(tid, life);
    }

    /// Notes a thread that existed before the recording began.
    pub(super) fn note_existed(&mut self, [pid, tid]: [u32; 2], comm: FrameId) {
        if tid != 0 {
            self.existed.insert(tid, (pid, comm));
        }
        if let Some(life) = self.lives.get_mut(&tid).filter(|life| !life.is_recorded) {
            life.timeline.watch();
        }
    }

    /// Notes what a stack with which a thread leaves its processor may wait for: in a futex, or in a
    /// kernel without names, for a thread; where it waits for a process, for that.
    pub(super) fn note_stack(&mut self, leaf: NodeId, sums: &Sums) {
        self.waits_for.entry(leaf).or_insert_with(|| {
            let has = |part: &str| sums.has_frame(leaf, part.as_bytes());
            let is_nameless = sums.frames.name(sums.tree.frame(leaf)).starts_with(b"[");
            match () {
                // `do_wait`, `kernel_wait4`, `kernel_waitid`, and the functions of C.
                () if has("wait4") || has("waitid") || has("waitpid") => Some(WaitsFor::Process),
                () if is_nameless || has("futex") => Some(WaitsFor::Thread),
                () => None,
            }
        });
    }

    /// All threads end with the recording. Returns whether there was any record.
    pub(super) fn end(&mut self) -> bool {
        let [start, end] = self.times.unwrap_or_default();
        // Those that slept all the time have no record of their own.
        for (tid, (pid, comm)) in std::mem::take(&mut self.existed) {
            let new = || Life::new(Some(pid), comm, Timeline::from_start(start, true));
            let life = self.lives.entry(tid).or_insert_with(new);
            if !life.is_recorded {
                (life.pid, life.comm, life.is_recorded) = (Some(pid), comm, true);
                life.timeline.switch_in(end, Teller::Record);
            }
        }
        let mut tids: Vec<u32> = self.lives.keys().copied().collect();
        tids.sort_unstable();
        tids.into_iter().for_each(|tid| self.finish(tid, end));
        (self.lives, self.ends, self.has_wakings) = Default::default();
        self.times.take().is_some()
    }
}
