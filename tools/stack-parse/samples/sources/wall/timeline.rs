//! What one thread did from one moment to the next, found from what is recorded of it.
//!
//! Records are missing and come twice: perf tells one switch by a tracepoint and, some microseconds
//! apart, by a record of its own; buffers overflow; kinds of events begin at different moments. So
//! what a thread did while it was away is known only when its next switch is: what is recorded of it
//! until then is [`held`](Timeline::held).

use common::stacks::NodeId;

use crate::samples::sources::{State, Waker};

/// A time in which a thread did one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// In nanoseconds.
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) state: State,
    /// The stack with which it ran, or with which it left its processor.
    pub(super) leaf: Option<NodeId>,
    /// Who ended it, if it was a wait; of a new thread, who made it.
    pub(super) waker: Option<Waker>,
}

impl Piece {
    /// Whether it says nothing but how long it is.
    fn is_blank(&self) -> bool {
        self.state == State::NotRecorded && self.leaf.is_none() && self.waker.is_none()
    }
}

/// Which record tells of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Teller {
    /// `PERF_RECORD_SWITCH`.
    Record,
    /// `sched:sched_switch`.
    Tracepoint,
}

/// How a thread left its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) teller: Teller,
    /// Whether it could go on.
    pub(super) is_preempted: bool,
    /// Its stack, if the record has it.
    pub(super) leaf: Option<NodeId>,
}

/// How the present state began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    ByIn(Teller),
    ByOut(Teller),
}

/// What waits for the next switch, which says what it means.
#[derive(Clone, Copy, Debug)]
enum Held {
    Woken(Waker),
    /// A record of the thread itself; a sample has a stack.
    Acted(Option<NodeId>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    In,
    OutOrNone,
}

/// What a thread does, as far as it is known by now.
#[derive(Debug)]
pub(super) struct Timeline {
    state: State,
    /// Since when, in nanoseconds.
    since: u64,
    /// Whether it is known what it did at first: that the next switch tells.
    is_known: bool,
    /// Who made it, until it has run.
    maker: Option<Waker>,
    /// Where it left its processor; while it runs, the stack of its last sample, and when that was.
    left: Option<NodeId>,
    sample: Option<(u64, NodeId)>,
    told: Option<Told>,
    /// When it ran for sure.
    last: u64,
    /// Whether it was woken before it had left its processor.
    is_woken_early: bool,
    held: Vec<(u64, Held)>,
    /// How many switches were not recorded.
    pub(super) missing: u64,
    /// What it did so far.
    pub(super) pieces: Vec<Piece>,
}

impl Timeline {
    /// A thread that existed when the recording began. If it did not run then, it was away, where it
    /// `is_watched` from that moment on.
    pub(super) fn from_start(start: u64, is_watched: bool) -> Timeline {
        let away = if is_watched { State::WaitingOrRunnable } else { State::NotRecorded };
        Timeline::new(away, start, None)
    }

    /// What it does is recorded since the recording began, as is known only now.
    pub(super) fn watch(&mut self) {
        if !self.is_known && self.state == State::NotRecorded {
            self.state = State::WaitingOrRunnable;
        }
    }

    /// A thread that another one has made.
    pub(super) fn made(time: u64, by: Waker) -> Timeline {
        Timeline::new(State::Runnable, time, Some(by))
    }

    fn new(state: State, since: u64, maker: Option<Waker>) -> Timeline {
        Timeline {
            state,
            since,
            is_known: maker.is_some(),
            maker,
            left: None,
            sample: None,
            told: None,
            last: since,
            is_woken_early: false,
            held: Vec::new(),
            missing: 0,
            pieces: Vec::new(),
        }
    }

    /// Whether a waking ends a wait now.
    pub(super) fn may_be_woken(&self) -> bool {
        !self.is_known || !matches!(self.state, State::Running | State::Runnable)
    }

    /// The thread is woken.
    pub(super) fn wake(&mut self, time: u64, waker: Waker) {
        match self.is_known && self.held.is_empty() {
            true => self.woken(time, waker),
            false => self.hold(time, Held::Woken(waker)),
        }
    }

    /// A record shows that the thread runs; a sample also shows its stack.
    pub(super) fn act(&mut self, time: u64, sample: Option<NodeId>) {
        match self.is_known && self.state == State::Running {
            true => self.acted(time, sample),
            false => self.hold(time, Held::Acted(sample)),
        }
    }

