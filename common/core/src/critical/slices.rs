//! The slices of all threads, as they are read.

use crate::folded::FoldedLine;
use crate::folded::ThreadState as State;
use crate::io::Files;
use crate::names::printable;
use crate::numbers::nanoseconds_of_label;
use crate::pipe::Pipe;
use crate::stacks::{FrameId, FrameTable};
use crate::{Error, Result};

/// The index of a thread in [`Slices::threads`].
pub type ThreadId = u32;

/// A time in which a thread did one thing. A recording may have millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// In nanoseconds.
    start: u64,
    /// The length in nanoseconds, and in the lowest 3 bits the state.
    length_and_state: u64,
    stack: FrameId,
    waker: ThreadId,
}

impl Slice {
    const NO_WAKER: ThreadId = ThreadId::MAX;

    /// When it begins, in nanoseconds.
    pub fn start(self) -> u64 {
        self.start
    }

    /// How long it lasts, in nanoseconds.
    #[must_use]
    pub fn length(self) -> u64 {
        self.length_and_state >> 3
    }

    /// When it ends, in nanoseconds.
    #[must_use]
    pub fn end(self) -> u64 {
        self.start + self.length()
    }

    /// What the thread does.
    #[must_use]
    pub fn state(self) -> State {
        State::ALL[(self.length_and_state & 7) as usize]
    }

    /// The id of the stack in [`Slices::stacks`].
    pub fn stack(self) -> FrameId {
        self.stack
    }

    /// The thread that ended it, or that made this one.
    pub fn waker(self) -> Option<ThreadId> {
        Some(self.waker).filter(|waker| *waker != Slice::NO_WAKER)
    }
}

/// A thread, with its slices in the order of time.
#[derive(Debug, Default)]
pub struct Thread {
    /// The id of its process, as a number of [`Slices::stacks`].
    pub pid: Option<FrameId>,
    /// Its name: the label, or the root frame of its stacks.
    pub comm: Option<FrameId>,
    /// In the order of time; they do not overlap.
    pub slices: Vec<Slice>,
}

impl Thread {
    /// When its first slice begins, in nanoseconds.
    #[must_use]
    pub fn start(&self) -> Option<u64> {
        self.slices.first().map(|slice| slice.start())
    }

    /// When its last slice ends, in nanoseconds.
    #[must_use]
    pub fn end(&self) -> Option<u64> {
        self.slices.last().map(|slice| slice.end())
    }
}

/// All slices.
#[derive(Debug, Default)]
pub struct Slices {
    /// All threads, by their [`ThreadId`].
    pub threads: Vec<Thread>,
    /// The ids of threads, as they were read; the number of each is its [`ThreadId`].
    pub tids: FrameTable,
    /// Stacks as they were read, and the names and processes of threads.
    pub stacks: FrameTable,
    /// Whether lines have a label with the name of the thread.
    pub has_comm: bool,
    /// Whether any wait says who ended it, and whether any may have none for want of a record.
    has_wakers: bool,
    lacks_wakers: bool,
    /// Whether any thread ran with a stack, by its id.
    are_run: Vec<bool>,
    /// Whether lines have the label `time`.
    pub has_time: bool,
    /// The time at which the label `since` is 0, if lines have it.
    pub origin: Option<u64>,
}

/// What makes such lines.
const PRINT: &str = "stack-parse --wall --per-sample --labels time,tid,pid,comm,state,waker";

impl Slices {
    /// # Errors
    ///
    /// [`Error::Usage`] if a line is no slice, or if nobody recorded who ended the waits; and what
    /// reading returns.
    pub fn read(files: &Files, pipe: &mut Pipe) -> Result<Slices> {
        let (mut slices, mut lines) = (Slices::default(), 0_u64);
        pipe.lines(files).each(|line, _| {
            lines += 1;
            slices.add(&line).map_err(|lacks| {
                let of = printable(line.stack);
                Error::Usage(format!(
                    "slice {lines}, of {of}, {lacks}: print slices with '{PRINT}'"
                ))
            })
        })?;
        slices.sort()?;
        match slices.know_wakers() {
            false => Err(Error::Usage(format!(
                "no wait has the label waker, so nobody knows who waited for whom: print slices \
                 with '{PRINT}', of a recording with sched:sched_waking; 'stack-flame --wall' makes \
                 one as root"
            ))),
            true => Ok(slices),
        }
    }

