//! The slices of all threads, as they are read.

use common::folded::FoldedLine;
pub(crate) use common::folded::ThreadState as State;
use common::io::Files;
use common::names::printable;
use common::numbers::nanoseconds_of_label;
use common::pipe::Pipe;
use common::stacks::{FrameId, FrameTable};
use common::{Error, Result};

/// The index of a thread in [`Slices::threads`].
pub(crate) type ThreadId = u32;

/// Whether a waker may have ended it.
pub(crate) fn is_away(state: State) -> bool {
    !matches!(state, State::Running | State::Runnable)
}

/// A time in which a thread did one thing. A recording may have millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    /// In nanoseconds.
    start: u64,
    /// The length in nanoseconds, and in the lowest 3 bits the state.
    length_and_state: u64,
    stack: FrameId,
    waker: ThreadId,
}

impl Slice {
    const NO_WAKER: ThreadId = ThreadId::MAX;

    pub(crate) fn start(self) -> u64 {
        self.start
    }

    pub(crate) fn length(self) -> u64 {
        self.length_and_state >> 3
    }

    pub(crate) fn end(self) -> u64 {
        self.start + self.length()
    }

    pub(crate) fn state(self) -> State {
        State::ALL[(self.length_and_state & 7) as usize]
    }

    /// The id of the stack in [`Slices::stacks`].
    pub(crate) fn stack(self) -> FrameId {
        self.stack
    }

    /// The thread that ended it, or that made this one.
    pub(crate) fn waker(self) -> Option<ThreadId> {
        Some(self.waker).filter(|waker| *waker != Slice::NO_WAKER)
    }
}

/// A thread, with its slices in the order of time.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    pub(crate) pid: Option<FrameId>,
    /// Its name: the label, or the root frame of its stacks.
    pub(crate) comm: Option<FrameId>,
    pub(crate) slices: Vec<Slice>,
}

impl Thread {
    pub(crate) fn start(&self) -> Option<u64> {
        self.slices.first().map(|slice| slice.start())
    }

    pub(crate) fn end(&self) -> Option<u64> {
        self.slices.last().map(|slice| slice.end())
    }
}

/// All slices.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    pub(crate) threads: Vec<Thread>,
    /// The ids of threads, as they were read; the number of each is its [`ThreadId`].
    pub(crate) tids: FrameTable,
    /// Stacks as they were read, and the names and processes of threads.
    pub(crate) stacks: FrameTable,
    /// Whether lines have a label with the name of the thread.
    pub(crate) has_comm: bool,
    /// Whether any wait says who ended it, and whether any may have none for want of a record.
    has_wakers: bool,
    lacks_wakers: bool,
    /// Whether any thread ran with a stack, by its id.
    are_run: Vec<bool>,
    /// Whether lines have the label `time`, and if they have `since`, the time at which that is 0.
    pub(crate) has_time: bool,
    pub(crate) origin: Option<u64>,
}

/// What makes such lines.
const PRINT: &str = "stack-parse --wall --per-sample --labels time,tid,pid,comm,state,waker";

impl Slices {
    /// # Errors
    ///
    /// [`Error::Usage`] if a line is no slice, or if nobody recorded who ended the waits; and what
    /// reading returns.
    pub(crate) fn read(files: &Files, pipe: &mut Pipe) -> Result<Slices> {
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
        match slices.lacks_wakers && !slices.has_wakers {
            true => Err(Error::Usage(format!(
                "no wait has the label waker, so nobody knows who waited for whom: print slices \
                 with '{PRINT}', of a recording with sched:sched_waking; 'stack-flame --wall' makes \
                 one as root"
            ))),
            false => Ok(slices),
        }
    }

    fn add(&mut self, line: &FoldedLine<'_>) -> Result<(), &'static str> {
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

    fn sort(&mut self) -> Result<()> {
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
    pub(crate) fn stack_ids(&self) -> std::ops::Range<FrameId> {
        0..self.stacks.len() as FrameId
    }

    /// Whether any thread ran with this stack.
    pub(crate) fn is_run(&self, stack: FrameId) -> bool {
        self.are_run.get(stack as usize) == Some(&true)
    }

    /// The times of the first and the last moment.
    pub(crate) fn span(&self) -> Option<[u64; 2]> {
        let first = self.threads.iter().filter_map(Thread::start).min()?;
        let last = self.threads.iter().filter_map(Thread::end).max()?;
        Some([first, last])
    }

    /// `convoy/24081`, for a message.
    pub(crate) fn shown(&self, thread: ThreadId) -> String {
        let comm = self.threads[thread as usize].comm;
        let comm = comm.map(|comm| printable(self.stacks.name(comm))).unwrap_or_default();
        format!("{comm}/{}", printable(self.tids.name(thread)))
    }
}