    /// The thread gets a processor.
    pub(super) fn switch_in(&mut self, time: u64, teller: Teller) {
        self.settle(Next::In);
        let told = Some(Told::ByIn(teller));
        if self.state == State::Running {
            // One record of a kind after the other: it left between them.
            if self.told == told && time > self.last {
                self.missing += 1;
                self.put(self.last.max(self.since), State::Running, None);
                self.put(time, State::NotRecorded, None);
                (self.last, self.sample) = (time, None);
            }
            return;
        }
        let is_wait = self.state == State::Waiting;
        let state = if is_wait && self.is_woken_early { State::Runnable } else { self.state };
        self.put(time, state, None);
        self.run(time, told);
    }

    /// The thread leaves its processor.
    pub(super) fn switch_out(&mut self, time: u64, left: Left) {
        self.settle(Next::OutOrNone);
        if self.state != State::Running {
            match self.told {
                // The other record of the same switch.
                Some(Told::ByOut(teller)) if teller != left.teller => {
                    self.left = self.left.or(left.leaf);
                    return;
                }
                // It ran for some of this time.
                _ => {
                    self.missing += 1;
                    self.put(time, State::NotRecorded, None);
                }
            }
        }
        self.put(time, State::Running, None);
        self.state = if left.is_preempted { State::Runnable } else { State::Waiting };
        self.is_woken_early &= !left.is_preempted;
        (self.left, self.maker, self.sample) = (left.leaf, None, None);
        (self.last, self.told) = (time, Some(Told::ByOut(left.teller)));
    }

    /// The thread ends, or the recording.
    pub(super) fn end(&mut self, time: u64) {
        self.settle(Next::OutOrNone);
        let is_wait = self.state == State::Waiting;
        let state = if is_wait && self.is_woken_early { State::Runnable } else { self.state };
        self.put(time, state, None);
    }

    /// Keeps what only the next switch explains. Of several that say the same, the first and the last
    /// matter.
    fn hold(&mut self, time: u64, what: Held) {
        let repeats = |held: &Held| {
            use Held::{Acted, Woken};
            matches!((held, &what), (Woken(_), Woken(_)) | (Acted(None), Acted(None)))
        };
        if let [.., (_, before), (_, last)] = &self.held[..]
            && repeats(before)
            && repeats(last)
        {
            self.held.pop();
        }
        self.held.push((time, what));
    }

    /// Takes in what was held, now that the next switch is known.
    fn settle(&mut self, next: Next) {
        if !self.is_known {
            self.is_known = true;
            self.state = if next == Next::In { self.state } else { State::Running };
        }
        for (time, what) in std::mem::take(&mut self.held) {
            match what {
                Held::Woken(waker) => self.woken(time, waker),
                Held::Acted(sample) if self.state == State::Running => self.acted(time, sample),
                // It was recorded between the two records of one switch.
                Held::Acted(_) if next == Next::In => {}
                Held::Acted(sample) => {
                    self.missing += 1;
                    let is_woken = self.state == State::Runnable || self.is_woken_early;
                    let is_lost = is_woken && self.maker.is_none();
                    self.put(time, if is_lost { State::NotRecorded } else { self.state }, None);
                    self.run(time, None);
                    self.acted(time, sample);
                }
            }
        }
    }

    fn woken(&mut self, time: u64, waker: Waker) {
        match self.state {
            State::Running => self.is_woken_early = true,
            State::Runnable => {}
            State::Waiting | State::NotRecorded => {
                self.put(time, self.state, Some(waker));
                self.state = State::Runnable;
            }
            State::WaitingOrRunnable => {
                self.put(time, State::Waiting, Some(waker));
                self.state = State::Runnable;
            }
        }
    }

    fn acted(&mut self, time: u64, sample: Option<NodeId>) {
        self.last = time;
        let Some(leaf) = sample else { return };
        if let Some((before, _)) = self.sample {
            // Each sample stands for the time that is nearest to it.
            self.put(before + time.saturating_sub(before) / 2, State::Running, None);
        }
        self.sample = Some((time, leaf));
    }

    fn run(&mut self, time: u64, told: Option<Told>) {
        (self.state, self.told, self.last) = (State::Running, told, time);
        (self.left, self.maker, self.sample) = (None, None, None);
        self.is_woken_early = false;
    }

    /// Ends a piece.
    fn put(&mut self, to: u64, state: State, waker: Option<Waker>) {
        let from = self.since;
        if to <= from {
            return;
        }
        self.since = to;
        let of_sample = self.sample.map(|(_, leaf)| leaf);
        let leaf = if state == State::Running { of_sample } else { self.left };
        let waker = waker.or(self.maker.filter(|_| state != State::Running));
        let piece = Piece { from, to, state, leaf, waker };
        match self.pieces.last_mut() {
            // Those of a thread of which nothing else is known would be many.
            Some(last) if last.is_blank() && piece.is_blank() => last.to = to,
            _ => self.pieces.push(piece),
        }
    }
}

#[cfg(test)]
mod tests;