    /// Whether there are no slices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span().is_none()
    }

    /// Whether who ended the waits was recorded.
    #[must_use]
    pub fn know_wakers(&self) -> bool {
        self.has_wakers || !self.lacks_wakers
    }

    /// Adds a line that is a slice.
    ///
    /// # Errors
    ///
    /// What such a line must have and this one has not.
    pub fn add(&mut self, line: &FoldedLine<'_>) -> Result<(), &'static str> {
        let [mut time, mut since, mut tid, mut pid, mut comm, mut state, mut waker] = [None; 7];
        for label in line.labels.iter() {
            let value = match label.key {
                b"time" => &mut time,
                b"since" => &mut since,
                b"tid" => &mut tid,
                b"pid" => &mut pid,
                b"comm" => &mut comm,
                b"state" => &mut state,
                b"waker" => &mut waker,
                _ => continue,
            };
            *value = Some(label.value);
        }
        // What is before 0 would count as 0.
        let since = since.filter(|since| !since.starts_with(b"-"));
        let [time, since] = [time, since].map(|time| time.and_then(nanoseconds_of_label));
        let start = time.or(since).ok_or("has no label time")?;
        if let (None, Some(origin)) = (self.origin, since.and_then(|it| start.checked_sub(it))) {
            self.origin = Some(origin);
        }
        self.has_time |= time.is_some();
        let tid = tid.ok_or("has no label tid")?;
        let state = state.ok_or("has no label state")?;
        let state = State::of_label(state).ok_or("has a label state that is none of --wall")?;
        if line.count > u64::MAX >> 3 || start.checked_add(line.count).is_none() {
            return Err("is too long");
        }
        // An interrupt and the idle task are no threads.
        let waker = waker.filter(|waker| !matches!(*waker, b"interrupt" | b"idle"));
        self.has_wakers |= state == State::Waiting && waker.is_some();
        self.lacks_wakers |= state == State::WaitingOrRunnable;
        let waker = waker.map_or(Slice::NO_WAKER, |tid| self.thread(tid));
        let stack = self.stacks.intern(line.stack);
        self.note_run(stack, state);
        self.has_comm |= comm.is_some();
        let root = || line.frames().next().unwrap_or_default();
        let comm = self.stacks.intern(comm.unwrap_or_else(root));
        let pid = pid.map(|pid| self.stacks.intern(pid));
        let length_and_state = line.count << 3 | state as u64;
        let thread = self.thread(tid);
        let thread = &mut self.threads[thread as usize];
        (thread.comm, thread.pid) = (Some(comm), pid.or(thread.pid));
        thread.slices.push(Slice { start, length_and_state, stack, waker });
        Ok(())
    }

    fn note_run(&mut self, stack: FrameId, state: State) {
        if state == State::Running {
            let at = stack as usize;
            self.are_run.resize(self.are_run.len().max(at + 1), false);
            self.are_run[at] = true;
        }
    }

    fn thread(&mut self, tid: &[u8]) -> ThreadId {
        let thread = self.tids.intern(tid);
        if self.threads.len() <= thread as usize {
            self.threads.push(Thread::default());
        }
        thread
    }

    /// Sorts what was added, as [`walk`](super::walk) needs it.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if slices of one thread overlap.
    pub fn sort(&mut self) -> Result<()> {
        for (thread, tid) in self.threads.iter_mut().zip(0..) {
            thread.slices.sort_unstable_by_key(|slice| (slice.start(), slice.length()));
            let overlaps = |two: &[Slice]| two[0].end() > two[1].start();
            if thread.slices.windows(2).any(overlaps) {
                let tid = printable(self.tids.name(tid));
                return Err(Error::Usage(format!(
                    "the slices of thread {tid} overlap: these are several recordings, or summed"
                )));
            }
        }
        Ok(())
    }

    /// The ids of all stacks, and of the names beside them.
    pub fn stack_ids(&self) -> std::ops::Range<FrameId> {
        0..self.stacks.len() as FrameId
    }

    /// Whether any thread ran with this stack.
    pub fn is_run(&self, stack: FrameId) -> bool {
        self.are_run.get(stack as usize) == Some(&true)
    }

    /// The times of the first and the last moment.
    pub fn span(&self) -> Option<[u64; 2]> {
        let first = self.threads.iter().filter_map(Thread::start).min()?;
        let last = self.threads.iter().filter_map(Thread::end).max()?;
        Some([first, last])
    }

    /// `convoy/24081`, for a message.
    pub fn shown(&self, thread: ThreadId) -> String {
        let comm = self.threads[thread as usize].comm;
        let comm = comm.map(|comm| printable(self.stacks.name(comm))).unwrap_or_default();
        format!("{comm}/{}", printable(self.tids.name(thread)))
    }
}
